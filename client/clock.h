// Time as the client sees it, injected so that deadlines and retries are tested without waiting.
//
// Thread-safe. Times are steady-clock.
#pragma once

#include <chrono>
#include <functional>

namespace dragoman::client {

class ClientClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual ~ClientClock() = default;
  virtual TimePoint Now() = 0;
  // Runs `task` once, `delay` from now at the earliest, on any thread; perhaps before it returns.
  // The function that it returns cuts the delay short: the task then runs soon, unless it has run.
  // Any thread may call that.
  virtual std::function<void()> RunAfter(std::chrono::nanoseconds delay,
                                         std::function<void()> task) = 0;

  // The machine's clock. Lives as long as the process.
  static ClientClock* Real();
};

}  // namespace dragoman::client
