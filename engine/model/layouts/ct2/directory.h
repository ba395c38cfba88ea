// CTranslate2 directories, as its converters write them: model.bin, config.json, the vocabularies
// (tokenizers/ct2_vocabularies.h), and the checkpoint's tokenizer files. Compute type int8 packs
// int8 weights as they are. All other weights become float32.
//
// Stateless: any thread may load.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/base/layout.h"
#include "engine/model/tokenizers/ct2_vocabularies.h"

namespace dragoman::engine {

// Loads the model of such a folder, with the tokenizer's files of another folder. Does not set name
// and layout. Errors are those of ModelSource::Load; not all messages begin with a path.
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
