// Loads a model from a directory in any layout, or from the file of an Argos Translate package. A
// layout is a set of file names and formats: Hugging Face's, CTranslate2's, Marian's or Argos'.
//
// Thread-safe.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/base/load_context.h"
#include "engine/model/layouts/base/layout.h"

namespace dragoman::engine {

// Loads the model at `path` with the first layout that recognizes it. Errors are those of
// ModelLayout::load. `load` records the files of the model. REQUIRES: `load` outlives
// LoadedModel::weights.
absl::StatusOr<LoadedModel> LoadModel(const std::string& path,
                                      TokenizerChoice tokenizer = TokenizerChoice::kAuto,
                                      LoadContext* load = nullptr);

}  // namespace dragoman::engine
