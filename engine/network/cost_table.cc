#include "engine/network/cost_table.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <variant>

namespace dragoman::engine {
namespace {

class Coster {
 public:
  Coster(const Program& program, const OpRows& rows)
      : program_(program), r_(rows), width_(program.kv.width()) {}

  OpCost operator()(const EmbedOp& op) const {
    const double elements = r_.rows * Cols(op.table);
    return {elements * (r_.weight_bytes + r_.element_bytes), 2 * elements};
  }

  OpCost operator()(const ProductOp& op) const {
    return Product(Cols(op.weight), static_cast<double>(op.rows));
  }

  OpCost operator()(const GateOp& op) const {
    const double elements = r_.rows * static_cast<double>(op.width);
    return {3 * elements * r_.element_bytes, 20 * elements};
  }

  // Reads x and, if there is one, the residual. Writes y and, if there is one, the sum.
  OpCost operator()(const AddNormOp& op) const {
    const double elements = r_.rows * Cols(op.gain);
    const int rows = 2 + (op.residual != kNoBuffer ? 1 : 0) + (op.sum != kNoBuffer ? 1 : 0);
    return {rows * elements * r_.element_bytes, (op.kind == NormKind::kRms ? 5 : 8) * elements};
  }

  // Reads q, k, v and writes the context. Counts K and V of a segment once, because they stay in
  // cache from query to query.
  OpCost operator()(const EncoderAttentionOp& op) const {
    const double width = static_cast<double>(op.heads) * op.head_dim;
    return {r_.rows * width * r_.element_bytes * (3 + 1),
            r_.rows * width * 4 * r_.source_positions};
  }

  OpCost operator()(const WriteCrossKvOp& op) const {
    return {r_.rows * 2 * width_ * op.layers * (r_.element_bytes + r_.kv_bytes), 0};
  }

  // Reads q, k, v of the row and K, V of all its positions; writes k, v and the context. Counts
  // positions that several hypotheses share once for each row.
  OpCost operator()(const SelfAttentionOp&) const {
    return {
        r_.rows * width_ * (r_.element_bytes * (3 + 1) + r_.kv_bytes * (2 + 2 * r_.self_positions)),
        r_.rows * width_ * 4 * r_.self_positions};
  }

  // Reads gate, x and the old state; writes the new state and y. States are float32.
  OpCost operator()(const RecurrenceOp&) const {
    constexpr double kStateBytes = 4;
    const double elements = r_.rows * width_;
    return {elements * (r_.element_bytes * (2 + 1) + kStateBytes * 2), elements * 8};
  }

  OpCost operator()(const AlignOp&) const { return {}; }

  // Counts K and V of a source once for all rows of its slot together.
  OpCost operator()(const CrossAttentionOp&) const {
    return {width_ * (r_.element_bytes * 2 * r_.rows +
                      r_.kv_bytes * 2 * r_.segments * r_.source_positions),
            r_.rows * width_ * 4 * r_.source_positions};
  }

  OpCost operator()(const OutputOp& op) const {
    const auto vocabulary = static_cast<double>(program_.weight(op.table).rows);
    return {Cols(op.table) * (r_.weight_bytes * vocabulary + r_.element_bytes * r_.rows),
            2 * r_.rows * Cols(op.table) * vocabulary};
  }

  OpCost operator()(const EnsembleOutputOp& op) const {
    OpCost cost;
    for (const OutputOp& member : op.members) cost += (*this)(member);
    return cost;
  }

 private:
  double Cols(WeightId id) const { return static_cast<double>(program_.weight(id).cols); }

  // Counts each weight and each element of input and output once.
  OpCost Product(double in, double out) const {
    return {r_.weight_bytes * in * out + r_.element_bytes * r_.rows * (in + out),
            2 * r_.rows * in * out};
  }

  const Program& program_;
  const OpRows& r_;
  const double width_;
};

void AppendLine(std::string* text, const StepCost& cost, double seconds, double floor) {
  char line[160];
  std::snprintf(line, sizeof(line), "%-18s %8lld %10.1f %10.2f %10.2f %10.1f %6.0f %%\n", cost.name,
                static_cast<long long>(cost.launches), seconds * 1e6, cost.cost.bytes / 1e6,
                cost.cost.flop / 1e9, floor * 1e6, seconds > 0 ? 100 * floor / seconds : 0.0);
  *text += line;
}

}  // namespace

OpCost CostOf(const Op& op, const Program& program, const OpRows& rows) {
  return std::visit(Coster(program, rows), op.what);
}

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

std::string RowsText(const OpRows& rows, kernels::ComputeType type) {
  char line[160];
  std::snprintf(line, sizeof(line),
                "%.0f rows, %.0f slots, %.1f self positions, %.1f source positions, %s\n",
                rows.rows, rows.segments, rows.self_positions, rows.source_positions,
                kernels::ComputeTypeName(type));
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

}  // namespace dragoman::engine
