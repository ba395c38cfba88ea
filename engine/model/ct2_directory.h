// CTranslate2 directories, as its converters write them: model.bin, config.json, the vocabularies
// (ct2_vocabularies.h), and beside them the tokenizer's files of the checkpoint. Quantised weights
// become float32; whoever packs them quantises anew.
//
// Stateless: any thread may load.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/model_source.h"

namespace dragoman {

class Ct2DirectorySource : public ModelSource {
 public:
  std::string_view layout() const override { return "ctranslate2"; }
  bool Recognises(const std::string& directory) const override;
  absl::StatusOr<LoadedModel> Load(const std::string& directory) const override;
};

}  // namespace dragoman
