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

// Returns the first directory's model with the networks of all directories. Each limit is the
// smallest one of all models. The name, the defaults of the search and other properties are the
// first model's. Returns INVALID_ARGUMENT, which names the directory and the first difference, if
// the models differ, and INVALID_ARGUMENT if there are not 2 to 8 directories. Other errors are
// those of LoadModel.
absl::StatusOr<LoadedModel> LoadEnsemble(const std::vector<std::string>& directories,
                                         const LoadOptions& options = {},
                                         LoadContext* load = nullptr);

// Returns the number of parameters in all networks of the model together.
int64_t ParametersOf(const LoadedModel& loaded);

}  // namespace dragoman::engine
