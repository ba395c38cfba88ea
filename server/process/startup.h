// Starts the parts that the settings ask for and that serving can do without: the detection of
// languages and the export of spans.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "server/call/detect/open_detector.h"
#include "server/observe/otlp_exporter.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Opens the detector. Returns none with --language-model off, and with auto if that file does not
// exist or the build has no detector. Logs the result. Fails if the file cannot be read or is not
// such a model.
absl::StatusOr<OpenedDetector> StartDetection(const ServerConfig& config);

// Returns nullptr if neither --otlp nor the environment names a collector. INVALID_ARGUMENT names
// the environment variable that cannot be used. `clock` must outlive the exporter.
absl::StatusOr<std::unique_ptr<OtlpExporter>> StartSpans(const ServerConfig& config,
                                                         const engine::Clock* clock);

}  // namespace dragoman::server
