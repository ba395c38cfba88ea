// The models of an ensemble, loaded together: they must agree in all that the search, the tokenizer and
// a request's languages see of a model. Networks may differ, in family and in shape.
//
// Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/model_source.h"

namespace dragoman {

// The first directory's model with the networks of all: name, settings of generation and whatever is
// asked of a model are the first's, limits the least of all. INVALID_ARGUMENT naming the directory and
// the first difference, or a number of directories that is not 2 to 8; else as LoadModel.
absl::StatusOr<LoadedModel> LoadEnsemble(const std::vector<std::string>& directories,
                                         const LoadOptions& options = {},
                                         LoadContext* load = nullptr);

// Of all networks.
int64_t ParametersOf(const LoadedModel& loaded);

}  // namespace dragoman
