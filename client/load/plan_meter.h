// Counts the characters that a daemon translates in a measured interval while its batch is full,
// and the processor time and memory that this takes. Estimates from this the replicas, cores and
// memory for a rate of characters.
//
// Calls take long, and many may end together: calls sent at once end at once if their outputs have
// the same length. If calls counted by their end, ten seconds could contain one such wave or two.
// So each call counts by its share: the part of its characters that equals the part of its time,
// from sending to end, within the interval. With a full batch the shares add up to the work done.
// The batch must therefore be full before and after the interval too.
//
// Sizes are bytes. A core is a processor of the measured machine, as the system counts them.
// PlanMeter is not thread-safe, as LoadDriver.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "client/load/load_run.h"

namespace dragoman::client {

// Measurement of a daemon with a full batch.
struct PlanMeasurement {
  double seconds = 0;
  int64_t characters = 0;  // translated in that time
  double cpu_seconds = 0;  // of the daemon
  int workers = 1;         // of one thread each
  int64_t at_rest = 0;     // resident memory before the first call
  int64_t under_load = 0;  // maximum resident memory
  int64_t bound = 0;       // maximum memory by the daemon's own estimate
  int64_t per_worker = 0;  // part of `bound`: K/V and workspaces of one worker
};

struct PlanWish {
  double characters_per_second = 0;
  double utilisation = 0.7;  // intended share of a replica's capacity
  int cores = 2;             // per replica
  int spare = 1;             // replicas in addition to those that the rate needs
};

struct Plan {
  double characters_per_core_second = 0;  // at full load
  double core_hours_per_million = 0;      // per million characters, at the wanted utilisation
  double cores = 0;                       // for the rate, at that utilisation
  int replicas = 0;                       // including the spare ones
  int64_t at_rest = 0;                    // per replica
  int64_t under_load = 0;
  int64_t limit = 0;  // memory limit for each replica
};

// REQUIRES: characters, cpu_seconds and workers are above 0.
Plan Estimate(const PlanMeasurement& measured, const PlanWish& wish);

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
