#include "engine/model/model_source.h"

#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/ct2_directory.h"
#include "engine/model/hf_directory.h"

namespace dragoman {

absl::StatusOr<LoadedModel> LoadModel(const std::string& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    return absl::NotFoundError(Concat(directory, ": no such directory"));
  }
  // Both have a config.json; CTranslate2's has a model.bin besides.
  const Ct2DirectorySource ctranslate2;
  const HfDirectorySource hugging_face;
  for (const ModelSource* source :
       std::initializer_list<const ModelSource*>{&ctranslate2, &hugging_face}) {
    if (source->Recognises(directory)) return source->Load(directory);
  }
  return absl::NotFoundError(
      Concat(directory, ": found no model, expected a directory in Hugging Face layout, ",
             "with config.json, or in CTranslate2's, with model.bin"));
}

}  // namespace dragoman
