#include "engine/model/model_source.h"

#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/ct2_directory.h"
#include "engine/model/hf_directory.h"
#include "engine/model/marian_directory.h"

namespace dragoman {

absl::StatusOr<LoadedModel> LoadModel(const std::string& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    return absl::NotFoundError(Concat(directory, ": no such directory"));
  }
  // Marian's may be called model.bin as well, and has no config.json; the others have one, and
  // CTranslate2's a model.bin besides.
  const MarianDirectorySource marian;
  const Ct2DirectorySource ctranslate2;
  const HfDirectorySource hugging_face;
  for (const ModelSource* source :
       std::initializer_list<const ModelSource*>{&marian, &ctranslate2, &hugging_face}) {
    if (source->Recognises(directory)) return source->Load(directory);
  }
  return absl::NotFoundError(Concat(
      directory, ": found no model, expected a directory in Hugging Face layout, ",
      "with config.json, in CTranslate2's, with model.bin, or with Marian's files, an .npz or ",
      ".bin and its vocabularies"));
}

}  // namespace dragoman
