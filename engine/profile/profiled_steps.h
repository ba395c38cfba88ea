// The work of a profile, on every device: a batch full of segments of beam 4 in the middle of
// a translation, none of which can end.
#pragma once

#include "absl/status/status.h"
#include "engine/decode/batch.h"
#include "engine/network/program.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

inline constexpr int kProfiledBeam = 4;
inline constexpr int kProfiledSourceTokens = 30;
inline constexpr int kStepsBeforeProfile = 15;

// INVALID_ARGUMENT when a hypothesis cannot have so many positions, or the batch or a source is too
// small.
absl::Status CheckProfile(const BatchConfig& batch, const Program& program, int steps);

// The search of every segment, with a beam of at most kProfiledBeam. REQUIRES: CheckProfile
// returned OK.
kernels::SearchOptions ProfiledSearch(int beam, int steps);

}  // namespace dragoman::engine
