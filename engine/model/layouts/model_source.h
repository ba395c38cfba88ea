// Loads a model from a directory in any layout (Hugging Face's, CTranslate2's, Marian's), or from a
// package of Argos Translate, which is a file.
//
// Loading is thread-safe.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/base/load_context.h"
#include "engine/model/layouts/base/layout.h"

namespace dragoman::engine {

// Loads with the first layout that recognises the directory or the package. Errors as
// ModelSource::Load. `load` records which files the model was made of; it outlives
// LoadedModel::weights.
absl::StatusOr<LoadedModel> LoadModel(const std::string& path, const LoadOptions& options = {},
                                      LoadContext* load = nullptr);

}  // namespace dragoman::engine
