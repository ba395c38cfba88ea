// One run of tasks through the production pieces of a worker, in one thread and without a clock:
// request queue, encoder worker, encoded queue, policy, decode loop. Everything is encoded first;
// then the loop runs until nothing is left. What a run does is therefore the same every time, and
// its time is the thread's processor time, which other programs disturb less than they do a clock
// on the wall.
//
// Not thread-safe. The results belong to the caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/decode/batch.h"
#include "engine/schedule/scheduler_options.h"
#include "tests/bench/search/bench_model.h"

namespace dragoman::bench {

struct RunConfig {
  int max_rows = 256;
  SchedulerOptions scheduler;
  // Self pages for each row of max_rows; wide slots that wait hold theirs.
  int pages_per_row = 6;
};

struct RunResult {
  std::vector<std::vector<DecodedHypothesis>> nbest;  // by task
  int64_t steps = 0;
  int64_t row_steps = 0;   // rows that the decoder computed
  int64_t expansions = 0;  // as Yang et al. count them: with those that stand for themselves
  // Positions that attention read, and what a padded implementation would have read besides: every
  // row as long as the longest of the step (self), every source as long as the longest of the step
  // (cross). Counted, not run.
  int64_t self_positions = 0, self_padding = 0;
  int64_t cross_positions = 0, cross_padding = 0;
  std::vector<int64_t> live;  // [n]: steps in which n segments ran
  double encode_seconds = 0;  // processor time
  double decode_seconds = 0;

  double Occupancy(int max_rows) const {
    return static_cast<double>(row_steps) / (static_cast<double>(steps) * max_rows);
  }
  double SelfPadding() const { return Share(self_padding, self_positions); }
  double CrossPadding() const { return Share(cross_padding, cross_positions); }

 private:
  static double Share(int64_t padding, int64_t real) {
    return static_cast<double>(padding) / static_cast<double>(padding + real);
  }
};

// Ends the program when a task fails. REQUIRES: every task's beam is at most config.max_rows.
RunResult RunTasks(const BenchModel& model, const RunConfig& config,
                   const std::vector<Task>& tasks);

// Tokens at every rank, and scores bit by bit. The first task that differs, or -1.
int FirstDifference(const RunResult& a, const RunResult& b);

// Seconds of processor time of this thread.
double ThreadSeconds();

// Of an unsorted list. REQUIRES: not empty.
double Median(std::vector<double> values);

}  // namespace dragoman::bench
