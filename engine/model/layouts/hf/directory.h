// Loads model directories in the form in which Hugging Face offers them for download. They have
// config.json, generation_config.json (optional), tokenizer_config.json (optional),
// model.safetensors or pytorch_model.bin, and the tokenizer's files
// (tokenizers/checkpoint_tokenizer.h).
//
// Thread-safety: stateless, so any thread may load.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/base/layout.h"

namespace dragoman::engine {

class HfDirectorySource : public ModelSource {
 public:
  std::string_view layout() const override { return "huggingface"; }
  bool Recognises(const DiskFolder& folder) const override;
  absl::StatusOr<LoadedModel> Load(const DiskFolder& folder,
                                   const LoadOptions& options) const override;
};

}  // namespace dragoman::engine
