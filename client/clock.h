// Time as the client sees it, injected so that deadlines and retries are tested without waiting.
//
// Thread-safe. Times are steady-clock.
#pragma once

#include <chrono>
#include <functional>

namespace dragoman {

class ClientClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual ~ClientClock() = default;
  virtual TimePoint Now() = 0;
  // Runs `task` once, `delay` from now at the earliest, on any thread; perhaps before it returns.
  virtual void RunAfter(std::chrono::nanoseconds delay, std::function<void()> task) = 0;

  // The machine's clock. Lives as long as the process.
  static ClientClock* Real();
};

}  // namespace dragoman
