// Divides a device's memory among weights, batch tables, activations and K/V pages. The pages get
// what the others leave. The plan is made before anything is allocated. Sizes are bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/decode/backend.h"
#include "engine/decode/batch.h"
#include "engine/network/program.h"
#include "kernels/base/compute_type.h"
#include "kernels/search/batch_tables.h"

namespace dragoman::engine {

// The largest number of source tokens of an encoder pass, unless one source is longer. It is enough
// to fill the device, and small enough that the first segments of a window reach the decoder soon.
inline constexpr int64_t kEncodeChunkTokens = 8192;

struct MemoryRequest {
  int64_t device_bytes = 0;
  int64_t free_bytes = 0;  // bytes that are free before the engine allocates
  double fraction = 0.9;   // share of device_bytes that may be in use with the engine's allocations
  int multiprocessors = 0;

  Program program;  // the program to run, after JoinCrossLayers if it is used
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  int64_t weight_bytes = 0;
  int64_t encoder_tokens = 0;     // the largest number of source tokens in an encoder pass
  bool fused = false;             // whether there is a fused output layer
  int64_t fused_bytes = 0;        // bytes of the fused output layer and its workspace
  bool quantized_layers = false;  // whether the layers' products are in int8

  BatchConfig batch;
  int64_t kv_bytes = 0;        // bytes for all K/V pages; 0: all memory that remains
  int32_t longest_source = 0;  // number of pages of the longest source
  int default_beam = 1;        // the memory must suffice for a search with this beam
};

struct MemoryLine {
  std::string what;
  int64_t bytes = 0;
};

struct MemoryPlan {
  kernels::BatchLimits limits;
  PagePlan pages;
  std::vector<MemoryLine> lines;
  int64_t total = 0;  // the sum of the bytes of all lines
};

// Returns the number of rows whose logits are in memory at once, for each of the program's outputs.
int64_t LogitRows(const kernels::BatchLimits& limits);

// Returns the number of tokens that the encoder's buffers hold: kEncodeChunkTokens, or the longest
// source if it is longer.
int64_t EncoderTokens(const Program& program);

// Reports whether to compute K and V of cross-attention for all decoder layers by one product
// (JoinCrossLayers). This is so if the product's buffer is a small part of `device_bytes`.
bool JoinsCrossLayers(const Program& program, kernels::ComputeType type, int64_t device_bytes);

// Returns the limits of the batch; the number of pages is not set yet.
kernels::BatchLimits BatchLimitsOf(const MemoryRequest& request);

// Makes the plan. If the memory does not suffice, returns INVALID_ARGUMENT, which lists all lines
// of the plan and says which settings to lower.
absl::StatusOr<MemoryPlan> PlanMemory(const MemoryRequest& request);

// Returns the plan on one line, for the log.
std::string MemoryText(const MemoryPlan& plan);

// The alignment of each int8 weight of the layers' products (setting cuda: layer-products), and of
// its scales, which follow the weight in memory.
inline constexpr int64_t kQuantizedAlignment = 256;

// Return the size of a product's quantized weight with its scales, and the offset of the scales.
int64_t QuantizedWeightBytes(const Program& program, const ProductOp& product);
int64_t QuantizedScalesAt(const Program& program, const ProductOp& product);

// Returns the size of the quantized weights of all products of both stages.
int64_t QuantizedWeightBytes(const Program& program);

// Returns the size of the workspace for the products of a stage with up to `rows` rows: the
// workspace of cuBLASLt, or that of quantized products if it is larger.
int64_t ProductWorkspaceBytes(const Program& program, const OpSequence& stage, int64_t rows,
                              bool quantized);

}  // namespace dragoman::engine
