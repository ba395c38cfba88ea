// The exporter of spans that the settings ask for.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "server/observe/otlp_exporter.h"
#include "server/settings/config.h"

namespace dragoman::server {

// nullptr where neither --otlp nor the environment names a collector. INVALID_ARGUMENT says which variable
// of the environment cannot be used. `clock` outlives the exporter.
absl::StatusOr<std::unique_ptr<OtlpExporter>> StartSpans(const ServerConfig& config,
                                                         const engine::Clock* clock);

}  // namespace dragoman::server
