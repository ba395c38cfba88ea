// Runs segments of token ids through a worker on cuda:0 (queue, encoder and running batch, without
// text processing) and measures when they end.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/decode/backend.h"
#include "engine/model/families/model_spec.h"

namespace dragoman::bench {

struct WorkerRun {
  int max_rows = 1024;
  int64_t capacity = 0;  // rows of the segments in the batch, some of which may pause; 0: max_rows
  int beam = 4;
  int source_tokens = 30;
  int target_tokens = 30;  // of every hypothesis, which can end neither earlier nor later
  int64_t segments = 0;
  int64_t in_flight = 0;  // maximum; 0: all at once
  // The measured time begins when this many segments have ended. It ends when all but `after` have.
  int64_t before = 0;
  int64_t after = 0;
};

struct WorkerTimes {
  int64_t segments = 0;  // segments that ended within the measured time
  double seconds = 0;
  int64_t steps = 0;
  double rows_per_step = 0;

  double SegmentsPerSecond() const { return static_cast<double>(segments) / seconds; }
};

// REQUIRES: `backend` was made for the run's max_rows and PositionsOf(run).
absl::StatusOr<WorkerTimes> RunWorker(const WorkerRun& run, const engine::ModelSpec& spec,
                                      const engine::Backend& backend);

// The number of input positions that the batch of a run needs.
inline int PositionsOf(const WorkerRun& run) { return run.target_tokens + 2; }

}  // namespace dragoman::bench
