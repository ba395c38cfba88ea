// How the daemon ends: it tells balancers, goes on for as long as they may take to notice, refuses
// new calls, waits for those that were accepted, then closes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include "engine/base/mutex.h"

namespace dragoman::server {

// The stages of a drain; none of them may fail.
struct DrainSteps {
  // Health and readiness turn negative; calls are taken as before.
  std::function<void()> leave;
  // Waits that long, or until the drain is hurried; true: it was.
  std::function<bool(std::chrono::nanoseconds)> linger;
  // New calls get UNAVAILABLE with a retry hint.
  std::function<void()> stop_taking;
  // Waits until no call is in flight, or that long, or until the drain is hurried. True: none is.
  std::function<bool(std::chrono::nanoseconds)> wait_idle;
  std::function<int64_t()> in_flight;
  // Answers the calls that are left with UNAVAILABLE and a retry hint.
  std::function<void()> cancel_rest;
  // Closes the port and every connection.
  std::function<void()> shutdown;
};

struct DrainResult {
  bool clean = true;
  int64_t cut_off = 0;  // calls in flight when the limit came
};

struct DrainTimes {
  std::chrono::nanoseconds limit{};      // for accepted calls, from the first refusal on
  std::chrono::nanoseconds lame_duck{};  // between leaving and the first refusal
};

DrainResult Drain(const DrainSteps& steps, const DrainTimes& times);

// Ends the process with status 3, and without a log line, if it is not destroyed in time once it
// was armed: a drain must not hang for ever. Its thread is started at once, because none may be
// available at the end.
class HardExitTimer {
 public:
  HardExitTimer();
  ~HardExitTimer();
  void Arm(std::chrono::nanoseconds after);
  HardExitTimer(const HardExitTimer&) = delete;
  HardExitTimer& operator=(const HardExitTimer&) = delete;

 private:
  void Run();

  engine::Mutex mu_;
  engine::CondVar changed_;
  bool done_ ABSL_GUARDED_BY(mu_) = false;
  std::optional<std::chrono::steady_clock::time_point> end_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace dragoman::server
