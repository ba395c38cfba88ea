// Counts the characters that a daemon translates in a measured interval while its batch is full,
// and the processor time and memory that this takes. Estimates from this the replicas, cores and
// memory for a rate of characters.
//
// Calls take seconds, and calls that are sent together may end together, in a wave. If a call
// counted when it ends, an interval of ten seconds could contain one wave or two. So a call counts
// in proportion: if a third of its time, from sending to end, is in the interval, a third of its
// characters counts. With a full batch, these shares add up to the work done, if the batch is also
// full before and after the interval.
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
    std::function<std::chrono::nanoseconds()> cpu_time;  // the processor time so far
    std::function<int64_t()> resident_bytes;             // the resident memory now
  };

  // The interval has the length `duration`. It begins when `warmup` has passed and the first call
  // of each of the `callers` callers has ended, because calls that start together are not typical.
  // Borrows `inner`.
  PlanMeter(LoadDriver* inner, Daemon daemon, int callers, std::chrono::nanoseconds warmup,
            std::chrono::nanoseconds duration);

  ClientClock::TimePoint Now() override { return inner_.Now(); }
  void Send(int64_t call) override;
  void Wait(std::optional<ClientClock::TimePoint> until,
            std::vector<LoadCompletion>* completions) override;

  // Reports whether all calls that count have ended. Until then, the caller must keep sending
  // calls, because otherwise the batch would not be full for the last calls that count.
  bool enough() const { return reached_ == kMarks && under_way_ == 0; }

  // Sets seconds, characters, cpu_seconds and under_load. REQUIRES: enough().
  void Report(PlanMeasurement* out) const;
  // Compares the two halves of the interval: returns the difference of their characters per second
  // of processor time, divided by the larger value. Returns 1 if one half has no characters.
  double halves_differ() const;
  // Returns the mean duration of calls, weighted by their characters that count, or 0 if none
  // count.
  double call_seconds() const;

 private:
  using TimePoint = ClientClock::TimePoint;

  // A mark is the start, the middle or the end of the interval.
  struct Mark {
    TimePoint planned;
    TimePoint reached;
    std::chrono::nanoseconds cpu{0};  // the daemon's processor time at the mark
  };
  static constexpr int kMarks = 3;

  // Returns the planned time of the next mark, or nullopt while it depends on an answer.
  std::optional<TimePoint> NextMark() const;
  void ReachMarks();
  void Count(const LoadCompletion& done);

  LoadDriver& inner_;
  const Daemon daemon_;
  const int callers_;
  const std::chrono::nanoseconds duration_;
  Mark marks_[kMarks];
  int reached_ = 0;  // the number of marks that have been reached
  // The number of calls that must end before the interval begins.
  int64_t first_under_way_;
  // After the interval: the number of calls that count and have not ended.
  int64_t under_way_ = 0;
  std::unordered_map<int64_t, TimePoint> sent_;  // when each call in flight was sent
  double characters_[kMarks - 1] = {};           // the characters that count, for each half
  // The sum of call durations, each multiplied by its characters that count.
  double call_seconds_ = 0;
  int64_t resident_ = 0;  // the maximum of the resident memory
};

}  // namespace dragoman::client
