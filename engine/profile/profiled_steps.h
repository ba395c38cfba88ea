// The work that a profile measures, the same for all devices: a batch that is full of segments with
// beam 4, in the middle of their translation. No segment ends during the profile.
#pragma once

#include "absl/status/status.h"
#include "engine/decode/batch.h"
#include "engine/network/program.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

inline constexpr int kProfiledBeam = 4;
inline constexpr int kProfiledSourceTokens = 30;
inline constexpr int kStepsBeforeProfile = 15;

// Returns INVALID_ARGUMENT if the limits are too low for the profile: the positions of a
// hypothesis, the rows of the batch, or the positions of a source.
absl::Status CheckProfile(const BatchConfig& batch, const Program& program, int steps);

// Returns the search options of each segment. REQUIRES: CheckProfile returned OK; beam <=
// kProfiledBeam.
kernels::SearchOptions ProfiledSearch(int beam, int steps);

}  // namespace dragoman::engine
