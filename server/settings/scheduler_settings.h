// The scheduler's settings from the daemon's flags. Pure.
#pragma once

#include "absl/status/statusor.h"
#include "engine/api/scheduler_options.h"
#include "server/settings/config.h"

namespace dragoman {

// INVALID_ARGUMENT names the flag, what was found and what was expected. Which numbers go together
// is for the engine's CheckSchedulerOptions.
absl::StatusOr<SchedulerOptions> ParseScheduler(const ModelSettings& config);

}  // namespace dragoman
