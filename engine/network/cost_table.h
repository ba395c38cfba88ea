// The least bytes and flop of operations, and the table that dragoman_profile prints for every
// device: these costs by name with the measured times. Floors and estimates are sums of these
// costs.
//
// Pure. Bytes are memory traffic: each operand is read or written once per operation, even if a
// cache keeps it between operations. Flop are multiply-adds times two, with small numbers for norms
// and softmax. Uncounted work (code of the search, tables) has neither.
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
  double segments = 0;          // of the rows: slots of a step, segments of a pass
  double self_positions = 0;    // that a row attends over in a step, with its own; the mean
  double source_positions = 0;  // mean of a segment
  double element_bytes = 4;     // of an activation
  double weight_bytes = 4;      // of an element of a matrix or an embedding table
  double kv_bytes = 4;          // of an element of the attention memory
};

// Returns the cost of an operation. Alignment costs nothing, because few rows ask for it. For the
// output layer it covers the logits, without storing them.
OpCost CostOf(const Op& op, const Program& program, const OpRows& rows);

// All launches of one name in one step.
struct StepCost {
  const char* name = "";
  int64_t launches = 0;
  OpCost cost;
};

// Returns one cost for each name, in the order of the operations.
std::vector<StepCost> CostsByName(const OpSequence& stage, const Program& program,
                                  const OpRows& rows);

// The best rates of a device, measured.
struct DeviceRates {
  double bytes_per_second = 0;  // of a copy, counting both read and written bytes
  double flop_per_second = 0;   // of matrix products of the compute type
};

// Returns the least time for `cost`, in seconds.
double FloorSeconds(const OpCost& cost, const DeviceRates& rates);

// Returns the line above a table: the size of the step.
std::string RowsText(const OpRows& rows, kernels::ComputeType type);

// Returns a line of headings; a line for each name that ran with launches, time, bytes, flop, floor
// and floor / time; and the sum. `seconds` are those of one step, in the order of `costs`.
std::string TableText(std::span<const StepCost> costs, const DeviceRates& rates,
                      std::span<const double> seconds);

}  // namespace dragoman::engine
