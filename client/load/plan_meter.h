// Counts the characters that a daemon translates in a measured interval while its batch is full,
// and the processor time and memory that this takes.
//
// Calls take long, and many may end together: calls sent at once end at once if their outputs have
// the same length. If calls counted by their end, ten seconds could contain one such wave or two.
// So each call counts by its share: the part of its characters that equals the part of its time,
// from sending to end, within the interval. With a full batch the shares add up to the work done.
// The batch must therefore be full before and after the interval too.
//
// Not thread-safe, as LoadDriver.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "client/load/load_run.h"
#include "client/load/plan.h"

namespace dragoman::client {

class PlanMeter final : public LoadDriver {
 public:
  struct Daemon {
    std::function<std::chrono::nanoseconds()> cpu_time;  // so far
    std::function<int64_t()> resident_bytes;             // now
  };

  // Counts for `duration`, from when `warmup` has passed and the first call of each of the
  // `callers` has ended, because calls that start together are not typical. Borrows `inner`.
  PlanMeter(LoadDriver* inner, Daemon daemon, int callers, std::chrono::nanoseconds warmup,
            std::chrono::nanoseconds duration);

  ClientClock::TimePoint Now() override { return inner_.Now(); }
  void Send(int64_t call) override;
  void Wait(std::optional<ClientClock::TimePoint> until,
            std::vector<LoadCompletion>* completions) override;

  // Reports whether all calls that count have ended. Until then the caller must keep sending calls,
  // or the last ones would have the daemon to themselves.
  bool enough() const { return reached_ == kMarks && under_way_ == 0; }

  // Sets seconds, characters, cpu_seconds and under_load. REQUIRES: enough().
  void Report(PlanMeasurement* out) const;
  // Returns the difference between the characters per second of processor time of the two halves,
  // as a share of the larger. Returns 1 if one half has none.
  double halves_differ() const;
  // Returns the mean duration of calls, weighted by their counted characters; 0 if there are none.
  double call_seconds() const;

 private:
  using TimePoint = ClientClock::TimePoint;

  // Start, middle and end of the interval.
  struct Mark {
    TimePoint planned;
    TimePoint reached;
    std::chrono::nanoseconds cpu{0};  // of the daemon at that time
  };
  static constexpr int kMarks = 3;

  // The time of the next mark. Unset while it depends on an answer.
  std::optional<TimePoint> NextMark() const;
  void ReachMarks();
  void Count(const LoadCompletion& done);

  LoadDriver& inner_;
  const Daemon daemon_;
  const int callers_;
  const std::chrono::nanoseconds duration_;
  Mark marks_[kMarks];
  int reached_ = 0;                              // number of marks
  int64_t first_under_way_;                      // calls that must end before the interval begins
  int64_t under_way_ = 0;                        // calls that count, once the interval has ended
  std::unordered_map<int64_t, TimePoint> sent_;  // all calls in flight
  double characters_[kMarks - 1] = {};           // of each half
  double call_seconds_ = 0;                      // multiplied by characters
  int64_t resident_ = 0;                         // maximum
};

}  // namespace dragoman::client
