// Loads packages of Argos Translate, which LibreTranslate also uses. A package is a zip archive
// (.argosmodel) with one folder, or this folder unpacked. The folder has metadata.json,
// sentencepiece.model and a CTranslate2 model in model/ (layouts/ct2/directory.h). Other files,
// such as stanza/ and README.md, are ignored.
//
// Thread-safe.
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

// Recognises a directory with metadata.json. Also loads a package that is a file.
extern const ModelLayout kArgosLayout;

}  // namespace dragoman::engine
