// The tokenizer of a loaded model.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/model/model_source.h"
#include "engine/text/tokenizer.h"

namespace dragoman {

// Borrows the tables, which are of the model's vocabularies (vocabulary_pieces.h), for the tokenizer's
// life; not the model. Errors as Tokenizer::Create.
absl::StatusOr<std::unique_ptr<Tokenizer>> MakeTokenizer(const LoadedModel& model,
                                                         const PieceTable* source,
                                                         const PieceTable* target);

}  // namespace dragoman
