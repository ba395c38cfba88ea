#include "engine/network/cost_table.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

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

std::vector<StepCost> CostsByName(const OpSequence& stage, const Program& program,
                                  const OpRows& rows) {
  std::vector<StepCost> costs;
  for (const Op& op : stage.ops) {
    auto same = std::find_if(costs.begin(), costs.end(), [&](const StepCost& cost) {
      return std::string_view(cost.name) == op.name;
    });
    if (same == costs.end()) same = costs.insert(costs.end(), {op.name, 0, {}});
    ++same->launches;
    same->cost += CostOf(op, program, rows);
  }
  return costs;
}

double FloorSeconds(const OpCost& cost, const DeviceRates& rates) {
  return std::max(cost.bytes / rates.bytes_per_second, cost.flop / rates.flop_per_second);
}

std::string RowsText(const OpRows& rows, ComputeType type) {
  char line[160];
  std::snprintf(
      line, sizeof(line), "%.0f rows, %.0f slots, %.1f self positions, %.1f source positions, %s\n",
      rows.rows, rows.segments, rows.self_positions, rows.source_positions, ComputeTypeName(type));
  return line;
}

std::string TableText(std::span<const StepCost> costs, const DeviceRates& rates,
                      std::span<const double> seconds) {
  char line[160];
  std::snprintf(line, sizeof(line), "%-18s %8s %10s %10s %10s %10s %8s\n", "operation", "launches",
                "us", "MB", "GFLOP", "floor us", "of floor");
  std::string text = line;
  StepCost all{"step", 0, {}};
  double all_seconds = 0;
  double all_floor = 0;
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
