// A model loaded from a directory, whatever its layout: Hugging Face's, CTranslate2's, Marian's; or
// from a package of Argos Translate, a file.
//
// Loading is thread-safe.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/base/load_context.h"
#include "engine/model/layouts/layout.h"

namespace dragoman {

// Loads by the first known layout that recognises the directory, or the package, a file; errors as
// ModelSource::Load. `load` records which files it was made of; it outlives LoadedModel::weights.
absl::StatusOr<LoadedModel> LoadModel(const std::string& path, const LoadOptions& options = {},
                                      LoadContext* load = nullptr);

}  // namespace dragoman
