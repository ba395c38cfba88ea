// The output layer of output_layer.h on a device, with one of two methods. The options of its own
// segment decide a row's method (MayFuse), never its neighbours.
//
//   materialized  cuBLASLt writes f32 logits of at most kChunkRows rows at a time; one pass folds
//                 them (max, sum of exp, threshold top-K up to kMaxTopK, wanted ids). For every
//                 architecture and compute type, and for rows that need materialized logits.
//   fused         float16 and bfloat16: tensor cores go over the vocabulary, and their sums are
//                 folded in registers; logits never reach memory. K up to kMaxFusedTopK. By wgmma
//                 on sm_90a, by mma.sync on cards of 8.x and from 12.0 on.
//
// The fused method can multiply quantized numbers: each hidden row and each row of W is quantized
// to int8 or e4m3 with a scale of its own (quantize_rows.h), and the sums are multiplied by both
// scales. This halves the tensor cores' time and the bytes of W, but changes the scores.
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

// f32 logits of a chunk: 119 MB at 58k tokens.
inline constexpr int kChunkRows = 512;

// The rows of the materialized method, in order. Device memory; written before the layer runs.
struct MaterializedRows {
  const int32_t* rows = nullptr;   // [capacity] rows of the step
  const int32_t* count = nullptr;  // [1]
  int64_t capacity = 0;            // rows that launches are sized for
};

// Folds materialized logits. logits [n, stride] f32, stride >= vocabulary, are those of rows
// list.rows[first + i] without the bias, which is added here (f32; nullptr: none). Requests and
// summaries are as on the CPU. A block of threads sums in an order that only the vocabulary
// decides. If a row's request.logits is not null, its logits with the bias are kept in `logits`,
// and request.logits is set to them. Otherwise the row of `logits` does not change.
Error FoldMaterializedLogits(Stream stream, float* logits, int64_t stride, const float* bias,
                             int vocabulary, const MaterializedRows& list, int64_t first, int64_t n,
                             LogitRequest* requests, LogitSummary* summaries);

// The fused method. One per device and model; immutable after Create.
class FusedOutput {
 public:
  // Uses the current device; allocates and blocks. `weight` [vocabulary, d], 16-byte aligned, is
  // borrowed (a quantized layer keeps its own copy). `bias` [vocabulary] is copied (nullptr: none).
  // Returns nullptr and sets `why` if the device runs no code of it (before 8.0; 10.x; float8
  // before 8.9), the type is f32, or d does not fit: a multiple of 64 up to 1024 on sm_90a, of 32
  // elsewhere; for quantized products of 128 up to 2048 on sm_90a, of 64 elsewhere.
  static std::unique_ptr<FusedOutput> Create(ComputeType type, QuantizedType quantized,
                                             const void* weight, const float* bias, int d,
                                             int vocabulary, std::string* why);
  virtual ~FusedOutput() = default;

  // Returns the type of the numbers that are multiplied; kNone: the compute type.
  virtual QuantizedType products() const = 0;

  // Returns the bytes of device memory that the object owns.
  virtual int64_t bytes() const = 0;

  // Returns the bytes of Fold's workspace for steps of up to max_rows.
  virtual int64_t WorkspaceBytes(int64_t max_rows) const = 0;

  // Folds the rows of the step that may fuse and leaves the summaries of others unchanged. max_k is
  // the largest K of any of them, 0 .. kMaxFusedTopK. It selects the instantiation (4, 8 or 16),
  // which changes the time but no result. hidden: `rows.rows` rows, 128-byte aligned.
  virtual Error Fold(Stream stream, void* workspace, const void* hidden, const StepRows& rows,
                     const SlotView* slots, int max_k, const LogitRequest* requests,
                     LogitSummary* summaries) const = 0;

  // Computes the logits [rows, stride] of quantized products, without the bias, by plain
  // arithmetic: the slow reference for Fold. REQUIRES: products() is not kNone; a workspace for
  // `rows` rows.
  virtual Error StoreLogits(Stream stream, void* workspace, const void* hidden, int64_t rows,
                            float* logits, int64_t stride) const = 0;
};

// FusedOutput::Create for wgmma and for mma.sync.
std::unique_ptr<FusedOutput> CreateHopperOutput(ComputeType type, QuantizedType quantized,
                                                const void* weight, const float* bias, int d,
                                                int vocabulary, std::string* why);
std::unique_ptr<FusedOutput> CreateMmaOutput(ComputeType type, QuantizedType quantized,
                                             const void* weight, const float* bias, int d,
                                             int vocabulary, std::string* why);

}  // namespace dragoman::kernels::cuda
