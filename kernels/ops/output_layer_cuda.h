// Computes the output layer of output_layer.h on a GPU. There are two methods. Which of them
// computes a row depends on the options of the row's own segment (MayFuse), never on other rows.
//
//   materialized  cuBLASLt writes f32 logits of at most kChunkRows rows at a time. One pass folds
//                 them to a summary: (max, sum of exp), the K best tokens by a threshold, K up to
//                 kMaxTopK, and the logits of wanted ids (kernels/search/row.h). For every
//                 architecture and compute type, and for rows that need materialized logits.
//   fused         float16 and bfloat16: tensor cores go over the vocabulary, and a row's logits are
//                 folded in registers; they never reach memory. K up to kMaxFusedTopK. By wgmma on
//                 sm_90a, by mma.sync on cards of 8.x and from 12.0 on.
//
// The fused method can multiply quantized numbers. Each row of `hidden` and each row of W is
// quantized to int8 or e4m3 with its own scale (quantize_rows.h), and each sum is multiplied by
// both scales. This halves the tensor cores' time and the bytes of W, but changes the scores.
//
// hidden [rows, d], W [vocabulary, d] of the compute type; bias [vocabulary] f32, may contain -inf.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/base/compute_type.h"
#include "kernels/base/kv_pages.h"
#include "kernels/cuda/launch.h"
#include "kernels/ops/linear_cuda.h"
#include "kernels/search/options.h"
#include "kernels/search/row.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels::cuda {

// The largest number of rows whose logits are materialized at a time. Their f32 logits take 119 MB
// with a vocabulary of 58,000 tokens.
inline constexpr int kChunkRows = 512;

// The rows of a step that the materialized method computes, in ascending order. The arrays are in
// device memory and are written before the layer runs.
struct MaterializedRows {
  const int32_t* rows = nullptr;   // [capacity] row numbers in the step
  const int32_t* count = nullptr;  // [1] how many entries of `rows` are valid
  int64_t capacity = 0;            // the number of rows that launches are sized for
};

// Folds materialized logits, that is, reduces each row of them to a summary. `logits` is [n,
// stride] f32, with stride >= vocabulary. Its row i has the logits of row list.rows[first + i] of
// the step, without the bias. This function adds the bias (f32; nullptr: none). Requests and
// summaries are as on the CPU. A block of threads sums in an order that depends on the vocabulary
// only. If a row's request.logits is not null, the row of `logits` receives the logits with the
// bias, and request.logits is set to point to it. Otherwise the row of `logits` does not change.
Error FoldMaterializedLogits(Stream stream, float* logits, int64_t stride, const float* bias,
                             int vocabulary, const MaterializedRows& list, int64_t first, int64_t n,
                             LogitRequest* requests, LogitSummary* summaries);

// The fused method. Each model on a device has its own object, which is immutable after Create.
class FusedOutput {
 public:
  // Uses the current device. Allocates memory and waits for the device. `weight` [vocabulary, d],
  // aligned to 16 bytes, is borrowed, unless products are quantized: then the object makes a
  // quantized copy. `bias` [vocabulary] is copied (nullptr: none). Returns nullptr and sets `why`
  // in these cases:
  // * the device's compute capability has no code of this method: below 8.0, 10.x, and below 8.9
  //   for float8 products
  // * the type is f32
  // * d does not fit. It must be a multiple of 64 up to 1024 on sm_90a, and of 32 elsewhere. For
  //   quantized products it must be a multiple of 128 up to 2048 on sm_90a, and of 64 elsewhere.
  static std::unique_ptr<FusedOutput> Create(ComputeType type, QuantizedType quantized,
                                             const void* weight, const float* bias, int d,
                                             int vocabulary, std::string* why);
  virtual ~FusedOutput() = default;

  // Returns the type of the numbers that products multiply; kNone means the compute type.
  virtual QuantizedType products() const = 0;

  // Returns the number of bytes of device memory that the object owns.
  virtual int64_t bytes() const = 0;

  // Returns the number of bytes of Fold's workspace for steps of up to max_rows rows.
  virtual int64_t WorkspaceBytes(int64_t max_rows) const = 0;

  // Folds the rows of the step that may fuse (MayFuse) and leaves the summaries of other rows
  // unchanged. max_k is the largest K of any row that may fuse, 0 .. kMaxFusedTopK. It selects the
  // kernel, which keeps lists of 4, 8 or 16 candidates. This changes the time but no result.
  // `hidden` has rows.rows rows and is aligned to 128 bytes.
  virtual Error Fold(Stream stream, void* workspace, const void* hidden, const StepRows& rows,
                     const SlotView* slots, int max_k, const LogitRequest* requests,
                     LogitSummary* summaries) const = 0;

  // Computes the logits [rows, stride] by plain arithmetic on the quantized numbers, without the
  // bias. It is slow. Its results serve to check those of Fold. REQUIRES: products() is not kNone;
  // the workspace is large enough for `rows` rows.
  virtual Error StoreLogits(Stream stream, void* workspace, const void* hidden, int64_t rows,
                            float* logits, int64_t stride) const = 0;
};

// Implement FusedOutput::Create: CreateHopperOutput with the instruction wgmma, CreateMmaOutput
// with mma.sync.
std::unique_ptr<FusedOutput> CreateHopperOutput(ComputeType type, QuantizedType quantized,
                                                const void* weight, const float* bias, int d,
                                                int vocabulary, std::string* why);
std::unique_ptr<FusedOutput> CreateMmaOutput(ComputeType type, QuantizedType quantized,
                                             const void* weight, const float* bias, int d,
                                             int vocabulary, std::string* why);

}  // namespace dragoman::kernels::cuda
