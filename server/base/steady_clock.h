// The clock of a running daemon, std::chrono::steady_clock as nanoseconds, and the wall clock.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/base/clock.h"

namespace dragoman::server {

inline constexpr engine::Nanos kNanosPerMilli = 1'000'000;
inline constexpr engine::Nanos kNanosPerSecond = 1'000'000'000;

class SteadyClock final : public engine::Clock {
 public:
  engine::Nanos Now() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

// Returns the wall clock's time in seconds since 1970.
inline int64_t UnixNow() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

inline double ToSeconds(engine::Nanos nanos) { return static_cast<double>(nanos) * 1e-9; }

}  // namespace dragoman::server
