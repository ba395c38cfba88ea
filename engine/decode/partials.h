// How much of a running search is settled: the tokens that every hypothesis which can still become
// the translation begins with (architecture.md, "Partials").
#pragma once

#include <cstdint>

#include "kernels/decide/slot.h"

namespace dragoman {

// The number of real tokens that all hypotheses which can still win share, by lineage.
// Only the best finished hypothesis can still win: what ends later either beats it or does not, the
// others never. Never less than `from`, the answer of an earlier step of the same segment.
// REQUIRES: the slot is running.
int32_t SettledTokens(const SlotView& slot, int32_t from);

}  // namespace dragoman
