// A vocab.json as a PieceTable, for tests.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/text/tokenizer.h"

namespace dragoman::engine {

class JsonPieces : public PieceTable {
 public:
  explicit JsonPieces(const std::string& json) {
    const auto vocabulary = nlohmann::json::parse(json).get<std::unordered_map<std::string, int>>();
    pieces_.resize(vocabulary.size());
    for (const auto& [piece, id] : vocabulary) pieces_.at(static_cast<size_t>(id)) = piece;
    ids_ = vocabulary;
  }

  std::optional<int> IdOf(std::string_view piece) const override {
    const auto it = ids_.find(std::string(piece));
    if (it == ids_.end()) return std::nullopt;
    return it->second;
  }
  std::string_view PieceOf(int id) const override {
    if (id < 0 || id >= size()) return {};
    return pieces_[static_cast<size_t>(id)];
  }
  int size() const { return static_cast<int>(pieces_.size()); }

 private:
  std::unordered_map<std::string, int> ids_;
  std::vector<std::string> pieces_;
};

}  // namespace dragoman::engine
