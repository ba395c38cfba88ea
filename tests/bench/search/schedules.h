// The compared schedules, for a batch of n segments of k hypotheses.
//
// Pure functions.
#pragma once

#include <string>

#include "tests/bench/search/run.h"

namespace dragoman::bench {

struct Schedule {
  std::string name;
  RunConfig config;
};

// n segments in slots, as the rule admits them, and n * k rows. No segment pauses for lack of rows.
inline RunConfig OfSegments(engine::RefillRule refill, engine::WindowOrder order, int n, int k,
                            int64_t window_segments) {
  RunConfig config;
  config.max_rows = n * k;
  config.scheduler.refill = refill;
  config.scheduler.unit = engine::CapacityUnit::kSegments;
  config.scheduler.capacity = n;
  config.scheduler.window = {window_segments, int64_t{1} << 40, order};
  return config;
}

// VAR-STREAM (SEARCH.md a.4) with this refill threshold.
inline RunConfig Streaming(int n, int k, int64_t all, int64_t eps_den,
                           kernels::SlotSelection selection = kernels::SlotSelection::kShortest) {
  RunConfig config =
      OfSegments(engine::RefillRule::kStream, engine::WindowOrder::kShortestFirst, n, k, all);
  config.scheduler.eps_den = eps_den;
  config.scheduler.selection = selection;
  return config;
}

// Streaming with four times the segments in slots. A step runs those that fit into n * k rows.
inline RunConfig WidthBudget(int n, int k, int64_t all) {
  RunConfig config = Streaming(4 * n, k, all, 6, kernels::SlotSelection::kAll);
  config.scheduler.width_budget = n * k;
  config.pages_per_row = 3;
  return config;
}

// The server's default: limits rows, and admits any segment that fits.
inline RunConfig TopUpByRows(int n, int k, engine::WindowOrder order, int64_t window_segments) {
  RunConfig config;
  config.max_rows = n * k;
  config.scheduler.window = {window_segments, int64_t{1} << 40, order};
  return config;
}

}  // namespace dragoman::bench
