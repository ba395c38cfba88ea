// Calls functions when their deadline has passed: one thread for all deadlines of the server.
//
// gRPC tells of a passed deadline up to a second late under load; this thread does not.
// Thread-safe. Functions run on the timer's thread (or in RunDue), without its lock held, and must
// not block. Times are of the injected clock.
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

  // `clock` outlives the timer. Nothing runs on its own before Start().
  explicit DeadlineTimer(const engine::Clock* clock) : clock_(clock) {}
  // Functions that have not run by then never do.
  ~DeadlineTimer();
  DeadlineTimer(const DeadlineTimer&) = delete;
  DeadlineTimer& operator=(const DeadlineTimer&) = delete;

  // Starts the thread. The clock must run by itself; with one that is set by hand call RunDue.
  void Start();

  // Never kNone. A time that has passed fires at once. kNoDeadline never fires.
  Id Arm(engine::Nanos when, std::function<void()> fire);

  // True: it will not fire. False: it has fired, is firing on another thread, or never was.
  bool Disarm(Id id);

  // Fires what is due, in order of time; returns how many.
  int RunDue();

  int64_t armed() const;

 private:
  void Run();

  const engine::Clock* const clock_;
  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  // Equal times in order of arming. Disarming erases: a timer lives as long as its call.
  std::map<std::pair<engine::Nanos, Id>, std::function<void()>> queue_ ABSL_GUARDED_BY(mu_);
  std::map<Id, engine::Nanos> times_ ABSL_GUARDED_BY(mu_);
  Id last_id_ ABSL_GUARDED_BY(mu_) = kNone;
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dragoman::server
