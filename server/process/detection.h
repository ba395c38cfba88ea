// Opens the language detector that the settings ask for.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "server/call/detect/open_detector.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Returns the file that --language-model auto means for a program at `executable`. For
// PREFIX/bin/dragomand it is PREFIX/share/dragoman/models/lid.176/lid.176.ftz.
std::string InstalledLanguageModel(const std::string& executable);

// Opens the detector. Returns none with --language-model off, and with auto if that file does not
// exist or the build has no detector. Logs the result. Fails if the file cannot be read or is not
// such a model.
absl::StatusOr<OpenedDetector> StartDetection(const ServerConfig& config);

}  // namespace dragoman::server
