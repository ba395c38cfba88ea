// The output layer on a device: what output_layer.h computes, by one of two ways.
//
//   materialized   cuBLASLt writes f32 logits of at most kChunkRows rows at a time, one pass folds them
//            (max, sum of exp, threshold top-K up to kMaxTopK, wanted ids). Every architecture and
//            compute type; the way of rows whose logits are needed whole.
//   fused    float16 and bfloat16: tensor cores go over the vocabulary, their sums are folded in
//            registers; logits never reach memory. K up to kMaxFusedTopK. By wgmma on sm_90a, by
//            mma.sync on cards of 8.x and from 12.0 on.
//   quantized   the fused way with products of one byte a number, where it is asked for: each hidden row
//            and each row of W is quantized to int8 or e4m3 with a scale of its own (quantize_rows.h), the
//            sums are multiplied by both scales, and bias and fold are as ever. Half the tensor cores'
//            time and half the bytes of W; other scores than those of the compute type.
//
// Which way a row goes depends on the options of its own segment (MayFuse), never on its
// neighbours.
//
// hidden [rows, d], W [vocabulary, d] of the compute type; bias [vocabulary] f32, may hold -inf.
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

// The rows that go the materialized way, in order. Device memory; written by the step before the output
// layer runs.
struct MaterializedRows {
  const int32_t* rows = nullptr;   // [capacity] rows of the step
  const int32_t* count = nullptr;  // [1]
  int64_t capacity = 0;            // launches are made for so many
};

// Folds materialized logits. logits [n, stride] f32, stride >= vocabulary, are those of rows
// list.rows[first + i], without the bias, which is added here (f32, may be nullptr: none); each
// row's request says what is wanted, its summary has memory for it. Masks, scale, normaliser as on
// the CPU; sums by a block of threads in an order fixed by the vocabulary alone. A row with
// request.logits not null keeps its logits, with the bias, in `logits`, and request.logits is set
// to them; of other rows `logits` is left as it is.
Error FoldMaterializedLogits(Stream stream, float* logits, int64_t stride, const float* bias,
                             int vocabulary, const MaterializedRows& list, int64_t first, int64_t n,
                             LogitRequest* requests, LogitSummary* summaries);

// The fused way. One per device and model; immutable after Create.
class FusedOutput {
 public:
  // `weight` [vocabulary, d], 16-byte aligned, is borrowed (a quantized layer keeps its own); `bias`
  // [vocabulary] is copied (nullptr: none). The device is the current one; allocates and waits.
  // nullptr, and why, where the device runs no code of it (before 8.0; 10.x; float8 before 8.9), the
  // type is f32, or d does not fit the code: a multiple of 64 up to 1024 on sm_90a, any multiple of 32
  // elsewhere; of quantized products 128 up to 2048, and any multiple of 64.
  static std::unique_ptr<FusedOutput> Create(ComputeType type, QuantizedType quantized,
                                             const void* weight, const float* bias, int d,
                                             int vocabulary, std::string* why);
  virtual ~FusedOutput() = default;

  // The type of the numbers that the products multiply; kNone: the compute type.
  virtual QuantizedType products() const = 0;

  // Bytes of device memory that it holds itself.
  virtual int64_t bytes() const = 0;

  // Bytes of Fold's workspace, for steps of up to max_rows.
  virtual int64_t WorkspaceBytes(int64_t max_rows) const = 0;

  // Folds the rows of the step that may fuse; the others' summaries are left alone. max_k: the
  // largest K of any of them, 0 .. kMaxFusedTopK, which chooses the instantiation (4, 8 or 16): it
  // changes the time, never a result. hidden: `rows.rows` rows, 128-byte aligned.
  virtual Error Fold(Stream stream, void* workspace, const void* hidden, const StepRows& rows,
                     const SlotView* slots, int max_k, const LogitRequest* requests,
                     LogitSummary* summaries) const = 0;

  // The logits, without the bias, of quantized products by plain arithmetic: what Fold is held to. Of
  // the vocabulary's columns; logits [rows, stride]. Slow. REQUIRES: products() is not kNone; a
  // workspace for `rows` rows.
  virtual Error StoreLogits(Stream stream, void* workspace, const void* hidden, int64_t rows,
                            float* logits, int64_t stride) const = 0;
};

// FusedOutput::Create of each of the two kinds of code: wgmma's and mma.sync's.
std::unique_ptr<FusedOutput> CreateHopperOutput(ComputeType type, QuantizedType quantized,
                                                const void* weight, const float* bias, int d,
                                                int vocabulary, std::string* why);
std::unique_ptr<FusedOutput> CreateMmaOutput(ComputeType type, QuantizedType quantized,
                                             const void* weight, const float* bias, int d,
                                             int vocabulary, std::string* why);

}  // namespace dragoman::kernels::cuda
