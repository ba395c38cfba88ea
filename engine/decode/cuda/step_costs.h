// The launches of a decoding step in their order, and what each must move and compute at least:
// sums over the program (engine/network/cost_table.h), with the step's own launches around them.
//
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/network/cost_table.h"
#include "engine/network/program.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

// The names, in errors, ranges and tables, of the launches that are not operations of the program.
namespace step_op {
inline constexpr char kBegin[] = "begin step";
inline constexpr char kPrepare[] = "prepare rows";
// The output layer, by one way or both.
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
  double self_positions = 0;    // that a row attends over, its own among them; the mean
  double source_positions = 0;  // of a slot; the mean
  int64_t fused_rows = 0;
  int64_t materialized_rows = 0;
  bool gathered = false;  // materialized rows are copied together first
  bool aligned = false;   // some row may ask for its alignment
};

// One for each name, in the order of the launches; an operation of every layer is one of them.
std::vector<StepCost> CostsOf(const StepWork& work);

// The size of the step, the rates, and the table. `seconds` of one step, in the order of CostsOf.
std::string CostTable(const StepWork& work, const DeviceRates& rates,
                      std::span<const double> seconds);

}  // namespace dragoman::engine
