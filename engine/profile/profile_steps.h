// Measures a model's decoding step, operation by operation, for dragoman_profile. Not for serving.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/base/clock.h"

namespace dragoman::engine {

// Times the operations of `steps` steps of a full batch, on the CPU or on the only GPU of
// config.devices. Returns a table as text (engine/network/cost_table.h). Borrows `clock` for the
// call; on a GPU, the device's events measure the time instead. Returns the errors of CreateEngine.
// Returns INVALID_ARGUMENT for several devices, an ensemble, a lexical shortlist, or more steps
// than a hypothesis can have tokens. REQUIRES: steps > 0.
absl::StatusOr<std::string> ProfileSteps(const std::string& model_directory,
                                         const EngineConfig& config, int steps, const Clock* clock);

}  // namespace dragoman::engine
