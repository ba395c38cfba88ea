// The models of an ensemble, loaded together: they must agree in all that the search, the tokenizer and
// a request's languages see of a model. Networks may differ, in family and in shape.
//
// Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/layouts/model_source.h"

namespace dragoman::engine {

// The first directory's model with the networks of all: its name, search defaults and other properties
// are the first's, its limits are the smallest of all. INVALID_ARGUMENT names the directory and the
// first difference, or a number of directories that is not 2 to 8; other errors as LoadModel.
absl::StatusOr<LoadedModel> LoadEnsemble(const std::vector<std::string>& directories,
                                         const LoadOptions& options = {},
                                         LoadContext* load = nullptr);

// The number of parameters of all its networks together.
int64_t ParametersOf(const LoadedModel& loaded);

}  // namespace dragoman::engine
