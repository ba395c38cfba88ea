// Argos Translate's packages, which are LibreTranslate's models: a zip archive (.argosmodel) of one
// folder, or that folder unpacked. It has metadata.json, sentencepiece.model and a CTranslate2
// model in model/ (layouts/ct2/directory.h). Other files (stanza/, README.md) are not read.
//
// Stateless: any thread may load.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/base/layout.h"

namespace dragoman::engine {

// The fields of metadata.json that are used.
struct ArgosMetadata {
  std::string source;  // as written: "de", "zt"
  std::string target;
  std::string target_prefix;  // first piece of every output; "" for none
};

// Returns INVALID_ARGUMENT naming `file` and the field, and UNIMPLEMENTED for another type or
// several languages.
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
