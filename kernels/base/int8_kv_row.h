// K and V of one position of one layer in int8, all heads next to each other. Attention reads one
// byte per number of K and of V, from consecutive cache lines, and the scales.
//
//   K        [group of heads][head_dim / 4][lanes][4]: u8, zero point 128. Up to kInt8HeadLanes
//            heads are the lanes of a group. A dot product of bytes leaves each head's sum in its
//            lane, and softmax adds nothing up within a register. A single group of few heads is
//            rounded up to a power of two; lanes without a head are 0.
//   V        [heads][head_dim]: s8
//   scales   [K | V][all lanes]: f32, max|x| / 127 of a head; NaN if a number is NaN or infinite.
//            NaN of V makes the head NaN in every context that includes the position. With NaN of
//            K the position has no weight in the head, as in f32.
//
// Plain values.
#pragma once

#include <cstdint>

namespace dragoman::kernels {

inline constexpr int kInt8HeadLanes = 16;
// The largest number of bytes of K in a row.
inline constexpr int kMaxInt8RowBytes = 8192;

// K and V of the source positions of one page and layer. They are contiguous, and all rows of a
// slot read them, whereas many lanes wrote the positions of a hypothesis. No byte of a block has to
// be moved before it is multiplied. For each head, with types and scales as in a row:
//
//   K        [head_dim / 4][position][4]
//   V        [position / 4][head_dim][4 positions]
//   scales   [K | V][position]
//
// Positions beyond the end of the source are zeros.
struct Int8KvBlock {
  int32_t heads;
  int32_t head_dim;
  int32_t head_bytes;  // from one head to the next. All offsets are multiples of 64
  // In bytes from the start of a head. K is at 0.
  int32_t v_at;
  int32_t k_scales_at;
  int32_t v_scales_at;
};

struct Int8KvRow {
  int32_t heads;
  int32_t head_dim;  // a multiple of 16
  int32_t lanes;     // of a group: kInt8HeadLanes, or the power of two that fits all heads
  int32_t groups;
  // In bytes from the start of the row. All multiples of 64.
  int32_t k_bytes;
  int32_t scales_at;
  int32_t bytes;
};

}  // namespace dragoman::kernels
