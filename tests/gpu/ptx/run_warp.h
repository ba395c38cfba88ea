// Runs a turn of a warp: some of its instructions, until it waits.
#pragma once

#include "tests/gpu/ptx/block.h"

namespace dragoman::ptx {

// Runs at most `instructions` instructions. Sets warp.turn to what ended the turn. REQUIRES: the
// warp is live and does not wait at a barrier. Throws Fault.
void RunTurn(Warp& warp, int instructions);

}  // namespace dragoman::ptx
