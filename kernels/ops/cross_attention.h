// Cross-attention. The encoder writes the K/V of a segment's source into pages once. The decoder
// reads them for all rows of the segment's slot.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

// Writes the K/V of layers first_layer .. first_layer + layer_count - 1.
//
//   kv [tokens, layer_count * 2 * d]: for each layer k | v of a source token; d = layout.width()
//   offsets [segments + 1]: segment i has tokens offsets[i] .. offsets[i + 1] - 1; offsets[0] = 0
//   page_offsets [segments + 1], pages: page j of segment i is pages[page_offsets[i] + j], for
//     j < PagesFor(its length)
//
// In the last page of a segment, positions after the segment's end become zeros.
void WriteCrossKv(OpContext& context, const KvLayout& layout, int first_layer, int layer_count,
                  const float* kv, const int32_t* offsets, int64_t segments,
                  const int32_t* page_offsets, const int32_t* pages, void* pool);

// context_out[r] = softmax(q[r] K^T / sqrt(head_dim)) V over the source of the row's slot.
//
//   q, context_out [rows.count, d]; rows.lane and rows.position are not read (may be nullptr)
void CrossAttention(OpContext& context, const KvLayout& layout, int layer, const DecodeRows& rows,
                    const CrossKvTables& tables, const float* q, float* context_out);

namespace cuda {

// WriteCrossKv on a device. All arrays are in device memory; kv and pool are of the compute type;
// page_count is the number of pages of all segments. REQUIRES, here and for CrossAttention:
// head_dim is a multiple of 8, at most 128; arrays of the compute type are aligned to 16 bytes.
Error WriteCrossKv(Stream stream, ComputeType type, const KvLayout& layout, int first_layer,
                   int layer_count, const void* kv, const int32_t* offsets, int64_t segments,
                   const int32_t* page_offsets, const int32_t* pages, int64_t page_count,
                   void* pool);

// CrossAttention on a device. Adjacent rows of a slot share their loads. Every row sums over the
// source in one fixed order, whatever the other rows are. Does not read rows.slots and
// rows.first_row. REQUIRES: from each row of a slot to the next, rows.lane goes up by one, or all
// lanes are 0 (kernels/search/plan.h).
Error CrossAttention(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                     const StepRows& rows, const CrossKvTables& tables, const void* q,
                     void* context_out);

}  // namespace cuda
}  // namespace dragoman::kernels
