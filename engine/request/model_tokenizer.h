// Makes the tokenizer of a loaded model, and finds the tokens that begin or end inside a word.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/decode/phrase_tables.h"
#include "engine/model/layouts/model_source.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// Makes the tokenizer of `model`. Borrows the model's vocabularies for the tokenizer's life.
// Returns the errors of Tokenizer::Create.
absl::StatusOr<std::unique_ptr<Tokenizer>> MakeTokenizer(const LoadedModel& model);

// Finds the target tokens that begin or end inside a word (SEARCH.md a.8, "Word boundaries").
// Returns nullptr if the tokens do not show where words begin. `vocabulary` is the number of target
// tokens. Takes time proportional to it.
std::unique_ptr<const WordEdgeTable> MakeWordEdges(const Tokenizer& tokenizer, int32_t vocabulary);

}  // namespace dragoman::engine
