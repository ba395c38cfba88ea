// Runs of tasks through the production pieces of a worker, in one thread: request queue, encoder
// worker, encoded queue, policy, decode loop. Everything is encoded first; then the loop runs until
// nothing is left. What a run does is therefore the same every time.
//
// On the CPU its time is the thread's processor time, which other programs disturb less than they
// do a clock on the wall. On a device it is a clock on the wall: the loop waits for every step and
// ends when it has read what the last one says. There a step shows from outside only, in what it
// reports: what happens within (RunResult's optional members) is not counted.
//
// Not thread-safe. The results belong to the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/scheduler_options.h"
#include "engine/decode/backend.h"
#include "engine/decode/batch.h"
#include "tests/bench/search/bench_model.h"

namespace dragoman::bench {

struct RunConfig {
  int max_rows = 256;
  engine::SchedulerOptions scheduler;
  // Self pages for each row of max_rows; wide slots that wait hold theirs.
  int pages_per_row = 6;
};

// Positions that attention read, and what a padded implementation would have read besides.
struct Positions {
  int64_t read = 0;
  int64_t padding = 0;  // counted, not run

  double PaddingShare() const {
    return static_cast<double>(padding) / static_cast<double>(padding + read);
  }
};

struct RunResult {
  std::vector<std::vector<engine::DecodedHypothesis>> nbest;  // by task
  int64_t steps = 0;                                          // that ran something
  int64_t row_steps = 0;                                      // rows that the decoder computed
  std::vector<int64_t> live;                                  // [n]: steps in which n segments ran
  double encode_seconds = 0;
  double decode_seconds = 0;

  // Expansions as Yang et al. count them, with those that stand for themselves.
  std::optional<int64_t> expansions;
  // Padded, every row were as long as the longest of the step (self), every source as long as the
  // longest of the step (cross).
  std::optional<Positions> self, cross;

  double RowsPerStep() const { return static_cast<double>(row_steps) / static_cast<double>(steps); }
  double Occupancy(int max_rows) const { return RowsPerStep() / max_rows; }
};

// The backend of a device for batches of this shape.
using MakeBackend = std::function<absl::StatusOr<std::shared_ptr<const engine::Backend>>(
    const engine::BatchConfig& batch)>;

class Runner {
 public:
  // On the CPU. The model is borrowed.
  explicit Runner(const BenchModel* model) : model_(model) {}
  // On a device.
  Runner(const BenchModel* model, MakeBackend make) : model_(model), make_(std::move(make)) {}

  const BenchModel& model() const { return *model_; }
  bool on_cpu() const { return make_ == nullptr; }

  // Ends the program when a task fails. REQUIRES: every task's beam is at most config.max_rows.
  RunResult Run(const RunConfig& config, const std::vector<Task>& tasks);

 private:
  struct Parts;
  Parts MakeOnCpu(const engine::BatchConfig& shape, const engine::PagePlan& pages,
                  RunResult* result) const;
  Parts MakeOnDevice(const engine::BatchConfig& shape, const engine::PagePlan& pages);

  const BenchModel* const model_;
  const MakeBackend make_;  // empty: the CPU
  // Backends by rows and lanes. They are kept: making one takes longer than a short run.
  std::map<std::pair<int, int>, std::shared_ptr<const engine::Backend>> backends_;
};

// Tokens at every rank, and scores bit by bit. The first task that differs, or -1.
int FirstDifference(const RunResult& a, const RunResult& b);

// Whether two runs of the same searches computed as much, as far as it was counted. How they were
// scheduled has no part in it.
bool SameWork(const RunResult& a, const RunResult& b);

// Seconds of processor time of this thread.
double ThreadSeconds();

// The median of an unsorted list. REQUIRES: not empty.
double Median(std::vector<double> values);

}  // namespace dragoman::bench
