// From the daemon's settings to a running engine: the devices are chosen, and said in the log.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/base/clock.h"
#include "server/settings/config.h"

namespace dragoman {

// Which settings go together, by the engine's own rules and as far as they can be told without
// looking at the machine. INVALID_ARGUMENT says which do not. REQUIRES: as below.
absl::Status CheckEngineSettings(const ServerConfig& config);

// With --device auto a model that GPUs cannot take runs on the CPU. `clock` and `observer` are
// borrowed for the engine's life. REQUIRES: checked by ParseCommandLine.
absl::StatusOr<std::unique_ptr<Engine>> StartEngine(const ServerConfig& config, int cpus,
                                                    const Clock* clock, EngineObserver* observer);

// The table of --profile-steps. Errors as StartEngine's.
absl::StatusOr<std::string> ProfileEngine(const ServerConfig& config, int cpus, const Clock* clock);

}  // namespace dragoman
