// Loads the models of an ensemble, whose log-probs the search combines. The models must have the
// same vocabularies, tokenizer, special tokens and languages. Their networks may differ in family
// and shape.
//
// Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/layouts/model_source.h"

namespace dragoman::engine {

// Returns a model with the networks of all directories. Each of its limits is the smallest among
// the models. Its name, its defaults of the search and its other properties are those of the first
// directory's model. Returns INVALID_ARGUMENT if there are not 2 to 8 directories, or if the models
// do not fit together; then the message names the directory and the first difference. Other errors
// are those of LoadModel.
absl::StatusOr<LoadedModel> LoadEnsemble(const std::vector<std::string>& directories,
                                         TokenizerChoice tokenizer = TokenizerChoice::kAuto,
                                         LoadContext* load = nullptr);

// Returns the number of parameters in all networks of the model together.
int64_t ParametersOf(const LoadedModel& loaded);

}  // namespace dragoman::engine
