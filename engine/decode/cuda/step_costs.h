// Lists the launches of a decoding step on a GPU in their order, with the cost of each: the
// smallest possible number of bytes and of arithmetic operations (engine/network/cost_table.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/network/cost_table.h"
#include "engine/network/program.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

// The names of the launches that are not operations of the program. Errors, profiler ranges and
// tables show them.
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
  double self_positions = 0;    // mean number of positions that a row attends to, its own included
  double source_positions = 0;  // mean number of source positions of a slot
  int64_t fused_rows = 0;
  int64_t materialized_rows = 0;
  bool gathered = false;  // whether kGather runs before kLogits (kernels/ops/gather_rows.h)
  bool aligned = false;   // whether a row may need its alignment
};

// Returns one element for each name of a launch, in the order of the launches. It is the cost of
// all launches with this name, in all layers together.
std::vector<StepCost> CostsOf(const StepWork& work);

// Returns the step's size, the device's rates and the table of costs as text. `seconds` has the
// measured time of one step for each element of CostsOf.
std::string CostTable(const StepWork& work, const DeviceRates& rates,
                      std::span<const double> seconds);

}  // namespace dragoman::engine
