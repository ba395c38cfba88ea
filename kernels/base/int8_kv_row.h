// How int8 K and V are stored on a CPU: as rows or as blocks. A row holds K and V of one position
// in one layer, for all heads. Attention reads it from consecutive cache lines.
//
//   K        [group of heads][head_dim / 4][lanes][4]: u8, zero point 128. A group has up to
//            kInt8HeadLanes heads, one in each 32-bit lane of vector registers (not a lane of a
//            slot). A dot product of bytes leaves each head's sum in its lane, so softmax needs no
//            sum across the lanes of a register. If one group holds all heads, its number of lanes
//            is rounded up to a power of two. Lanes without a head are 0.
//   V        [heads][head_dim]: s8
//   scales   [K | V][lanes of all groups]: f32, max|x| / 127 of a head; NaN if a number of the head
//            is NaN or infinite. A NaN scale of V makes the head NaN in every context that includes
//            the position. With a NaN scale of K the position has no weight in the head, as in f32.
//
// The structs are plain values.
#pragma once

#include <cstdint>

namespace dragoman::kernels {

inline constexpr int kInt8HeadLanes = 16;
// The largest number of bytes of K in a row.
inline constexpr int kMaxInt8RowBytes = 8192;

// A block: K and V of the source positions of one page in one layer. Cross-attention reads blocks,
// not rows, because the positions of a source are contiguous and all rows of a slot read them.
// Self-attention has rows, because different lanes wrote the positions of a hypothesis. The bytes
// of a block are multiplied in the order in which they are stored. A block has three arrays for
// each head, with types and scales as in a row:
//
//   K        [head_dim / 4][position][4]
//   V        [position / 4][head_dim][4 positions]
//   scales   [K | V][position]
//
// Positions beyond the end of the source have zeros for K and V (K: the zero point) and for the
// scales.
struct Int8KvBlock {
  int32_t heads;
  int32_t head_dim;
  int32_t head_bytes;  // bytes from one head to the next; a multiple of 64, as are the offsets
  // Offsets in bytes from the start of a head. Its K is at 0.
  int32_t v_at;
  int32_t k_scales_at;
  int32_t v_scales_at;
};

struct Int8KvRow {
  int32_t heads;
  int32_t head_dim;  // a multiple of 16
  int32_t lanes;     // lanes of a group: kInt8HeadLanes, or the power of two that fits all heads
  int32_t groups;
  // Sizes and offsets in bytes from the start of the row; all are multiples of 64.
  int32_t k_bytes;
  int32_t scales_at;
  int32_t bytes;
};

}  // namespace dragoman::kernels
