// The rules by which the plan of a step (plan.h) chooses the slots that run. They decide when a
// segment is translated, not what its translation is.
#pragma once

#include <cstdint>

namespace dragoman::kernels {

// The default of PlanRules::max_pause. A slot pauses for more steps only if pages or rows are
// lacking.
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
  int32_t max_pause = kMaxPause;  // limit of the steps that a slot pauses; 0: no limit
};

}  // namespace dragoman::kernels
