// Counts calls that are in the server's hands, for the drain to wait on. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/base/mutex.h"

namespace dragoman::server {

class CallTracker {
 public:
  // One call, from its arrival until neither gRPC nor the engine knows it any more.
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

  // Waits until no call is in flight, or `timeout`, or Interrupt. True: none was in flight.
  bool WaitIdle(std::chrono::nanoseconds timeout) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    engine::MutexLock lock(&mu_);
    while (in_flight_ > 0 && !interrupted_) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left <= std::chrono::nanoseconds::zero()) break;
      changed_.WaitFor(&mu_, left);
    }
    return in_flight_ == 0;
  }

  // Waits that long, or until Interrupt, whatever is in flight. True: it was interrupted.
  bool WaitInterrupted(std::chrono::nanoseconds timeout) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    engine::MutexLock lock(&mu_);
    while (!interrupted_) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left <= std::chrono::nanoseconds::zero()) break;
      changed_.WaitFor(&mu_, left);
    }
    return interrupted_;
  }

  // Ends every wait, now and later, for a drain that is hurried.
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

  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  int64_t in_flight_ ABSL_GUARDED_BY(mu_) = 0;
  bool interrupted_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::server
