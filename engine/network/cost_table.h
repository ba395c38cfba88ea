// The least that an operation must move and compute, and the operations of a step by their names, with
// that and with what they took: the table that dragoman_profile prints, for every device. Floors and
// estimates are sums of these costs over a program.
//
// Pure. Bytes are those of memory, each operand read or written once (what a cache keeps between
// operations counts again); flop are multiply-adds times two, with little of norms and softmax. What is
// not counted (code of the search, tables) has neither bytes nor flop.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/network/program.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

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

// All launches of one name in one step.
struct StepCost {
  const char* name = "";
  int64_t launches = 0;
  OpCost cost;
};

// One for each name, in the order of the operations; one of every layer has its name once.
std::vector<StepCost> CostsByName(const OpSequence& stage, const Program& program,
                                  const OpRows& rows);

// The best rates of a device, measured.
struct DeviceRates {
  double bytes_per_second = 0;  // copied, read and written both counted
  double flop_per_second = 0;   // of matrix products of the compute type
};

// The least time for it, in seconds.
double FloorSeconds(const OpCost& cost, const DeviceRates& rates);

// The line above a table: what the step was made on.
std::string RowsText(const OpRows& rows, kernels::ComputeType type);

// A line of headings; one line for each name that ran: launches, time, bytes, flop, floor, floor /
// time; then the sum. `seconds` of one step, in the order of `costs`.
std::string TableText(std::span<const StepCost> costs, const DeviceRates& rates,
                      std::span<const double> seconds);

}  // namespace dragoman::engine
