// The detector of languages that the settings ask for.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/call/detect/open_detector.h"
#include "server/settings/config.h"

namespace dragoman::server {

// The file that --language-model auto means for a program at `executable`:
// PREFIX/share/dragoman/models/lid.176/lid.176.ftz of PREFIX/bin/dragomand.
std::string InstalledLanguageModel(const std::string& executable);

// No detector where no languages are to be detected: --language-model off, or auto without such a file or
// in a build that has no detector. The log says what is so. An error names the file: it cannot be
// read, or is no such model.
absl::StatusOr<OpenedDetector> StartDetection(const ServerConfig& config);

}  // namespace dragoman::server
