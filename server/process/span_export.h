// Makes the span exporter that the settings ask for.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "server/observe/otlp_exporter.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Returns nullptr if neither --otlp nor the environment names a collector. INVALID_ARGUMENT names
// the environment variable that cannot be used. `clock` must outlive the exporter.
absl::StatusOr<std::unique_ptr<OtlpExporter>> StartSpans(const ServerConfig& config,
                                                         const engine::Clock* clock);

}  // namespace dragoman::server
