// The launches of a decoding step in their order, and the least bytes and operations of each: sums
// over the program (engine/network/cost_table.h) and the step's own launches. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/network/cost_table.h"
#include "engine/network/program.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

// The names of the launches that are not operations of the program, for errors, ranges and tables.
namespace step_op {
inline constexpr char kBegin[] = "begin step";
inline constexpr char kPrepare[] = "prepare rows";
// The output layer: fused, materialized, or both.
inline constexpr char kFused[] = "fused output";
inline constexpr char kGather[] = "gather rows";
inline constexpr char kLogits[] = "logits";
inline constexpr char kFoldLogits[] = "fold logits";
inline constexpr char kFoldMaterialized[] = "fold materialized rows";
inline constexpr char kStepSlots[] = "beam step";
inline constexpr char kDeliver[] = "deliver";
inline constexpr char kEnd[] = "end step";
}  // namespace step_op

struct StepWork {
  const Program* program = nullptr;
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  int64_t rows = 0;
  int64_t slots = 0;
  double self_positions = 0;    // mean positions that a row attends to, including its own
  double source_positions = 0;  // mean source positions of a slot
  int64_t fused_rows = 0;
  int64_t materialized_rows = 0;
  bool gathered = false;  // materialized rows are first copied together
  bool aligned = false;   // some row may need its alignment
};

// Returns one cost for each name, in the order of the launches. All layers of an operation are one.
std::vector<StepCost> CostsOf(const StepWork& work);

// Returns the step's size, the rates and the table. `seconds` of a step are in CostsOf's order.
std::string CostTable(const StepWork& work, const DeviceRates& rates,
                      std::span<const double> seconds);

}  // namespace dragoman::engine
