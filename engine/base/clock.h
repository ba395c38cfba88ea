// Time as the engine sees it: nanoseconds of a steady clock that the caller injects.
//
// The engine never reads a clock on the wall; tests drive a clock by hand.
#pragma once

#include <cstdint>
#include <limits>

namespace dragoman::engine {

using Nanos = int64_t;

// A deadline that never passes.
inline constexpr Nanos kNoDeadline = std::numeric_limits<Nanos>::max();

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Monotone; the origin has no meaning.
  virtual Nanos Now() const = 0;
};

}  // namespace dragoman::engine
