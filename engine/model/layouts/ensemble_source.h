// Loads the models of an ensemble. They must agree in all that the search, the tokenizer and a
// request's languages see of a model. Their networks may differ in family and shape.
//
// Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/layouts/model_source.h"

namespace dragoman::engine {

// Returns the first directory's model with the networks of all directories. Its limits are the
// smallest of all. Its name, search defaults and other properties are the first's. Returns
// INVALID_ARGUMENT naming the directory and the first difference, or if there are not 2 to 8
// directories; other errors are those of LoadModel.
absl::StatusOr<LoadedModel> LoadEnsemble(const std::vector<std::string>& directories,
                                         const LoadOptions& options = {},
                                         LoadContext* load = nullptr);

// Returns the number of parameters of all its networks together.
int64_t ParametersOf(const LoadedModel& loaded);

}  // namespace dragoman::engine
