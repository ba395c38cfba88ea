// Argos Translate's packages, which are LibreTranslate's models: a zip archive (.argosmodel) of one
// folder, or that folder unpacked, with metadata.json, sentencepiece.model and in model/ a CTranslate2
// model (layouts/ct2/directory.h). Its other files (stanza/, README.md) are not read.
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
  std::string target_prefix;  // a piece that every output begins with, "" for none
};

// INVALID_ARGUMENT names `file` and the field; UNIMPLEMENTED is returned for a package of another type,
// or of several languages.
absl::StatusOr<ArgosMetadata> ParseArgosMetadata(std::string_view text, std::string_view file);

class ArgosPackageSource : public ModelSource {
 public:
  std::string_view layout() const override { return "argos"; }
  // Whether the path is a file, or a directory with metadata.json.
  bool Recognises(const DiskFolder& folder) const override;
  absl::StatusOr<LoadedModel> Load(const DiskFolder& folder,
                                   const LoadOptions& options) const override;
};

}  // namespace dragoman::engine
