// Starts the two optional parts of serving, if the settings ask for them: the detection of
// languages and the export of spans.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "server/call/detect/open_detector.h"
#include "server/observe/otlp_exporter.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Opens the detector. With --language-model off, returns none. With auto, returns none if the file
// does not exist or the build has no detector. Logs the result. Fails if the file cannot be read or
// is not a language model.
absl::StatusOr<OpenedDetector> StartDetection(const ServerConfig& config);

// Returns nullptr if neither --otlp nor the environment names a collector. INVALID_ARGUMENT names
// the environment variable that cannot be used. `clock` must outlive the exporter.
absl::StatusOr<std::unique_ptr<OtlpExporter>> StartSpans(const ServerConfig& config,
                                                         const engine::Clock* clock);

}  // namespace dragoman::server
