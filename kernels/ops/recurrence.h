// The simpler simple recurrent unit of one decoding step in one layer (Kim et al. 2019), which some
// decoders have in place of self-attention:
//
//   state = f * previous position's state + (1 - f) * x, f = sigmoid(gate);  y = max(0, state)
//
//   gate_x [rows.count, 2 * d]: gate | x of the new position; y [rows.count, d]; d =
//   layout.width(). gate_x and y are dense and do not overlap.
//
// The state of position p is stored instead of K and V of p, in the page that the row's lane has
// for p. Its offset there is StateAt(p, layer) floats. It is f32 whatever the type of the page's
// elements. The ancestry table gives the lane that wrote the previous position. Before position 0
// the state is zero.
//
// A page has room for the states of two positions, an even and an odd one. That is enough, because
// a row reads only the state of the position before its own. The rows of a slot are all at one
// position, or at consecutive positions of one lane. A reorder of beams moves no state. Each
// element is computed independently of the others.
//
// REQUIRES: rows and pages meet the requirements of DecodeSelfAttention.
#pragma once

#include "kernels/base/compute_type.h"
#include "kernels/base/host_device.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

// Returns the offset of a position's state within its page, in floats. The two states fit pages of
// any type, because a page has 32 positions of K and V with at least one byte per element.
DRAGOMAN_HD inline int64_t StateAt(const KvLayout& layout, int position, int layer) {
  return (int64_t{position % 2} * layout.layers + layer) * layout.width();
}

void Recur(OpContext& context, const KvLayout& layout, int layer, const DecodeRows& rows,
           const SelfKvTables& tables, const float* gate_x, float* y);

namespace cuda {

// Recur on a device: gate_x, y and the pages are of the compute type, the states f32. Uses
// rows.pages as DecodeSelfAttention does. REQUIRES: layout.width() is a multiple of 8; arrays and
// pages are aligned to 16 bytes.
Error Recur(Stream stream, ComputeType type, const KvLayout& layout, int layer,
            const StepRows& rows, const SelfKvTables& tables, const void* gate_x, void* y);

}  // namespace cuda
}  // namespace dragoman::kernels
