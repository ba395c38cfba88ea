// Runs tasks through the production parts of a worker in one thread: request queue, encoder worker,
// encoded queue, policy, decode loop. All tasks are encoded first; then the loop runs until no task
// is left. So every run does the same work.
//
// On the CPU a run's time is the thread's processor time, because other programs affect it less
// than wall time. On a device it is wall time: the loop waits for every step and ends after reading
// the last. A device does not report RunResult's optional members, so they are unset.
//
// Not thread-safe. The caller owns the results.
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
  // Self pages for each row of max_rows. Waiting wide slots keep theirs.
  int pages_per_row = 6;
};

// Positions that attention read, and those that a padded implementation would also read.
struct Positions {
  int64_t read = 0;
  int64_t padding = 0;  // counted, not run

  double PaddingShare() const {
    return static_cast<double>(padding) / static_cast<double>(padding + read);
  }
};

struct RunResult {
  std::vector<std::vector<engine::DecodedHypothesis>> nbest;  // by task
  int64_t steps = 0;                                          // that ran at least one slot
  int64_t row_steps = 0;                                      // rows that the decoder computed
  std::vector<int64_t> live;                                  // [n]: steps in which n segments ran
  double encode_seconds = 0;
  double decode_seconds = 0;

  // Expansions as counted by Yang et al., including hypotheses that only propose themselves.
  std::optional<int64_t> expansions;
  // With padding, every row is as long as the longest of the step (self), and every source as long
  // as the longest source of the step (cross).
  std::optional<Positions> self, cross;

  double RowsPerStep() const { return static_cast<double>(row_steps) / static_cast<double>(steps); }
  double Occupancy(int max_rows) const { return RowsPerStep() / max_rows; }
};

// Makes the backend of a device for batches of this shape.
using MakeBackend = std::function<absl::StatusOr<std::shared_ptr<const engine::Backend>>(
    const engine::BatchConfig& batch)>;

class Runner {
 public:
  // Runs on the CPU. Borrows the model.
  explicit Runner(const BenchModel* model) : model_(model) {}
  // Runs on a device.
  Runner(const BenchModel* model, MakeBackend make) : model_(model), make_(std::move(make)) {}

  const BenchModel& model() const { return *model_; }
  bool on_cpu() const { return make_ == nullptr; }

  // Ends the program if a task fails. REQUIRES: every task's beam is at most config.max_rows.
  RunResult Run(const RunConfig& config, const std::vector<Task>& tasks);

 private:
  struct Parts;
  Parts MakeOnCpu(const engine::BatchConfig& shape, const engine::PagePlan& pages,
                  RunResult* result) const;
  Parts MakeOnDevice(const engine::BatchConfig& shape, const engine::PagePlan& pages);

  const BenchModel* const model_;
  const MakeBackend make_;  // empty: the CPU
  // Backends by rows and lanes. Cached, because creating one takes longer than a short run.
  std::map<std::pair<int, int>, std::shared_ptr<const engine::Backend>> backends_;
};

// Compares tokens at every rank, and scores bit by bit. Returns the first task that differs, or -1.
int FirstDifference(const RunResult& a, const RunResult& b);

// Reports whether two runs did the same work, as far as it was counted. Ignores the schedule.
bool SameWork(const RunResult& a, const RunResult& b);

// Returns the processor time of this thread in seconds.
double ThreadSeconds();

// Returns the median of an unsorted list. REQUIRES: not empty.
double Median(std::vector<double> values);

}  // namespace dragoman::bench
