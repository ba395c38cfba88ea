// Attention of one query row over rows of int8, tile by tile: what self- and cross-attention share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/int8_kv_row.h"
#include "kernels/cpu/isa.h"

namespace dragoman::cpu {

// row(p): where position p lies, 0 <= p < positions; positions > 0. q, out [heads * head_dim].
template <class RowOf>
void AttendInt8(const Int8KvRow& shape, const float* q, int positions, RowOf row, float* out) {
  const NarrowTable& kernels = NarrowKernels();
  alignas(64) int8_t values[kMaxInt8RowBytes];
  float scales[kMaxHeads];
  int32_t zeros[kMaxHeads];
  kernels.write_query(shape, q, values, scales, zeros);
  float max[kMaxHeads];
  float sum[kMaxHeads] = {};
  std::fill_n(max, kMaxHeads, -INFINITY);
  std::fill_n(out, shape.heads * shape.head_dim, 0.0F);
  for (int tile = 0; tile < positions; tile += kTilePositions) {
    const uint8_t* rows[kTilePositions];
    const int count = std::min(kTilePositions, positions - tile);
    for (int p = 0; p < count; ++p) rows[p] = row(tile + p);
    kernels.attend_int8({.shape = &shape,
                         .q = {values, scales, zeros},
                         .rows = rows,
                         .positions = count,
                         .max = max,
                         .sum = sum,
                         .acc = out});
  }
  for (int head = 0; head < shape.heads; ++head) {
    Kernels().normalise(out + int64_t{head} * shape.head_dim, sum[head], shape.head_dim);
  }
}

}  // namespace dragoman::cpu
