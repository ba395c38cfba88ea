// The least that an operation must move and compute, in one place. Tables of costs, floors and
// estimates are sums of these over a program.
//
// Pure. Bytes are those of memory, each operand read or written once (what a cache keeps between
// operations counts again); flop are multiply-adds times two, with little of norms and softmax.
#pragma once

#include <cstdint>

#include "engine/network/program.h"

namespace dragoman {

struct OpCost {
  double bytes = 0;
  double flop = 0;

  OpCost& operator+=(const OpCost& other) {
    bytes += other.bytes;
    flop += other.flop;
    return *this;
  }
};

// The size of the pass or step that an operation runs in.
struct OpRows {
  double rows = 0;
  double segments = 0;          // whose rows they are: slots of a step, segments of a pass
  double self_positions = 0;    // that a row of a step attends over, its own among them; the mean
  double source_positions = 0;  // of a segment; the mean
  double element_bytes = 4;     // of an activation
  double weight_bytes = 4;      // of an element of a matrix or an embedding table
  double kv_bytes = 4;          // of an element of the attention memory
};

// Alignment counts as nothing: few rows ask for it. Of the output layer: its logits, not stored.
OpCost CostOf(const Op& op, const Program& program, const OpRows& rows);

}  // namespace dragoman
