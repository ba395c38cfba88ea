// A clock that only a test moves. Thread-safe.
#pragma once

#include <atomic>

#include "engine/base/clock.h"

namespace dragoman::server {

class ManualClock final : public engine::Clock {
 public:
  engine::Nanos Now() const override { return now_; }
  void Advance(engine::Nanos by) { now_ += by; }

 private:
  std::atomic<engine::Nanos> now_{1'000'000'000};
};

}  // namespace dragoman::server
