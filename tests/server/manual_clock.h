// A clock that stands still until a test moves it. Thread-safe.
#pragma once

#include <atomic>

#include "engine/base/clock.h"

namespace dragoman {

class ManualClock final : public Clock {
 public:
  Nanos Now() const override { return now_; }
  void Advance(Nanos by) { now_ += by; }

 private:
  std::atomic<Nanos> now_{1'000'000'000};
};

}  // namespace dragoman
