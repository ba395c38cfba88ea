#include "engine/decode/cuda/step_costs.h"

#include <cstdio>
#include <string_view>
#include <variant>

namespace dragoman::engine {
namespace {

// On a GPU, weights, activations and K/V pages all have the compute type.
OpRows RowsOf(const StepWork& w) {
  const auto bytes = static_cast<double>(kernels::ElementBytes(w.type));
  return {static_cast<double>(w.rows),
          static_cast<double>(w.slots),
          w.self_positions,
          w.source_positions,
          bytes,
          bytes,
          bytes};
}

}  // namespace

std::vector<StepCost> CostsOf(const StepWork& w) {
  const Program& program = *w.program;
  const OpRows rows = RowsOf(w);
  std::vector<StepCost> costs = {{step_op::kBegin, 1, {}}, {step_op::kPrepare, 1, {}}};
  for (const StepCost& cost : CostsByName(program.decoder, program, rows)) costs.push_back(cost);
  costs.pop_back();  // the output layer, which has its own launches
  for (const Op& op : program.decoder.ops) {
    if (w.aligned || !std::holds_alternative<AlignOp>(op.what)) continue;
    for (StepCost& cost : costs) {
      if (cost.name == std::string_view(op.name)) cost = {cost.name, 0, {}};
    }
  }

  const auto output = [&](int64_t of) {
    OpRows some = rows;
    some.rows = static_cast<double>(of);
    return CostOf(program.decoder.ops.back(), program, some);
  };
  const auto width = static_cast<double>(program.weight(program.output().table).cols);
  const auto materialized = static_cast<double>(w.materialized_rows);
  // The bytes of the f32 logits of the materialized rows, which are written once and read once.
  const double logits = sizeof(float) * materialized * static_cast<double>(program.vocabulary()) *
                        static_cast<double>(program.outputs().size());
  const int64_t any = w.materialized_rows > 0 ? 1 : 0;
  costs.push_back({step_op::kFused, w.fused_rows > 0 ? 1 : 0,
                   w.fused_rows > 0 ? output(w.fused_rows) : OpCost{}});
  costs.push_back({step_op::kGather,
                   w.gathered ? any : 0,
                   {w.gathered ? 2 * materialized * width * rows.element_bytes : 0, 0}});
  OpCost product = any > 0 ? output(w.materialized_rows) : OpCost{};
  product.bytes += logits;
  costs.push_back({step_op::kLogits, any, product});
  costs.push_back({step_op::kFoldLogits, any, {logits, 0}});
  costs.push_back({step_op::kFoldMaterialized, any, {}});
  for (const char* name : {step_op::kStepSlots, step_op::kDeliver, step_op::kEnd}) {
    costs.push_back({name, 1, {}});
  }
  return costs;
}

std::string CostTable(const StepWork& work, const DeviceRates& rates,
                      std::span<const double> seconds) {
  char line[80];
  std::snprintf(line, sizeof(line), "copy %.2f TB/s, matrix products %.1f TFLOP/s\n",
                rates.bytes_per_second / 1e12, rates.flop_per_second / 1e12);
  return RowsText(RowsOf(work), work.type) + line + TableText(CostsOf(work), rates, seconds);
}

}  // namespace dragoman::engine
