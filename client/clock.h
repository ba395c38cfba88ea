// The clock of a client. Tests inject a clock of their own, so that they need not wait for
// deadlines and retries.
//
// Thread-safe. Times are those of std::chrono::steady_clock.
#pragma once

#include <chrono>
#include <functional>

namespace dragoman::client {

class ClientClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual ~ClientClock() = default;
  virtual TimePoint Now() = 0;
  // Runs `task` once, on any thread, when `delay` has passed. The task may run before RunAfter
  // returns. RunAfter returns a function that ends the delay early, so that the task runs soon.
  // This function does nothing if the task has already run. Any thread may call it.
  virtual std::function<void()> RunAfter(std::chrono::nanoseconds delay,
                                         std::function<void()> task) = 0;

  // Returns the machine's clock. It lives as long as the process.
  static ClientClock* Real();
};

}  // namespace dragoman::client
