// How a mailbox's arrays lie in one block of memory.
//
// Pure: with no memory it measures.
#pragma once

#include <cstdint>

#include "kernels/search/batch_tables.h"
#include "kernels/search/step_mailbox.h"

namespace dragoman {

// Sets the pointers and capacities of `mailbox` (nullptr memory: the capacities) and returns the
// bytes, a multiple of 256. memory: aligned to 256 bytes.
//
// A command has room for all that can be admitted at once: words for every slot and for all rules
// that the tables hold. An output has room for the largest result of one slot, and beside it 128
// words for every row, which is what a step in which every slot ends with 30 tokens needs; what
// does not fit waits for a later step.
int64_t CarveMailbox(const BatchLimits& limits, void* memory, StepMailbox* mailbox);

}  // namespace dragoman
