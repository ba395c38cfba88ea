#include "engine/model/tokenizers/vocabulary.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/json.h"
#include "engine/model/tokenizers/model_tokens.h"

namespace dragoman::engine {
namespace {

constexpr JsonLimits kVocabularyLimits = {.max_bytes = kMaxVocabularyBytes,
                                          .max_depth = 2,
                                          .max_values = static_cast<size_t>(kMaxVocabulary) + 1};
constexpr size_t kMaxPieceBytes = 1024;

}  // namespace

absl::StatusOr<Vocabulary> Vocabulary::Parse(std::string_view json, std::string_view file,
                                             std::optional<int> size) {
  const auto invalid = [file](std::string_view what) {
    return absl::InvalidArgumentError(Concat(file, ": ", what));
  };
  const absl::StatusOr<nlohmann::json> root = ParseJson(json, file, kVocabularyLimits);
  if (!root.ok()) return root.status();
  if (!root->is_object()) {
    return invalid(Concat("is ", DescribeJson(*root), ", expected an object piece -> id"));
  }
  if (size && root->size() > static_cast<size_t>(*size)) {
    return invalid(Concat(root->size(), " pieces, expected at most the ", *size,
                          " of config.json's vocabulary size"));
  }
  Vocabulary vocabulary;
  vocabulary.pieces_.resize(size ? static_cast<size_t>(*size) : root->size());
  std::vector<bool> taken(root->size(), false);
  for (const auto& [piece, id] : root->items()) {
    const std::string shown = piece.substr(0, 64);
    if (piece.size() > kMaxPieceBytes) {
      return invalid(Concat("piece '", shown, "...' has ", piece.size(),
                            " bytes, expected at most ", kMaxPieceBytes));
    }
    if (!id.is_number_unsigned() || id.get<uint64_t>() >= root->size()) {
      return invalid(Concat("piece '", shown, "' has id ", DescribeJson(id),
                            ", expected one from 0 to ", root->size() - 1,
                            ": the ids leave a gap"));
    }
    const auto index = static_cast<size_t>(id.get<uint64_t>());
    if (taken[index]) {
      return invalid(Concat("id ", index, " belongs to both '",
                            vocabulary.pieces_[index].substr(0, 64), "' and '", shown, "'"));
    }
    taken[index] = true;
    vocabulary.pieces_[index] = piece;
  }
  // There are as many ids as pieces, and all ids are different and in range, so no id is missing.
  vocabulary.Index(root->size(), /*empty_is_piece=*/true);
  return vocabulary;
}

absl::StatusOr<Vocabulary> Vocabulary::FromPieces(std::vector<std::string> pieces,
                                                  std::string_view file) {
  Vocabulary vocabulary;
  vocabulary.pieces_ = std::move(pieces);
  if (const std::optional<std::string_view> twice =
          vocabulary.Index(vocabulary.pieces_.size(), false)) {
    return absl::InvalidArgumentError(
        Concat(file, ": piece '", twice->substr(0, 64), "' is there twice"));
  }
  return vocabulary;
}

// The keys of id_of_ may be views of the strings in pieces_, because the vector does not grow after
// this, and moving the vector does not move the strings.
std::optional<std::string_view> Vocabulary::Index(size_t count, bool empty_is_piece) {
  id_of_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (pieces_[i].empty() && !empty_is_piece) continue;
    if (!id_of_.emplace(pieces_[i], static_cast<int>(i)).second) return pieces_[i];
  }
  return std::nullopt;
}

std::optional<int> Vocabulary::IdOf(std::string_view piece) const {
  const auto found = id_of_.find(piece);
  if (found == id_of_.end()) return std::nullopt;
  return found->second;
}

std::string_view Vocabulary::PieceOf(int id) const {
  if (id < 0 || id >= size()) return {};
  return pieces_[static_cast<size_t>(id)];
}

}  // namespace dragoman::engine
