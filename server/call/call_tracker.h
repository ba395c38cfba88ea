// Counts the calls in flight, so that a drain can wait for them. Records the time of the last call
// that is not BULK, so that background work can yield. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

class CallTracker {
 public:
  // A call holds a Ticket from its arrival until neither gRPC nor the engine refers to it.
  class Ticket {
   public:
    explicit Ticket(CallTracker* tracker) : tracker_(tracker) { tracker_->Add(1); }
    ~Ticket() { tracker_->Add(-1); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    CallTracker* const tracker_;
  };

  int64_t in_flight() const {
    engine::MutexLock lock(&mu_);
    return in_flight_;
  }

  // Records that a call began or ended at `now` whose priority is not BULK. last_foreground returns
  // the last recorded time.
  void NoteForeground(engine::Nanos now) { foreground_.store(now); }
  engine::Nanos last_foreground() const { return foreground_.load(); }

  // Waits until no call is in flight, `timeout` has passed, or Interrupt was called. Returns true
  // if no call is in flight then.
  bool WaitIdle(std::chrono::nanoseconds timeout) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    engine::MutexLock lock(&mu_);
    while (in_flight_ > 0 && !interrupted_ && changed_.WaitUntil(&mu_, end)) {
    }
    return in_flight_ == 0;
  }

  // Waits until `timeout` has passed or Interrupt was called. Returns true if Interrupt was called.
  bool WaitInterrupted(std::chrono::nanoseconds timeout) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    engine::MutexLock lock(&mu_);
    while (!interrupted_ && changed_.WaitUntil(&mu_, end)) {
    }
    return interrupted_;
  }

  // Ends all current and later waits, to shorten a drain.
  void Interrupt() {
    engine::MutexLock lock(&mu_);
    interrupted_ = true;
    changed_.NotifyAll();
  }

 private:
  void Add(int64_t delta) {
    engine::MutexLock lock(&mu_);
    in_flight_ += delta;
    if (in_flight_ == 0) changed_.NotifyAll();
  }

  std::atomic<engine::Nanos> foreground_{std::numeric_limits<engine::Nanos>::min() / 2};
  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  int64_t in_flight_ ABSL_GUARDED_BY(mu_) = 0;
  bool interrupted_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::server
