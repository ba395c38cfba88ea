// Counts what a daemon translates in a stretch of time while its batch is full, and what that takes
// of it.
//
// Calls last, and many may end together: all that were sent at once are as long in the batch, where
// their outputs are of one length. Counted by their ends, ten seconds could hold one such wave or
// two. So each call counts by its share: of its characters as large a part as of its time, from its
// sending to its end, was within the stretch. With a full batch the shares add up to what was done.
// So it has to be full before the stretch and after it, too.
//
// For one thread, as LoadDriver.
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

  // Counts for `duration`, from when `warmup` is over and the first call of each of `callers` has
  // ended: what starts together is not what goes on. `inner` is borrowed.
  PlanMeter(LoadDriver* inner, Daemon daemon, int callers, std::chrono::nanoseconds warmup,
            std::chrono::nanoseconds duration);

  ClientClock::TimePoint Now() override { return inner_.Now(); }
  void Send(int64_t call) override;
  void Wait(std::optional<ClientClock::TimePoint> until,
            std::vector<LoadCompletion>* completions) override;

  // Whether all calls that count have ended. Until then others have to be sent, or the last ones
  // would have the daemon for themselves.
  bool enough() const { return reached_ == kMarks && under_way_ == 0; }

  // After that: seconds, characters, cpu_seconds and under_load.
  void Report(PlanMeasurement* out) const;
  // The difference between the characters for a second of processor time of the two halves, as a
  // share of the larger; 1 where one of them has none.
  double halves_differ() const;
  // How long calls took on average, each weighted by what it counts; 0 without any.
  double call_seconds() const;

 private:
  using TimePoint = ClientClock::TimePoint;

  // Start, middle and end of the stretch.
  struct Mark {
    TimePoint planned;
    TimePoint reached;
    std::chrono::nanoseconds cpu{0};  // of the daemon then
  };
  static constexpr int kMarks = 3;

  // The time at which there is something to read; unset while that depends on an answer.
  std::optional<TimePoint> NextMark() const;
  void ReachMarks();
  void Count(const LoadCompletion& done);

  LoadDriver& inner_;
  const Daemon daemon_;
  const int callers_;
  const std::chrono::nanoseconds duration_;
  Mark marks_[kMarks];
  int reached_ = 0;                              // marks
  int64_t first_under_way_;                      // calls that have to end before the stretch begins
  int64_t under_way_ = 0;                        // that count, once the stretch has ended
  std::unordered_map<int64_t, TimePoint> sent_;  // of all calls under way
  double characters_[kMarks - 1] = {};           // of each half
  double call_seconds_ = 0;                      // times characters
  int64_t resident_ = 0;                         // at most
};

}  // namespace dragoman::client
