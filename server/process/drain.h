// Drains the daemon. Health becomes negative, so that load balancers stop sending calls. After a
// time for them to notice, new calls are refused. When the accepted calls have ended, the ports
// close.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "server/base/deadline_timer.h"
#include "server/base/steady_clock.h"

namespace dragoman::server {

// The stages of a drain. They must not fail.
struct DrainSteps {
  // Makes health and readiness negative. Calls are accepted as before.
  std::function<void()> leave;
  // Waits for the given time, or until a second signal shortens the drain. Reports whether it was
  // such a signal.
  std::function<bool(std::chrono::nanoseconds)> linger;
  // Refuses new calls with UNAVAILABLE and a retry hint.
  std::function<void()> stop_taking;
  // Waits until no call is in flight, at most for the given time or until a second signal. Returns
  // true if no call is in flight then.
  std::function<bool(std::chrono::nanoseconds)> wait_idle;
  std::function<int64_t()> in_flight;
  // Answers the remaining calls with UNAVAILABLE and a retry hint.
  std::function<void()> cancel_rest;
  std::function<void()> shutdown;
};

struct DrainResult {
  bool clean = true;
  int64_t cut_off = 0;  // calls in flight at the time limit
};

struct DrainTimes {
  std::chrono::nanoseconds limit{};      // how long to wait for accepted calls
  std::chrono::nanoseconds lame_duck{};  // how long after `leave` to call `stop_taking`
};

DrainResult Drain(const DrainSteps& steps, const DrainTimes& times);

// Ends the process with status 3, without a log line, if this object still exists the given time
// after Arm. A drain must not hang forever. The constructor starts the thread that waits, because
// the system may later refuse to start one.
class HardExitTimer {
 public:
  HardExitTimer() { timer_.Start(); }
  void Arm(std::chrono::nanoseconds after);

 private:
  const SteadyClock clock_;
  DeadlineTimer timer_{&clock_};
};

}  // namespace dragoman::server
