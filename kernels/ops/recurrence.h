// The simpler simple recurrent unit of one decoding step in one layer (Kim et al. 2019), which some
// decoders have in place of self-attention:
//
//   state = f * state of the position before + (1 - f) * x, f = sigmoid(gate);  y = max(0, state)
//
//   gate_x [rows.count, 2 * d]: gate | x of the new position; y [rows.count, d]; d = layout.width().
//   Dense, apart from each other.
//
// The state of position p lies where its K and V would: in the page that the row's lane has for p,
// at StateAt(p, layer) floats from its start, in f32 whatever the elements of the pages. That of the
// position before is found through the ancestry table, in the page of the lane that wrote it; before
// position 0 it is zero. A page has the place of two positions, even and odd ones, in turn: nothing
// older is read, as the rows of a slot are at one position, or follow each other in one lane. So a
// reorder of beams moves no state.
//
// Every element is computed by itself.
//
// REQUIRES: what DecodeSelfAttention does of rows and pages.
#pragma once

#include "kernels/base/compute_type.h"
#include "kernels/base/host_device.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

// Places of a position's state within its page. They fit in a page of any type: it has 32 positions
// of K and V, of a byte an element at least.
DRAGOMAN_HD inline int64_t StateAt(const KvLayout& layout, int position, int layer) {
  return (int64_t{position % 2} * layout.layers + layer) * layout.width();
}

void Recur(OpContext& context, const KvLayout& layout, int layer, const DecodeRows& rows,
           const SelfKvTables& tables, const float* gate_x, float* y);

namespace cuda {

// The same on a device: gate_x and y are of the compute type, the states f32 in pages whose elements
// are of it. rows.pages is read as DecodeSelfAttention reads it. REQUIRES: layout.width() is a
// multiple of 8; arrays and pages are aligned to 16 bytes.
Error Recur(Stream stream, ComputeType type, const KvLayout& layout, int layer,
            const StepRows& rows, const SelfKvTables& tables, const void* gate_x, void* y);

}  // namespace cuda
}  // namespace dragoman::kernels
