// Claims e1 and e2: K and V of attention as toolkits keep them that have neither an ancestry nor
// shared sources. Every row of the batch owns the K/V of its whole hypothesis, and a reorder copies
// them (fairseq's reorder_incremental_state, CTranslate2's gather of the decoder state); every row
// also owns a copy of its source's K/V (tiled by beam, as in FasterTransformer and the fairseq that
// FastSeq began with). Only measured, never served.
//
// Kinder than what it stands for: memory is there before the search, and no append moves old
// positions (both programs named make a new tensor at every step).
//
// Bytes per row and layer, d elements wide, b bytes an element, new position t, source n:
//   GatherOwnKv        2 t d b read and written            production copies a byte per position
//   OwnSelfAttention   2 t d b of K/V read, as production; but none of it is another row's too
//   OwnCrossAttention  2 n d b of K/V read                 production: once for a slot's rows
// and in memory 2 x positions (ping-pong) and n for every row, against positions for every row and
// n for every slot.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/host_device.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

// [layer][row][head][K | V][position][head_dim]: what a warp of attention reads lies in one piece.
struct OwnKvLayout {
  int32_t layers = 0;
  int32_t heads = 0;
  int32_t head_dim = 0;
  int32_t rows = 0;       // there is room for
  int32_t positions = 0;  // of a row, there is room for

  DRAGOMAN_HD int32_t width() const { return heads * head_dim; }
  DRAGOMAN_HD int64_t VOffset() const { return int64_t{positions} * head_dim; }
  // K of position 0; position p lies p * head_dim behind it, V of a position VOffset behind its K.
  DRAGOMAN_HD int64_t K(int layer, int64_t row, int head) const {
    return ((layer * int64_t{rows} + row) * heads + head) * 2 * VOffset();
  }
  DRAGOMAN_HD int64_t Elements() const { return K(layers, 0, 0); }
};

namespace cuda {

// All arrays are in device memory, those of the compute type aligned to 16 bytes; rows <=
// layout.rows are the rows of the step. REQUIRES: head_dim is a multiple of 8, at most 128.

// `to` becomes `from` reordered, in all layers: the positions before position[r] of row r are those
// of row parent[r]. from, to [layout.Elements()]; they do not overlap.
Error GatherOwnKv(Stream stream, ComputeType type, const OwnKvLayout& layout, int64_t rows,
                  const int32_t* parent, const int32_t* position, const void* from, void* to);

// Computes the same as cuda::DecodeSelfAttention, bit by bit, if row r of `pool` holds what its
// ancestry leads to: writes K and V of position[r] there, attends over 0 .. position[r].
//   qkv [rows, 3 * d], context_out [rows, d]
Error OwnSelfAttention(Stream stream, ComputeType type, const OwnKvLayout& layout, int layer,
                       int64_t rows, const int32_t* position, const void* qkv, void* pool,
                       void* context_out);

// Computes the same as cuda::CrossAttention, bit by bit, if row r of `pool` holds the K/V of its
// slot: attends over the first length[r] > 0 positions.
//   q, context_out [rows, d]
Error OwnCrossAttention(Stream stream, ComputeType type, const OwnKvLayout& layout, int layer,
                        int64_t rows, const int32_t* length, const void* q, const void* pool,
                        void* context_out);

}  // namespace cuda
}  // namespace dragoman::kernels
