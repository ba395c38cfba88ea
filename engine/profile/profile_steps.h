// The time of a decoding step of a model, operation by operation: what the program dragoman_profile
// prints. No part of serving.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/base/clock.h"

namespace dragoman::engine {

// Times the operations of `steps` steps of a full batch, on the CPU or on the one GPU of
// config.devices: a table as text (engine/network/cost_table.h). On the CPU by `clock`, which is
// borrowed for the call. Errors as CreateEngine's; INVALID_ARGUMENT also for several devices, an
// ensemble, a lexical shortlist, and for more steps than a hypothesis has positions. REQUIRES:
// steps > 0.
absl::StatusOr<std::string> ProfileSteps(const std::string& model_directory,
                                         const EngineConfig& config, int steps, const Clock* clock);

}  // namespace dragoman::engine
