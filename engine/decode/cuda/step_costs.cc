#include "engine/decode/cuda/step_costs.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <variant>

namespace dragoman {
namespace {

void AppendLine(std::string* text, const StepCost& cost, double seconds, double floor) {
  char line[160];
  std::snprintf(line, sizeof(line), "%-18s %8lld %10.1f %10.2f %10.2f %10.1f %6.0f %%\n", cost.name,
                static_cast<long long>(cost.launches), seconds * 1e6, cost.cost.bytes / 1e6,
                cost.cost.flop / 1e9, floor * 1e6, seconds > 0 ? 100 * floor / seconds : 0.0);
  *text += line;
}

}  // namespace

std::vector<StepCost> CostsOf(const StepWork& w) {
  const Program& program = *w.program;
  const OpRows rows{static_cast<double>(w.rows), static_cast<double>(w.slots), w.self_positions,
                    w.source_positions, static_cast<double>(ElementBytes(w.type))};
  std::vector<StepCost> costs = {{step_op::kBegin, 1, {}}, {step_op::kPrepare, 1, {}}};
  for (const Op& op : program.decoder.ops) {
    if (std::holds_alternative<OutputOp>(op.what)) continue;
    auto same = std::find_if(costs.begin(), costs.end(), [&](const StepCost& cost) {
      return std::string_view(cost.name) == op.name;
    });
    if (same == costs.end()) same = costs.insert(costs.end(), {op.name, 0, {}});
    ++same->launches;
    same->cost += CostOf(op, program, rows);
  }

  const auto output = [&](int64_t of) {
    OpRows some = rows;
    some.rows = static_cast<double>(of);
    return CostOf(program.decoder.ops.back(), program, some);
  };
  const auto width = static_cast<double>(program.weight(program.output().table).cols);
  const auto stored = static_cast<double>(w.stored_rows);
  // The f32 logits of the stored rows, written once and read once.
  const double logits = sizeof(float) * stored * static_cast<double>(program.vocabulary());
  const int64_t any = w.stored_rows > 0 ? 1 : 0;
  costs.push_back({step_op::kFused, w.fused_rows > 0 ? 1 : 0,
                   w.fused_rows > 0 ? output(w.fused_rows) : OpCost{}});
  costs.push_back({step_op::kGather,
                   w.gathered ? any : 0,
                   {w.gathered ? 2 * stored * width * rows.element_bytes : 0, 0}});
  OpCost product = any > 0 ? output(w.stored_rows) : OpCost{};
  product.bytes += logits;
  costs.push_back({step_op::kLogits, any, product});
  costs.push_back({step_op::kFoldLogits, any, {logits, 0}});
  costs.push_back({step_op::kFoldStored, any, {}});
  for (const char* name : {step_op::kStepSlots, step_op::kDeliver, step_op::kEnd}) {
    costs.push_back({name, 1, {}});
  }
  return costs;
}

double FloorSeconds(const OpCost& cost, const DeviceRates& rates) {
  return std::max(cost.bytes / rates.bytes_per_second, cost.flop / rates.flop_per_second);
}

std::string CostTable(const StepWork& work, const DeviceRates& rates,
                      std::span<const double> seconds) {
  char line[200];
  std::snprintf(line, sizeof(line),
                "%lld rows, %lld slots, %.1f self positions, %.1f source positions, %s\n"
                "copy %.2f TB/s, matrix products %.1f TFLOP/s\n",
                static_cast<long long>(work.rows), static_cast<long long>(work.slots),
                work.self_positions, work.source_positions, ComputeTypeName(work.type),
                rates.bytes_per_second / 1e12, rates.flop_per_second / 1e12);
  std::string text = line;
  std::snprintf(line, sizeof(line), "%-18s %8s %10s %10s %10s %10s %8s\n", "operation", "launches",
                "us", "MB", "GFLOP", "floor us", "of floor");
  text += line;
  StepCost all{"step", 0, {}};
  double all_seconds = 0;
  double all_floor = 0;
  const std::vector<StepCost> costs = CostsOf(work);
  for (size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].launches == 0 && seconds[i] == 0) continue;
    const double floor = FloorSeconds(costs[i].cost, rates);
    AppendLine(&text, costs[i], seconds[i], floor);
    all.launches += costs[i].launches;
    all.cost += costs[i].cost;
    all_seconds += seconds[i];
    all_floor += floor;
  }
  AppendLine(&text, all, all_seconds, all_floor);
  return text;
}

}  // namespace dragoman
