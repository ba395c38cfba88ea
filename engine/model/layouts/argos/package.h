// Loads packages of Argos Translate, which LibreTranslate also uses. A package is a zip archive
// (.argosmodel) with one folder, or this folder unpacked. The folder has metadata.json,
// sentencepiece.model and a CTranslate2 model in model/ (layouts/ct2/directory.h). Other files,
// such as stanza/ and README.md, are ignored.
//
// Stateless: any thread may load.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/base/layout.h"

namespace dragoman::engine {

// The fields of metadata.json that this program uses.
struct ArgosMetadata {
  std::string source;  // the code in the file: "de", "zt"
  std::string target;
  std::string target_prefix;  // the piece with which every translation begins; "": none
};

// Returns INVALID_ARGUMENT, which names `file` and the field, for a malformed file. Returns
// UNIMPLEMENTED for a package that is no translation model or has several languages.
absl::StatusOr<ArgosMetadata> ParseArgosMetadata(std::string_view text, std::string_view file);

class ArgosPackageSource : public ModelSource {
 public:
  std::string_view layout() const override { return "argos"; }
  // Reports whether the path is a file, or a directory with metadata.json.
  bool Recognises(const DiskFolder& folder) const override;
  absl::StatusOr<LoadedModel> Load(const DiskFolder& folder,
                                   const LoadOptions& options) const override;
};

}  // namespace dragoman::engine
