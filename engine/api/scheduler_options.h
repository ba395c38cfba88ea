// The settings of the scheduler: when waiting segments enter the running batch, which slots run in
// a step, and the order of the encoder. engine/schedule/policy.h applies them.
//
// Plain data. The settings change the time at which a segment is translated, never its translation.
// The rules come from SEARCH.md a.4 (VAR-STREAM, Yang et al. 2020) and SEARCH.md c (top-up
// batching, Amun).
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "kernels/search/plan_rules.h"

namespace dragoman::engine {

// Decides when a refill begins, that is, when waiting segments may enter the batch. `live` is the
// size of all segments in slots, in units of CapacityUnit. n is SchedulerOptions::capacity.
enum class RefillRule : uint8_t {
  kContinuous,  // always (top-up "any" in SEARCH.md c)
  kStream,      // live <= eps * n
  kHalfEmpty,   // 2 * live <= n
  kStatic,      // no segment is live: mini-batches
};

// The unit in which SchedulerOptions::capacity is measured.
enum class CapacityUnit : uint8_t {
  // A segment counts with its beam until it has made its first steps, then with its live rows.
  kRows,
  kSegments,
  kSourceTokens,
};

// The order in which the encoder pushes the segments of a window into the encoded queue. FairQueue
// reorders clients and priorities there, so this order holds only among segments of the same client
// and priority.
enum class WindowOrder : uint8_t {
  kArrival,
  kLongestFirst,   // maxi-batching, if the window is larger than a batch
  kShortestFirst,  // the order of the VAR-STREAM program
};

// A window is the group of segments that the encoder takes at a time. These are its limits.
struct EncodeWindow {
  int64_t segments = 64;
  int64_t tokens = 8192;
  WindowOrder order = WindowOrder::kLongestFirst;
};

struct SchedulerOptions {
  RefillRule refill = RefillRule::kContinuous;
  CapacityUnit unit = CapacityUnit::kRows;
  int64_t capacity = 0;  // n, in units of `unit`; 0: max_rows, not allowed with kSourceTokens
  // The eps of kStream, an exact rational in [0, 1].
  int64_t eps_num = 1;
  int64_t eps_den = 6;
  kernels::SlotSelection selection = kernels::SlotSelection::kAll;
  int32_t width_budget = 0;                // the most rows of a step; 0: max_rows
  int32_t max_pause = kernels::kMaxPause;  // in steps; 0: a segment may pause forever
  int32_t lanes = 0;  // the most hypotheses in slots, running and paused together; 0: 8 * max_rows
  EncodeWindow window;
};

// Checks the settings. INVALID_ARGUMENT names the setting, what was found and what is expected.
absl::Status CheckSchedulerOptions(const SchedulerOptions& options, int max_rows);

}  // namespace dragoman::engine
