// Opens the language detector that the settings ask for.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/call/detect/open_detector.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Returns the file that --language-model auto means for a program at `executable`. For
// PREFIX/bin/dragomand it is PREFIX/share/dragoman/models/lid.176/lid.176.ftz.
std::string InstalledLanguageModel(const std::string& executable);

// Opens the detector and logs the result. Returns no detector with --language-model off. With auto,
// returns none if the file InstalledLanguageModel does not exist or the build has no detector.
// Fails if the file cannot be read or is not a known classifier.
absl::StatusOr<OpenedDetector> StartDetection(const ServerConfig& config);

}  // namespace dragoman::server
