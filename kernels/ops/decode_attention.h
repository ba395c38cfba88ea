// Self-attention of one decoding step in one layer: appends K and V of each row's new position to
// its lane's page, then attends over positions 0 .. position of the row's hypothesis.
//
//   qkv [rows.count, 3 * d]: q | k | v of the new position; d = layout.width()
//   bias: added to the scores, with columns for distances from 1 - the longest hypothesis to 0
//   context_out [rows.count, d]
//
// Earlier positions are found through the ancestry table; its entry for the new position is not
// read. Every row attends over its own length, in an order fixed by the positions alone.
//
// Rows that share (slot, lane) are of one hypothesis: each attends over the new positions of those
// before it as well, with the bits that it would have in a call of its own after theirs.
//
// REQUIRES: rows that share (slot, lane) are adjacent and their positions follow each other; what a
// row reads at earlier positions is not written by a row of another lane (so: the rows of a slot are
// at one position, or of one lane); pages exist for all positions up to the new one.
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

// The same on a device: qkv, pages and context_out are of the compute type. The list of slots in
// `rows` is not read. Where rows.pages is there, it is read in place of lanes and ancestry, and
// must say the same: the bits are the same then. REQUIRES: head_dim is a multiple of 8, at most
// 128; arrays of the compute type are aligned to 16 bytes.
Error DecodeSelfAttention(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                          const StepRows& rows, const SelfKvTables& tables, const void* qkv,
                          void* context_out, const RelativeBias& bias = {});

}  // namespace cuda
}  // namespace dragoman::kernels
