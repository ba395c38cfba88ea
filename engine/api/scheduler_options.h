// The settings of the scheduler: when waiting segments enter the running batch, which slots run in
// a step, and the order of the encoder. engine/schedule/policy.h applies them.
//
// Plain data. The settings change when a segment is translated, never its translation. The rules
// are SEARCH.md a.4 (VAR-STREAM, Yang et al. 2020) and c (top-up batching, Amun).
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "kernels/search/plan_rules.h"

namespace dragoman::engine {

// When a refill begins if something waits. `live` and the capacity n are in units of CapacityUnit.
enum class RefillRule : uint8_t {
  kContinuous,  // whenever there is room (top-up "any" of c)
  kStream,      // live <= eps * n
  kHalfEmpty,   // 2 * live <= n
  kStatic,      // no segment is live: mini-batches
};

// The unit in which the capacity counts the segments in slots.
enum class CapacityUnit : uint8_t {
  kRows,  // its beam while a segment waits or has just begun, later the rows that it has
  kSegments,
  kSourceTokens,
};

// The order in which the encoder hands over the segments of a window. The encoded queue behind it
// pops in the order of FairQueue, and keeps this order within a client and priority.
enum class WindowOrder : uint8_t {
  kArrival,
  kLongestFirst,   // maxi-batching, if a window is several batches
  kShortestFirst,  // the order of the VAR-STREAM program
};

// The most that the encoder takes at a time.
struct EncodeWindow {
  int64_t segments = 64;
  int64_t tokens = 8192;
  WindowOrder order = WindowOrder::kLongestFirst;
};

struct SchedulerOptions {
  RefillRule refill = RefillRule::kContinuous;
  CapacityUnit unit = CapacityUnit::kRows;
  int64_t capacity = 0;  // n; 0: the batch's max_rows, as rows or as segments
  // The eps of kStream, an exact rational in [0, 1].
  int64_t eps_num = 1;
  int64_t eps_den = 6;
  kernels::SlotSelection selection = kernels::SlotSelection::kAll;
  int32_t width_budget = 0;                // rows of a step; 0: max_rows
  int32_t max_pause = kernels::kMaxPause;  // steps; 0: a segment may pause forever
  int32_t lanes = 0;  // hypotheses in slots, running or paused; 0: 8 * max_rows
  EncodeWindow window;
};

// Checks the settings. INVALID_ARGUMENT names the setting, what was found and what is expected.
absl::Status CheckSchedulerOptions(const SchedulerOptions& options, int max_rows);

}  // namespace dragoman::engine
