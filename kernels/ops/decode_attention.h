// Self-attention of one decoding step in one layer. Appends K and V of each row's new position to
// its lane's page, then attends over positions 0 .. position of the row's hypothesis.
//
//   qkv [rows.count, 3 * d]: q | k | v of the new position; d = layout.width()
//   bias: added to the scores; has columns for distances -(n - 1) .. 0, n the longest hypothesis
//   context_out [rows.count, d]
//
// The ancestry table gives the lanes of earlier positions; its entry for the new position is not
// read. Every row attends over its own length, in an order that only the positions decide.
//
// Rows with the same (slot, lane) are of one hypothesis. Each also attends over the new positions
// of the rows before it, and has the same bits as in a later call of its own.
//
// REQUIRES: rows with the same (slot, lane) are adjacent and their positions follow each other. No
// row of another lane writes what a row reads at earlier positions, so the rows of a slot are at
// one position, or of one lane. Pages exist for all positions up to the new one.
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

// The same on a device: qkv, pages and context_out are of the compute type. Does not read the slots
// of `rows`. If rows.pages is not null, it replaces lanes and ancestry and must agree with them;
// the bits are the same. REQUIRES: head_dim is a multiple of 8, at most 128; arrays of the compute
// type are aligned to 16 bytes.
Error DecodeSelfAttention(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                          const StepRows& rows, const SelfKvTables& tables, const void* qkv,
                          void* context_out, const RelativeBias& bias = {});

}  // namespace cuda
}  // namespace dragoman::kernels
