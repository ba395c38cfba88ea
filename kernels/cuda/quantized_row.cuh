// Quantizes a row to one-byte numbers by the rule of kernels/ops/quantize_rows.h. One warp works on
// a row.
#pragma once

#include <cstdint>

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/quantization.cuh"

namespace dragoman::kernels::cuda {

inline constexpr int kQuantizedPiece = 8;  // number of 16-bit numbers that a lane loads at once
inline constexpr int kQuantizedStretch = kWarpThreads * kQuantizedPiece;

// Returns the largest x of all lanes.
__device__ inline uint32_t WarpMost(uint32_t x) {
#pragma unroll
  for (int lanes = kWarpThreads / 2; lanes > 0; lanes /= 2) {
    x = max(x, __shfl_xor_sync(kWholeWarp, x, lanes));
  }
  return x;
}

// Quantizes the d numbers at x to d bytes at y, or writes zeros if the row does not exist. Returns
// the row's scale to all lanes. there_after(bits) reports whether the row exists. It is called
// after the first loads, with bits that one of them loaded (RowsThere::After). If `readable`, x may
// be read even if the row does not exist. The first kKept stretches of kQuantizedStretch numbers
// are kept in registers until the largest number is known. The rest of the row is read twice.
// REQUIRES: x is aligned to 16 bytes, y to 8; y is in global or shared memory; d is a multiple of
// 8.
template <class Q, int kKept, class T, class There>
__device__ inline float QuantizedRow(const T* x, bool readable, int d, uint8_t* y,
                                     There there_after) {
  constexpr uint32_t kInfinityBits = 0x7f800000U;
  constexpr float kMostFloat = 3.40282347e38F;
  const int first = static_cast<int>(threadIdx.x) * kQuantizedPiece;
  const T* const from = x + first;
  const int left = d - first;  // numbers of the row from `first` on
  RawPiece<T> kept[kKept] = {};
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    if (readable && i * kQuantizedStretch < left) kept[i] = LoadRaw(from + i * kQuantizedStretch);
  }
  const bool there = there_after(kept[0].bits.x);
  // Compares the bits of magnitudes as integers. They are in the order of the magnitudes, with NaN
  // as the largest. The numbers are not widened to f32 for this, because the compiler would keep
  // the f32 numbers in twice as many registers.
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
  // The largest magnitude is 0, or too small for an inverse.
  if (!(factor <= kMostFloat)) factor = scale = 0.0F;
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
      // Tests the factor, because x times a factor of zero may be NaN.
      const uint32_t byte = factor > 0.0F ? Quantized(Q{}, value[i], factor) : uint8_t{0};
      run.element[i / 4] |= byte << i % 4 * 8;
    }
    *reinterpret_cast<Run<uint32_t, 2>*>(to + at) = run;
  };
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    if (i * kQuantizedStretch < left) put(i * kQuantizedStretch, kept[i]);
  }
  // A row that does not exist is not read. Its factor is 0, so zeros are written.
  for (int at = kKept * kQuantizedStretch; at < left; at += kQuantizedStretch) {
    put(at, there ? LoadRaw(from + at) : RawPiece<T>{});
  }
  return scale;
}

}  // namespace dragoman::kernels::cuda
