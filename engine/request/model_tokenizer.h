// The tokenizer of a loaded model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/decode/phrase_tables.h"
#include "engine/model/layouts/model_source.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// A model's vocabulary as the tokenizer's PieceTable.
//
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

// Makes the tokenizer of `model`. Borrows the tables, which are VocabularyPieces of the model, for
// the tokenizer's life, but not the model. Errors are those of Tokenizer::Create.
absl::StatusOr<std::unique_ptr<Tokenizer>> MakeTokenizer(const LoadedModel& model,
                                                         const PieceTable* source,
                                                         const PieceTable* target);

// Finds the target tokens that begin or end within a word (SEARCH.md a.8, "Word boundaries").
// Returns nullptr if pieces do not mark the beginnings of words. Makes one pass over all tokens.
std::unique_ptr<const WordEdgeTable> MakeWordEdges(const Tokenizer& tokenizer, int32_t vocabulary);

}  // namespace dragoman::engine
