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

// Times the operations of `steps` steps of a full batch, on the only device of config.devices, the
// CPU or a GPU. Returns a table as text (engine/network/cost_table.h). On the CPU, `clock` measures
// the times; on a GPU, CUDA events measure them. Returns the errors of CreateEngine. Returns
// INVALID_ARGUMENT for several devices, an ensemble, a lexical shortlist, or more steps than a
// hypothesis can have tokens. REQUIRES: steps > 0.
absl::StatusOr<std::string> ProfileSteps(const std::string& model_directory,
                                         const EngineConfig& config, int steps, const Clock* clock);

// On every device a profile measures the same work: a batch full of segments in the middle of their
// translation. No segment ends during the profile.
inline constexpr int kProfiledBeam = 4;           // the beam of each segment
inline constexpr int kProfiledSourceTokens = 30;  // the number of source tokens of each segment
inline constexpr int kStepsBeforeProfile = 15;    // the number of steps before the timed ones

// Returns INVALID_ARGUMENT if `batch` has too few rows, or if `program` or `batch` allows too few
// tokens in a source or a hypothesis for the profile.
absl::Status CheckProfile(const BatchConfig& batch, const Program& program, int steps);

// Returns the search options of every segment in the profile. REQUIRES: CheckProfile returned OK;
// beam <= kProfiledBeam.
kernels::SearchOptions ProfiledSearch(int beam, int steps);

}  // namespace dragoman::engine
