// Alignment by cross-attention: the source position that a row attends to most.
//
//   q [rows.count, d]: the layer's cross-attention queries; d = layout.width()
//   tables: as CrossAttention (cross_attention.h)
//
// A row's answer depends only on that row, its source and the weights.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels {

// A row of the step whose alignment is wanted, by the mean of the chosen heads of one layer.
struct AlignRow {
  int32_t row = 0;
  int32_t layer = 0;
  uint64_t heads = ~uint64_t{0};  // bit h: head h
};

// Returns the floats of scratch that a context needs for sources of up to `max_source` positions.
size_t AlignScratch(int64_t max_source);

// Aligns the rows of `wanted` [count] that ask for `layer`. Sets aligned[i] to the source position
// with the largest attention weight, without the source's last position (EOS); ties go to the left.
// A source of EOS alone gives 0. REQUIRES: a chosen head exists.
void AlignRows(OpContext& context, const KvLayout& layout, int layer, const DecodeRows& rows,
               const CrossKvTables& tables, const float* q, const AlignRow* wanted, int64_t count,
               uint16_t* aligned);

namespace cuda {

// Aligns the rows whose slot asks for the alignment of `layer` (SearchOptions::align,
// alignment_layer, alignment_heads). Writes the source position to LaneArrays::aligned at the row's
// lane and position. Almost free without such rows. slots: by slot number. q as for
// cuda::CrossAttention.
Error AlignRows(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                const StepRows& rows, const CrossKvTables& tables, const SlotView* slots,
                const void* q);

}  // namespace cuda
}  // namespace dragoman::kernels
