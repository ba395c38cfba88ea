// The work of a profile on every device: a batch full of segments with beam 4 in the middle of a
// translation. No segment can end.
#pragma once

#include "absl/status/status.h"
#include "engine/decode/batch.h"
#include "engine/network/program.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

inline constexpr int kProfiledBeam = 4;
inline constexpr int kProfiledSourceTokens = 30;
inline constexpr int kStepsBeforeProfile = 15;

// Returns INVALID_ARGUMENT if a hypothesis, the batch or a source is too small for the profile.
absl::Status CheckProfile(const BatchConfig& batch, const Program& program, int steps);

// Returns the search of every segment. REQUIRES: CheckProfile returned OK; beam <= kProfiledBeam.
kernels::SearchOptions ProfiledSearch(int beam, int steps);

}  // namespace dragoman::engine
