#include "engine/decode/cuda/step_costs.h"

#include <algorithm>
#include <cstdio>

namespace dragoman {
namespace {

constexpr const char* kNames[] = {
    "begin step",   "ask rows",    "embedding",       "query, key, value", "self-attention",
    "self output",  "self norm",   "cross query",     "alignment",         "cross-attention",
    "cross output", "cross norm",  "feed-forward up", "feed-forward down", "feed-forward norm",
    "fused output", "gather rows", "logits",          "fold logits",       "fold stored rows",
    "beam step",    "deliver",     "end step"};
static_assert(std::size(kNames) == kStepOps);

// A product of `rows` rows: weights once, operands once.
StepCost Product(const StepWork& w, double rows, double in, double out, double launches) {
  const auto element = static_cast<double>(ElementBytes(w.type));
  return {static_cast<int64_t>(launches), launches * element * (in * out + rows * (in + out)),
          launches * 2 * rows * in * out};
}

// A norm reads the sublayer and the residual and writes one row.
StepCost Norm(const StepWork& w, double launches) {
  const auto elements = static_cast<double>(w.rows * w.shape.d_model);
  return {static_cast<int64_t>(launches),
          launches * 3 * elements * static_cast<double>(ElementBytes(w.type)),
          launches * 8 * elements};
}

void AppendLine(std::string* text, const char* name, const StepCost& cost, double seconds,
                double floor) {
  char line[160];
  std::snprintf(line, sizeof(line), "%-18s %8lld %10.1f %10.2f %10.2f %10.1f %6.0f %%\n", name,
                static_cast<long long>(cost.launches), seconds * 1e6, cost.bytes / 1e6,
                cost.flop / 1e9, floor * 1e6, seconds > 0 ? 100 * floor / seconds : 0.0);
  *text += line;
}

}  // namespace

const char* StepOpName(StepOp op) { return kNames[static_cast<int>(op)]; }

StepCost CostOf(StepOp op, const StepWork& w) {
  const auto d = static_cast<double>(w.shape.d_model);
  const auto ffn = static_cast<double>(w.shape.decoder_ffn);
  const auto layers = static_cast<double>(w.shape.decoder_layers);
  const auto vocabulary = static_cast<double>(w.shape.target_vocab);
  const auto rows = static_cast<double>(w.rows);
  const auto stored = static_cast<double>(w.stored_rows);
  const auto element = static_cast<double>(ElementBytes(w.type));
  const int64_t any_stored = w.stored_rows > 0 ? 1 : 0;
  switch (op) {
    case StepOp::kBegin:
    case StepOp::kAsk:
    case StepOp::kStepSlots:
    case StepOp::kDeliver:
    case StepOp::kEnd:
      return {1, 0, 0};
    case StepOp::kFoldStored:
      return {any_stored, 0, 0};
    case StepOp::kAlign:
      return {w.shape.decoder_layers, 0, 0};
    case StepOp::kEmbed:
      return {1, 2 * rows * d * element, 2 * rows * d};
    case StepOp::kQueryKeyValue:
      return Product(w, rows, d, 3 * d, layers);
    case StepOp::kSelfAttention:
      // q, k, v in, k and v appended, the K/V of all positions, the context out. What the rows of
      // a slot share is counted for each of them.
      return {w.shape.decoder_layers,
              layers * rows * d * element * (3 + 2 + 2 * w.self_positions + 1),
              layers * rows * d * 4 * w.self_positions};
    case StepOp::kCrossAttention:
      // The K/V of a source once for all rows of its slot.
      return {
          w.shape.decoder_layers,
          layers * d * element * (2 * rows + 2 * static_cast<double>(w.slots) * w.source_positions),
          layers * rows * d * 4 * w.source_positions};
    case StepOp::kSelfOutput:
    case StepOp::kCrossQuery:
    case StepOp::kCrossOutput:
      return Product(w, rows, d, d, layers);
    case StepOp::kSelfNorm:
    case StepOp::kCrossNorm:
    case StepOp::kFeedForwardNorm:
      return Norm(w, layers);
    case StepOp::kUp:
      return Product(w, rows, d, ffn, layers);
    case StepOp::kDown:
      return Product(w, rows, ffn, d, layers);
    case StepOp::kFused: {
      const auto fused = static_cast<double>(w.fused_rows);
      if (w.fused_rows == 0) return {};
      return {1, element * d * (vocabulary + fused), 2 * fused * d * vocabulary};
    }
    case StepOp::kGather:
      return w.gathered ? StepCost{any_stored, 2 * stored * d * element, 0} : StepCost{};
    case StepOp::kLogits:
      if (w.stored_rows == 0) return {};
      return {1, element * d * (vocabulary + stored) + 4 * stored * vocabulary,
              2 * stored * d * vocabulary};
    case StepOp::kFoldLogits:
      return {any_stored, 4 * stored * vocabulary, 0};
  }
  return {};
}

double FloorSeconds(const StepCost& cost, const DeviceRates& rates) {
  return std::max(cost.bytes / rates.bytes_per_second, cost.flop / rates.flop_per_second);
}

std::string CostTable(const StepWork& work, const DeviceRates& rates,
                      const std::array<double, kStepOps>& seconds) {
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
  StepCost all;
  double all_seconds = 0;
  double all_floor = 0;
  for (int i = 0; i < kStepOps; ++i) {
    const auto op = static_cast<StepOp>(i);
    const StepCost cost = CostOf(op, work);
    const double took = seconds[static_cast<size_t>(i)];
    if (cost.launches == 0 && took == 0) continue;
    const double floor = FloorSeconds(cost, rates);
    AppendLine(&text, StepOpName(op), cost, took, floor);
    all.launches += cost.launches;
    all.bytes += cost.bytes;
    all.flop += cost.flop;
    all_seconds += took;
    all_floor += floor;
  }
  AppendLine(&text, "step", all, all_seconds, all_floor);
  return text;
}

}  // namespace dragoman
