// Aligns target tokens to source positions: finds the source position that a row attends to most in
// cross-attention.
//
//   q [rows.count, d]: the layer's cross-attention queries; d = layout.width()
//   tables: as for CrossAttention (cross_attention.h)
//
// The result for a row depends only on that row, its source and the weights.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels {

// A request to align one row of the step. The position is chosen by the mean of the attention
// weights of the chosen heads of one layer.
struct AlignRow {
  int32_t row = 0;
  int32_t layer = 0;
  uint64_t heads = ~uint64_t{0};  // bit h chooses head h
};

// Returns the number of floats of scratch that each thread needs for sources of up to `max_source`
// positions.
size_t AlignScratch(int64_t max_source);

// `wanted` has `count` entries. Aligns the rows of those whose layer is `layer`: sets aligned[i]
// for entry i to the source position with the largest attention weight. The last position, EOS, is
// not considered. Of equal weights the leftmost position is taken. For a source of EOS alone,
// aligned[i] is 0. REQUIRES: `heads` of each entry chooses a head that exists.
void AlignRows(OpContext& context, const KvLayout& layout, int layer, const DecodeRows& rows,
               const CrossKvTables& tables, const float* q, const AlignRow* wanted, int64_t count,
               uint16_t* aligned);

namespace cuda {

// Aligns the rows whose slot asks for the alignment of `layer` (SearchOptions::align,
// alignment_layer, alignment_heads). Writes the source position to LaneArrays::aligned at the row's
// lane and position. Takes little more time than an empty launch if no row asks. `slots` is indexed
// by slot number. q is as for cuda::CrossAttention.
Error AlignRows(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                const StepRows& rows, const CrossKvTables& tables, const SlotView* slots,
                const void* q);

}  // namespace cuda
}  // namespace dragoman::kernels
