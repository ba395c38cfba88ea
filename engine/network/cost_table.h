// The operations of a step by their names, what each must move and compute at least (costs.h), and
// what it took: the table that dragoman_profile prints, for every device.
//
// Pure. What is not counted (code of the search, tables) has neither bytes nor flop.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/network/costs.h"
#include "engine/network/program.h"
#include "kernels/base/compute_type.h"

namespace dragoman {

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
std::string RowsText(const OpRows& rows, ComputeType type);

// A line of headings; one line for each name that ran: launches, time, bytes, flop, floor, floor /
// time; then the sum. `seconds` of one step, in the order of `costs`.
std::string TableText(std::span<const StepCost> costs, const DeviceRates& rates,
                      std::span<const double> seconds);

}  // namespace dragoman
