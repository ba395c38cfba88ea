// How a device's memory is divided: weights, tables of the batch, activations, and all that is left
// into pages of K/V. Known before anything is allocated, so that what does not fit is refused with
// the arithmetic.
//
// Pure; sizes are bytes.
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

// Source tokens of one pass of the encoder: enough to fill the device, few enough that the first
// segments of a window reach the decoder soon.
inline constexpr int64_t kEncodeChunkTokens = 8192;

struct MemoryRequest {
  int64_t device_bytes = 0;
  int64_t free_bytes = 0;  // before the engine took any
  double fraction = 0.9;   // of device_bytes, that may be in use when the engine has taken its own
  int multiprocessors = 0;

  Program program;  // as it is to be run: its cross-attention K/V joined or not
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  int64_t weight_bytes = 0;
  int64_t encoder_tokens = 0;     // of a pass
  bool fused = false;             // the fused output layer runs
  int64_t fused_bytes = 0;        // of it, its workspace among them
  bool quantized_layers = false;  // the products of the layers are in int8

  BatchConfig batch;
  int64_t kv_bytes = 0;        // of all pages; 0: all that is left
  int32_t longest_source = 0;  // pages of the longest source
  int default_beam = 1;        // its search must be able to run
};

struct MemoryLine {
  std::string what;
  int64_t bytes = 0;
};

struct MemoryPlan {
  kernels::BatchLimits limits;
  PagePlan pages;
  std::vector<MemoryLine> lines;
  int64_t total = 0;  // their sum
};

// Rows of logits that are in memory at once, of each of the program's outputs.
int64_t LogitRows(const kernels::BatchLimits& limits);

// Tokens that the encoder's buffers hold: a chunk, or a source of the longest kind.
int64_t EncoderTokens(const Program& program);

// Whether the K/V of all decoder layers are to be one product (JoinCrossLayers): where its buffer
// is a small part of `device_bytes`.
bool JoinsCrossLayers(const Program& program, kernels::ComputeType type, int64_t device_bytes);

// The batch that the request describes, but for its pages.
kernels::BatchLimits BatchLimitsOf(const MemoryRequest& request);

// INVALID_ARGUMENT, line by line and with what to lower, when the memory does not suffice.
absl::StatusOr<MemoryPlan> PlanMemory(const MemoryRequest& request);

// The plan on one line, for the log.
std::string MemoryText(const MemoryPlan& plan);

}  // namespace dragoman::engine
