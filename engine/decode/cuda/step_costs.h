// The launches of a decoding step in their order, and what each must move and compute at least.
//
// Pure. Bytes are those of memory, each operand read or written once (what a cache keeps between
// launches counts again); flop are multiply-adds times two, with little of norms and softmax. An
// operation that is not counted (decision text, tables) has neither.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/model_spec.h"
#include "kernels/base/compute_type.h"

namespace dragoman {

enum class StepOp : uint8_t {
  kBegin,
  kAsk,
  kEmbed,
  // Each in every layer.
  kQueryKeyValue,
  kSelfAttention,
  kSelfOutput,
  kSelfNorm,
  kCrossQuery,
  kAlign,
  kCrossAttention,
  kCrossOutput,
  kCrossNorm,
  kUp,
  kDown,
  kFeedForwardNorm,
  // The output layer, by one way or both.
  kFused,
  kGather,
  kLogits,
  kFoldLogits,
  kFoldStored,
  kStepSlots,
  kDeliver,
  kEnd,
};
inline constexpr int kStepOps = static_cast<int>(StepOp::kEnd) + 1;

// What errors, ranges and tables call it.
const char* StepOpName(StepOp op);

struct StepWork {
  ModelShape shape;
  ComputeType type = ComputeType::kFloat32;
  int64_t rows = 0;
  int64_t slots = 0;
  double self_positions = 0;    // that a row attends over, its own among them; the mean
  double source_positions = 0;  // of a slot; the mean
  int64_t fused_rows = 0;
  int64_t stored_rows = 0;
  bool gathered = false;  // stored rows are copied together first
};

struct StepCost {
  int64_t launches = 0;
  double bytes = 0;
  double flop = 0;
};

// Of all launches of `op` in one step.
StepCost CostOf(StepOp op, const StepWork& work);

struct DeviceRates {
  double bytes_per_second = 0;  // copied, read and written both counted
  double flop_per_second = 0;   // of matrix products of the compute type
};

// The least time for it, in seconds.
double FloorSeconds(const StepCost& cost, const DeviceRates& rates);

// One line for each operation that ran: launches, time, bytes, flop, floor, floor / time; then the
// sum. `seconds` of one step.
std::string CostTable(const StepWork& work, const DeviceRates& rates,
                      const std::array<double, kStepOps>& seconds);

}  // namespace dragoman
