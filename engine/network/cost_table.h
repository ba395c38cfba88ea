// Computes the cost of operations: the least bytes and flop that they need. Also prints the table
// of dragoman_profile, which compares these costs with the measured times of the operations.
//
// The functions have no side effects. Bytes are memory traffic: each operand counts once per
// operation, even if a cache keeps it between operations. A multiply-add counts as two flop. The
// flop of norms and softmax are rough. The work of the beam search is not counted.
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
  double segments = 0;        // number of segments to which the rows belong
  double self_positions = 0;  // mean number of positions that a row attends over, its own included
  double source_positions = 0;  // mean number of source tokens of a segment
  double element_bytes = 4;     // bytes of an element of an activation
  double weight_bytes = 4;      // bytes of an element of a matrix or an embedding table
  double kv_bytes = 4;          // bytes of an element of K or V in a page
};

// Returns the cost of an operation. The cost of an AlignOp is 0, because few rows need it. The cost
// of the output layer includes the product that computes the logits, but no memory traffic for
// storing them.
OpCost CostOf(const Op& op, const Program& program, const OpRows& rows);

// The cost of all operations of one name in one step. An operation is a launch on a GPU.
struct StepCost {
  const char* name = "";
  int64_t launches = 0;
  OpCost cost;
};

// Returns one StepCost for each operation name, in the order in which the names first occur.
std::vector<StepCost> CostsByName(const OpSequence& stage, const Program& program,
                                  const OpRows& rows);

// The highest rates that were measured on a device.
struct DeviceRates {
  double bytes_per_second = 0;  // bytes read plus bytes written, in a copy
  double flop_per_second = 0;   // flop in matrix products of the compute type
};

// Returns the least time that a device with these rates needs for `cost`, in seconds.
double FloorSeconds(const OpCost& cost, const DeviceRates& rates);

// Returns the line above a table, which says the size of the step.
std::string RowsText(const OpRows& rows, kernels::ComputeType type);

// Returns the table as text: a line of headings, a line for each operation name with a measured
// time above 0, and a line with the sum. The columns are launches, time, bytes, flop, floor
// (FloorSeconds) and floor / time. `seconds` has the measured time of one step for each entry of
// `costs`.
std::string TableText(std::span<const StepCost> costs, const DeviceRates& rates,
                      std::span<const double> seconds);

}  // namespace dragoman::engine
