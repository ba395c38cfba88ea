// The rules for the plan of a step (plan.h). They decide only when a translation is made.
#pragma once

#include <cstdint>

namespace dragoman::kernels {

// The default limit of the steps for which a slot pauses. It pauses longer only if pages or rows
// are lacking.
inline constexpr int kMaxPause = 64;

// Which slots run, and in which order they are taken.
enum class SlotSelection : uint8_t {
  kAll,       // every live slot, in the order of admission
  kShortest,  // only the slots of the least length, in the order of admission; the others pause
  kLongest,   // every live slot, the longest first (FIFO in Yang et al.)
};

struct PlanRules {
  SlotSelection selection = SlotSelection::kAll;
  int32_t width_budget = 0;       // limit of a step's rows; 0: no limit
  int32_t max_pause = kMaxPause;  // limit of pauses, in steps; 0: no limit
};

}  // namespace dragoman::kernels
