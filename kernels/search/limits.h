// Published limits of a search; the wire has the same (proto/dragoman/v1/translation.proto). The
// search itself takes its bounds from the memory it is given.
#pragma once

namespace dragoman {

inline constexpr int kMaxBeam = 64;
inline constexpr int kMaxWantedIds = 160;
inline constexpr int kMaxConstraintTokens = 128;
inline constexpr int kMaxForbiddenNodes = 4096;

}  // namespace dragoman
