// Calls functions when their deadline has passed, on one thread for all deadlines of the server.
// The server does not wait for gRPC's report of a passed deadline, because under load it comes up
// to a second late.
//
// Thread-safe. Functions run on the timer's thread or in RunDue, without the timer's lock held.
// They must not block. Times are those of the injected clock.
#pragma once

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "engine/base/clock.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

class DeadlineTimer {
 public:
  using Id = uint64_t;
  using Function = absl::AnyInvocable<void()>;
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
  Id Arm(engine::Nanos when, Function fire);

  // Cancels a function. Returns true if the function will not run. Returns false if it has run, is
  // running on another thread, was never armed, or was armed with kNoDeadline.
  bool Disarm(Id id);

  // Runs the functions that are due, in order of time. Returns how many it ran.
  int RunDue();

  int64_t armed() const;

 private:
  using Entry = std::pair<engine::Nanos, Id>;

  void Run();
  // Returns the earliest entry whose function waits, or nullptr. Removes the entries before it.
  const Entry* Earliest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void RemoveEarliest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const engine::Clock* const clock_;
  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  absl::flat_hash_map<Id, Function> waiting_ ABSL_GUARDED_BY(mu_);
  // A heap with the earliest entry at its front. Entries of equal times are in the order in which
  // they were armed. Disarm leaves its entry here; at most half of the entries plus 64 are such.
  std::vector<Entry> heap_ ABSL_GUARDED_BY(mu_);
  engine::Nanos asleep_until_ ABSL_GUARDED_BY(mu_) = 0;  // 0 while the thread is awake
  Id last_id_ ABSL_GUARDED_BY(mu_) = kNone;
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dragoman::server
