// Claims e1 and e2: K and V of attention in toolkits that have neither an ancestry nor shared
// sources. Every row of the batch owns the K/V of its whole hypothesis, and a reorder copies them
// (fairseq's reorder_incremental_state, CTranslate2's gather of the decoder state). Every row also
// owns a copy of its source's K/V (tiled by beam, as in FasterTransformer and in the fairseq that
// FastSeq began with). Only measured, never served.
//
// Faster than the original programs: memory is allocated before the search, and no append moves old
// positions (both programs make a new tensor at every step).
//
// Bytes per row and layer, with d elements of b bytes, new position t, source length n:
//   GatherOwnKv        2 t d b read and written     production copies one byte per position
//   OwnSelfAttention   2 t d b of K/V read          production reads as many, partly shared by rows
//   OwnCrossAttention  2 n d b of K/V read          production reads them once for a slot's rows
// In memory: 2 x positions (ping-pong) and n for every row, whereas production has positions for
// every row and n for every slot.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/host_device.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

// [layer][row][head][K | V][position][head_dim]: what a warp of attention reads is contiguous.
struct OwnKvLayout {
  int32_t layers = 0;
  int32_t heads = 0;
  int32_t head_dim = 0;
  int32_t rows = 0;       // capacity
  int32_t positions = 0;  // capacity of a row

  DRAGOMAN_HD int32_t width() const { return heads * head_dim; }
  DRAGOMAN_HD int64_t VOffset() const { return int64_t{positions} * head_dim; }
  // The offset of K at position 0. Position p is p * head_dim after it, and V of a position is
  // VOffset after the position's K.
  DRAGOMAN_HD int64_t K(int layer, int64_t row, int head) const {
    return ((layer * int64_t{rows} + row) * heads + head) * 2 * VOffset();
  }
  DRAGOMAN_HD int64_t Elements() const { return K(layers, 0, 0); }
};

namespace cuda {

// All arrays are in device memory, and those of the compute type are aligned to 16 bytes. rows <=
// layout.rows is the number of rows of the step. REQUIRES: head_dim is a multiple of 8, at most
// 128.

// Writes `from` to `to` in a new order, in all layers: the positions before position[r] of row r
// come from row parent[r]. from, to [layout.Elements()] must not overlap.
Error GatherOwnKv(Stream stream, ComputeType type, const OwnKvLayout& layout, int64_t rows,
                  const int32_t* parent, const int32_t* position, const void* from, void* to);

// Computes the same bits as cuda::DecodeSelfAttention, if row r of `pool` holds the K/V to which
// its ancestry leads. Writes K and V of position[r] there and attends over 0 .. position[r].
//   qkv [rows, 3 * d], context_out [rows, d]
Error OwnSelfAttention(Stream stream, ComputeType type, const OwnKvLayout& layout, int layer,
                       int64_t rows, const int32_t* position, const void* qkv, void* pool,
                       void* context_out);

// Computes the same bits as cuda::CrossAttention, if row r of `pool` holds the K/V of its slot.
// Attends over the first length[r] > 0 positions.
//   q, context_out [rows, d]
Error OwnCrossAttention(Stream stream, ComputeType type, const OwnKvLayout& layout, int layer,
                        int64_t rows, const int32_t* length, const void* q, const void* pool,
                        void* context_out);

}  // namespace cuda
}  // namespace dragoman::kernels
