// K and V of one position of one layer in int8, all heads side by side: what attention reads of a
// position is 2 bytes for each number of a head's K and V, in one run of lines, and its scales.
//
//   K        [group of heads][head_dim / 4][lanes][4]: u8, zero point 128. The heads of a group,
//            up to kInt8HeadLanes, are lanes: dot products of bytes leave each head's sum in its
//            own lane, and softmax goes over positions without adding up within a register.
//            A single group of few heads is rounded up to a power of two, lanes of no head are 0.
//   V        [heads][head_dim]: s8
//   scales   [K | V][all lanes]: f32, max|x| / 127 of a head. NaN where a number of it was NaN or
//            infinite: of V, then so is that head of every context it goes into; of K, the position
//            has no weight in that head, as in f32.
//
// Plain values: the inner loops see them.
#pragma once

#include <cstdint>

namespace dragoman::kernels {

inline constexpr int kInt8HeadLanes = 16;
// The most bytes of K in a row.
inline constexpr int kMaxInt8RowBytes = 8192;

// Rows come from everywhere, for the positions of a hypothesis were written by many lanes. Those of a
// source lie together, and are read by all rows of a slot: there K and V of a page's positions of one
// layer are a block, in which no byte has to be moved before it is multiplied. Of each head:
//
//   K        [head_dim / 4][position][4]: u8 as above
//   V        [position / 4][head_dim][4 positions]: s8
//   scales   [K | V][position]: f32 as above
//
// Positions that the source does not have are zeros.
struct Int8KvBlock {
  int32_t heads;
  int32_t head_dim;
  int32_t head_bytes;  // of a head, from one to the next; all multiples of 64
  // In bytes, from a head's start, which is K.
  int32_t v_at;
  int32_t k_scales_at;
  int32_t v_scales_at;
};

struct Int8KvRow {
  int32_t heads;
  int32_t head_dim;  // a multiple of 16
  int32_t lanes;     // of a group: kInt8HeadLanes, or the power of two that takes all heads
  int32_t groups;
  // In bytes, from the row's start; all multiples of 64.
  int32_t k_bytes;
  int32_t scales_at;
  int32_t bytes;
};

}  // namespace dragoman::kernels
