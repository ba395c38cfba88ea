// Calls functions when their deadline has passed, on one thread for all deadlines of the server.
// The server does not wait for gRPC's report of a passed deadline, because under load it comes up
// to a second late.
//
// Thread-safe. Functions run on the timer's thread or in RunDue, without the timer's lock held.
// They must not block. Times are those of the injected clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

class DeadlineTimer {
 public:
  using Id = uint64_t;
  static constexpr Id kNone = 0;

  // `clock` must outlive the timer. No function runs before Start(), except in RunDue().
  explicit DeadlineTimer(const engine::Clock* clock) : clock_(clock) {}
  // Drops the functions that have not run.
  ~DeadlineTimer();
  DeadlineTimer(const DeadlineTimer&) = delete;
  DeadlineTimer& operator=(const DeadlineTimer&) = delete;

  // Starts the thread. Needs a clock that runs by itself. With a manual clock, call RunDue.
  void Start();

  // Runs `fire` once at the time `when`: at once if `when` has passed, never if it is kNoDeadline.
  // Returns the id for Disarm, never kNone.
  Id Arm(engine::Nanos when, std::function<void()> fire);

  // Cancels a function. Returns true if the function will not run. Returns false if it has run, is
  // running on another thread, was never armed, or was armed with kNoDeadline.
  bool Disarm(Id id);

  // Runs the functions that are due, in order of time. Returns how many it ran.
  int RunDue();

  int64_t armed() const;

 private:
  void Run();

  const engine::Clock* const clock_;
  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  // Functions of equal times run in the order in which they were armed.
  std::map<std::pair<engine::Nanos, Id>, std::function<void()>> queue_ ABSL_GUARDED_BY(mu_);
  std::map<Id, engine::Nanos> times_ ABSL_GUARDED_BY(mu_);
  Id last_id_ ABSL_GUARDED_BY(mu_) = kNone;
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dragoman::server
