// Measures a model's decoding step, operation by operation, for dragoman_profile. Not for serving.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/base/clock.h"
#include "engine/decode/batch.h"
#include "engine/network/program.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

// Times the operations of `steps` steps of a full batch, on the CPU or on the only GPU of
// config.devices. Returns a table as text (engine/network/cost_table.h). Borrows `clock` for the
// call; on a GPU, the device's events measure the time instead. Returns the errors of CreateEngine.
// Returns INVALID_ARGUMENT for several devices, an ensemble, a lexical shortlist, or more steps
// than a hypothesis can have tokens. REQUIRES: steps > 0.
absl::StatusOr<std::string> ProfileSteps(const std::string& model_directory,
                                         const EngineConfig& config, int steps, const Clock* clock);

// The work of a profile on every device: a batch full of segments with this beam in the middle of a
// translation. No segment can end.
inline constexpr int kProfiledBeam = 4;
inline constexpr int kProfiledSourceTokens = 30;
inline constexpr int kStepsBeforeProfile = 15;

// Returns INVALID_ARGUMENT if a hypothesis, the batch or a source is too small for the profile.
absl::Status CheckProfile(const BatchConfig& batch, const Program& program, int steps);

// Returns the search of every segment. REQUIRES: CheckProfile returned OK; beam <= kProfiledBeam.
kernels::SearchOptions ProfiledSearch(int beam, int steps);

}  // namespace dragoman::engine
