#include "engine/model/layouts/model_source.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/base/file_record.h"
#include "engine/model/layouts/argos/package.h"
#include "engine/model/layouts/ct2/directory.h"
#include "engine/model/layouts/hf/directory.h"
#include "engine/model/layouts/marian/directory.h"

namespace dragoman::engine {
namespace {

// If the directory has a compressed file that users must unpack first, such as Firefox's downloads,
// returns a hint for the error message. Otherwise returns "".
std::string HintOf(const std::string& directory) {
  const std::vector<std::string> names = ListNames(directory, {".gz", ".zst", ".argosmodel"});
  if (names.empty()) return "";
  const std::string& first = names.front();
  const bool is_package = first.ends_with(".argosmodel");
  return Concat("; '", first.substr(0, 128),
                is_package ? "' in it is a package, which is a model by itself"
                           : "' in it is compressed, and has to be unpacked");
}

absl::StatusOr<LoadedModel> LoadAs(const ModelLayout& layout, const DiskFolder& folder,
                                   TokenizerChoice tokenizer) {
  absl::StatusOr<LoadedModel> model = layout.load(folder, tokenizer);
  if (!model.ok()) return InDirectory(folder.path(), model.status());
  if (model->name.empty()) model->name = NameOf(folder.path());
  model->layout = std::string(layout.name);
  return model;
}

}  // namespace

absl::StatusOr<LoadedModel> LoadModel(const std::string& path, TokenizerChoice tokenizer,
                                      LoadContext* load) {
  std::error_code error;
  const DiskFolder folder(path, load);
  if (std::filesystem::is_regular_file(path, error)) {
    return LoadAs(kArgosLayout, folder, tokenizer);
  }
  if (!std::filesystem::is_directory(path, error)) {
    return absl::NotFoundError(Concat(path, ": no such directory, nor a package"));
  }
  // The file model.bin may be Marian's or CTranslate2's, but a Marian directory has no config.json.
  // Hugging Face's layout comes after CTranslate2's, because CTranslate2's directories also have a
  // config.json.
  for (const ModelLayout* layout : {&kMarianLayout, &kCt2Layout, &kHfLayout, &kArgosLayout}) {
    if (layout->recognises(folder)) return LoadAs(*layout, folder, tokenizer);
  }
  return absl::NotFoundError(
      Concat(path, ": found no model, expected a directory with config.json (Hugging Face), ",
             "model.bin (CTranslate2), an .npz or .bin and its vocabularies (Marian), or ",
             "metadata.json (an unpacked Argos package)", HintOf(path)));
}

}  // namespace dragoman::engine
