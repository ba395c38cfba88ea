// Makes the tokenizer of a loaded model, and finds the tokens that begin or end inside a word.
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

// Makes a model's vocabulary usable as the PieceTable of a tokenizer.
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

// Makes the tokenizer of `model`. `source` and `target` are VocabularyPieces of the model's
// vocabularies. Borrows them for the tokenizer's life; does not borrow the model. Returns the
// errors of Tokenizer::Create.
absl::StatusOr<std::unique_ptr<Tokenizer>> MakeTokenizer(const LoadedModel& model,
                                                         const PieceTable* source,
                                                         const PieceTable* target);

// Finds the target tokens that begin or end inside a word (SEARCH.md a.8, "Word boundaries").
// Returns nullptr if the tokens do not show where words begin. `vocabulary` is the number of target
// tokens. Takes time proportional to it.
std::unique_ptr<const WordEdgeTable> MakeWordEdges(const Tokenizer& tokenizer, int32_t vocabulary);

}  // namespace dragoman::engine
