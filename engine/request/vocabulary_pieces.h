// A model's vocabulary as the tokenizer's PieceTable.
#pragma once

#include <optional>
#include <string_view>

#include "engine/model/tokenizers/vocabulary.h"
#include "engine/text/tokenizer.h"

namespace dragoman {

// Borrows the vocabulary. Thread-safe.
class VocabularyPieces : public PieceTable {
 public:
  explicit VocabularyPieces(const Vocabulary* vocabulary) : vocabulary_(vocabulary) {}
  std::optional<int> IdOf(std::string_view piece) const override {
    return vocabulary_->IdOf(piece);
  }
  std::string_view PieceOf(int id) const override { return vocabulary_->PieceOf(id); }

 private:
  const Vocabulary* const vocabulary_;
};

}  // namespace dragoman
