// The largest shapes that a configuration may ask for: far above any model, they keep later
// arithmetic within bounds.
#pragma once

#include <cstdint>

namespace dragoman {

inline constexpr int64_t kMaxDim = 1 << 14;
inline constexpr int64_t kMaxFfn = 1 << 16;
inline constexpr int64_t kMaxLayers = 128;
inline constexpr int64_t kMaxHeads = 256;
inline constexpr int64_t kMaxVocabulary = 1 << 21;
inline constexpr int64_t kMaxPositions = 1 << 16;

}  // namespace dragoman
