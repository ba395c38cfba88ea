// The rules of a policy for the plan of a step (plan.h). Plain data. They never decide anything
// about a translation, only when it is made.
#pragma once

#include <cstdint>

namespace dragoman::kernels {

// No slot pauses longer, in steps: but for want of pages, and unless more slots are due than fit.
inline constexpr int kMaxPause = 64;

// Which slots run, and in which order they are taken.
enum class SlotSelection : uint8_t {
  kAll,       // every live slot, as admitted
  kShortest,  // those of the least length, as admitted; the others pause
  kLongest,   // every live slot, the longest first (FIFO)
};

struct PlanRules {
  SlotSelection selection = SlotSelection::kAll;
  int32_t width_budget = 0;       // rows of a step; 0: as many as there are
  int32_t max_pause = kMaxPause;  // steps; 0: no bound
};

}  // namespace dragoman::kernels
