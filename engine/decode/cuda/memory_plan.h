// Divides a device's memory among weights, batch tables, activations and K/V pages, which get the
// rest. The plan precedes all allocations. Pure. Sizes are bytes.
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

// The most source tokens of an encoder pass: enough to fill the device, and few enough that the
// first segments of a window reach the decoder soon.
inline constexpr int64_t kEncodeChunkTokens = 8192;

struct MemoryRequest {
  int64_t device_bytes = 0;
  int64_t free_bytes = 0;  // before the engine allocates
  double fraction = 0.9;   // of device_bytes that may be in use after the engine's allocations
  int multiprocessors = 0;

  Program program;  // the one to run, with cross-attention K/V joined or not
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  int64_t weight_bytes = 0;
  int64_t encoder_tokens = 0;     // of a pass
  bool fused = false;             // the fused output layer runs
  int64_t fused_bytes = 0;        // of the fused output layer, including its workspace
  bool quantized_layers = false;  // the products of the layers are in int8

  BatchConfig batch;
  int64_t kv_bytes = 0;        // of all pages; 0: all remaining memory
  int32_t longest_source = 0;  // pages of the longest source
  int default_beam = 1;        // the memory must suffice for a search of this beam
};

struct MemoryLine {
  std::string what;
  int64_t bytes = 0;
};

struct MemoryPlan {
  kernels::BatchLimits limits;
  PagePlan pages;
  std::vector<MemoryLine> lines;
  int64_t total = 0;  // the sum of the lines
};

// Returns how many rows of logits are in memory at once for each of the program's outputs.
int64_t LogitRows(const kernels::BatchLimits& limits);

// Returns the capacity of the encoder's buffers in tokens: a chunk, or a longer source.
int64_t EncoderTokens(const Program& program);

// Reports whether the K/V of all decoder layers become one product (JoinCrossLayers). They do if
// its buffer is a small part of `device_bytes`.
bool JoinsCrossLayers(const Program& program, kernels::ComputeType type, int64_t device_bytes);

// Returns the limits of the batch, except its pages.
kernels::BatchLimits BatchLimitsOf(const MemoryRequest& request);

// If the memory does not suffice, INVALID_ARGUMENT has all lines and says what to lower.
absl::StatusOr<MemoryPlan> PlanMemory(const MemoryRequest& request);

// Returns the plan on one line, for the log.
std::string MemoryText(const MemoryPlan& plan);

// The alignment of each quantized weight of the layers' products in int8 (setting cuda:
// layer-products), and of its scales, which follow it.
inline constexpr int64_t kQuantizedAlignment = 256;

// Return the size of a product's quantized weight with its scales, and the offset of the scales.
int64_t QuantizedWeightBytes(const Program& program, const ProductOp& product);
int64_t QuantizedScalesAt(const Program& program, const ProductOp& product);

// Returns the size of the quantized weights of all products of both stages.
int64_t QuantizedWeightBytes(const Program& program);

// Returns the workspace of a stage's products of up to `rows` rows: that of cuBLASLt, or that of
// quantized products if it is larger.
int64_t ProductWorkspaceBytes(const Program& program, const OpSequence& stage, int64_t rows,
                              bool quantized);

}  // namespace dragoman::engine
