// How the daemon ends: tell balancers, go on for as long as they may take to notice, refuse what is
// new, wait for what was accepted, then close.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include "engine/base/mutex.h"

namespace dragoman {

// What each stage does; none of them may fail.
struct DrainSteps {
  // Health and readiness say no; calls are taken as before.
  std::function<void()> leave;
  // Waits that long, or until somebody is in a hurry, and tells whether somebody is.
  std::function<bool(std::chrono::nanoseconds)> linger;
  // New calls get UNAVAILABLE with a retry hint.
  std::function<void()> stop_taking;
  // Waits until no call is in flight, or that long, or until somebody is in a hurry. True: none is.
  std::function<bool(std::chrono::nanoseconds)> wait_idle;
  std::function<int64_t()> in_flight;
  // What is left is answered UNAVAILABLE with a retry hint.
  std::function<void()> cancel_rest;
  // Closes the port and every connection.
  std::function<void()> shutdown;
};

struct DrainResult {
  bool clean = true;
  int64_t cut_off = 0;  // calls in flight when the limit came
};

struct DrainTimes {
  std::chrono::nanoseconds limit{};      // for what was accepted, from the first refusal on
  std::chrono::nanoseconds lame_duck{};  // between leaving and the first refusal
};

DrainResult Drain(const DrainSteps& steps, const DrainTimes& times);

// Ends the process with status 3, and without a line, if it is not destroyed in time once it was
// armed: a drain must not hang for ever. Its thread is there from the start, for at the end there
// may be none to be had.
class HardExitTimer {
 public:
  HardExitTimer();
  ~HardExitTimer();
  void Arm(std::chrono::nanoseconds after);
  HardExitTimer(const HardExitTimer&) = delete;
  HardExitTimer& operator=(const HardExitTimer&) = delete;

 private:
  void Run();

  Mutex mu_;
  CondVar changed_;
  bool done_ ABSL_GUARDED_BY(mu_) = false;
  std::optional<std::chrono::steady_clock::time_point> end_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace dragoman
