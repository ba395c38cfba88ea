// Loads directories that the converters of CTranslate2 write. Such a directory has model.bin,
// config.json and the vocabularies (tokenizers/ct2_vocabularies.h). Users copy the tokenizer files
// of the original checkpoint into it. With compute type int8, int8 weights are packed unchanged. In
// all other cases weights are read as float32.
//
// Thread-safety: stateless, so any thread may load.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/base/layout.h"
#include "engine/model/layouts/ct2/model_file.h"
#include "engine/model/tokenizers/ct2_vocabularies.h"

namespace dragoman::engine {

// Loads the model of `folder`, with the tokenizer files of the folder `tokenizer`. Does not set
// LoadedModel::name and LoadedModel::layout. Errors are those of ModelSource::Load, but not all
// messages begin with a path.
absl::StatusOr<LoadedModel> LoadCt2Model(const ModelFolder& folder, const ModelFolder& tokenizer,
                                         const TokenizerConfig& fields, TokenizerChoice choice);

class Ct2DirectorySource : public ModelSource {
 public:
  std::string_view layout() const override { return "ctranslate2"; }
  bool Recognises(const DiskFolder& folder) const override;
  absl::StatusOr<LoadedModel> Load(const DiskFolder& folder,
                                   const LoadOptions& options) const override;
};

}  // namespace dragoman::engine
