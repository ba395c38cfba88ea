// A warp quantizes a row to numbers of one byte: the rule is said in kernels/ops/quantize_rows.h.
#pragma once

#include <cstdint>

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/quantization.cuh"

namespace dragoman::kernels::cuda {

inline constexpr int kQuantizedPiece = 8;  // numbers of 16 bits that a lane loads at once
inline constexpr int kQuantizedStretch = kWarpThreads * kQuantizedPiece;

// The larger of all lanes'.
__device__ inline uint32_t WarpMost(uint32_t x) {
#pragma unroll
  for (int lanes = kWarpThreads / 2; lanes > 0; lanes /= 2) {
    x = max(x, __shfl_xor_sync(kWholeWarp, x, lanes));
  }
  return x;
}

// y [d] becomes the row x [d], or zeros where it is not there; returns its scale, to all lanes. x is aligned
// to 16 bytes, y to 8, in global or shared memory; d is a multiple of 8. `kKept` stretches are asked for
// at once, where the row is `readable`, and kept until the largest number is known; what lies beyond is
// read twice. there(bits) says whether the row is there, and is asked after the first loads, one of which
// it gets (RowsThere); what is not there may be anything.
template <class Q, int kKept, class T, class There>
__device__ inline float QuantizedRow(const T* x, bool readable, int d, uint8_t* y,
                                     There there_after) {
  constexpr uint32_t kInfinityBits = 0x7f800000U;
  constexpr float kMostFloat = 3.40282347e38F;
  const int first = static_cast<int>(threadIdx.x) * kQuantizedPiece;
  const T* const from = x + first;
  const int left = d - first;  // numbers from this lane's first on
  RawPiece<T> kept[kKept] = {};
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    if (readable && i * kQuantizedStretch < left) kept[i] = LoadRaw(from + i * kQuantizedStretch);
  }
  const bool there = there_after(kept[0].bits.x);
  // Bits of magnitudes: their order is that of the numbers, and a NaN is the largest. Not widened: what is
  // looked at would be kept so, in twice the registers.
  uint32_t most_bits = 0;
  const auto look_at = [&](RawPiece<T> piece) {
#pragma unroll
    for (const uint32_t pair : {piece.bits.x, piece.bits.y, piece.bits.z, piece.bits.w}) {
      most_bits = max(most_bits, max(pair & 0x7fffU, pair >> 16 & 0x7fffU));
    }
  };
#pragma unroll
  for (const RawPiece<T>& piece : kept) look_at(piece);
  for (int at = kKept * kQuantizedStretch; there && at < left; at += kQuantizedStretch) {
    look_at(LoadRaw(from + at));
  }
  float wide[2];
  WidenPair(WarpMost(most_bits), T{}, wide);
  const float most = wide[0];
  float factor = there ? Q::kMost / most : 0.0F;
  float scale = there ? most / Q::kMost : 0.0F;
  if (!(factor <= kMostFloat)) factor = scale = 0.0F;  // zero, or too small
  if (there && __float_as_uint(most) >= kInfinityBits) {
    factor = 0.0F;
    scale = __uint_as_float(0x7fc00000U);
  }
  uint8_t* const to = y + first;
  const auto put = [&](int at, RawPiece<T> piece) {
    float value[kQuantizedPiece];
    Widen(piece, value);
    Run<uint32_t, 2> run{};
#pragma unroll
    for (int i = 0; i < kQuantizedPiece; ++i) {
      // Not x times zero, which may be a NaN.
      const uint32_t byte = factor > 0.0F ? Quantized(Q{}, value[i], factor) : uint8_t{0};
      run.element[i / 4] |= byte << i % 4 * 8;
    }
    *reinterpret_cast<Run<uint32_t, 2>*>(to + at) = run;
  };
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    if (i * kQuantizedStretch < left) put(i * kQuantizedStretch, kept[i]);
  }
  // Rows that are not there have a factor of zero, and are not read.
  for (int at = kKept * kQuantizedStretch; at < left; at += kQuantizedStretch) {
    put(at, there ? LoadRaw(from + at) : RawPiece<T>{});
  }
  return scale;
}

}  // namespace dragoman::kernels::cuda
