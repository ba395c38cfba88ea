// The engine's time: nanoseconds of a steady clock that the caller injects. The engine never reads
// the wall clock. Tests drive a clock by hand.
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
  // Returns the time since some fixed moment. It never decreases.
  virtual Nanos Now() const = 0;
};

}  // namespace dragoman::engine
