// Self-attention of one decoding step in one layer. Appends K and V of each row's new position to
// its lane's page, then attends over positions 0 .. position of the row's hypothesis.
//
//   qkv [rows.count, 3 * d]: q | k | v of the new position; d = layout.width()
//   bias: added to the scores; has columns for distances -(n - 1) .. 0, n the longest hypothesis
//   context_out [rows.count, d]
//
// The ancestry table gives the lane that wrote each earlier position. Its entry for the new
// position is not read. Every row attends over the positions of its own hypothesis only, in an
// order that depends on these positions alone.
//
// Rows with the same (slot, lane) are successive positions of one hypothesis. Each row also attends
// over the new positions of the rows before it. Its result has the same bits as if it came alone,
// in a later call.
//
// REQUIRES:
// * Rows with the same (slot, lane) are adjacent and their positions follow each other.
// * The rows of a slot are all at one position, or all of one lane. So no row writes K or V that a
//   row of another lane reads.
// * Pages exist for all positions up to the new one.
#pragma once

#include "kernels/base/compute_type.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/op_context.h"
#include "kernels/base/relative_bias.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

void DecodeSelfAttention(OpContext& context, const KvLayout& layout, int layer,
                         const DecodeRows& rows, const SelfKvTables& tables, const float* qkv,
                         float* context_out, const RelativeBias& bias = {});

namespace cuda {

// DecodeSelfAttention on a device. qkv, pages and context_out are of the compute type. Does not
// read rows.slots and rows.first_row. If rows.pages is not null, the kernel reads page numbers from
// it instead of looking them up in `tables`. Both must give the same pages. REQUIRES: head_dim is a
// multiple of 8, at most 128; arrays of the compute type are aligned to 16 bytes.
Error DecodeSelfAttention(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                          const StepRows& rows, const SelfKvTables& tables, const void* qkv,
                          void* context_out, const RelativeBias& bias = {});

}  // namespace cuda
}  // namespace dragoman::kernels
