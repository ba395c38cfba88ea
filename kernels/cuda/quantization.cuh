// Defines types for the one-byte elements of tensor cores, int8 and e4m3. The types select
// overloads and templates. Also converts f32 to these elements and back.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/float8.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

struct Float8 {
  uint8_t bits;

  static constexpr QuantizedType kType = QuantizedType::kFloat8;
  static constexpr float kMost = kFloat8Most;
};

struct Int8 {
  uint8_t bits;

  static constexpr QuantizedType kType = QuantizedType::kInt8;
  static constexpr float kMost = 127.0F;
};

// The type in which tensor cores add up the products of elements of type T.
template <class T>
struct ProductSum {
  using Type = float;
};
template <>
struct ProductSum<Int8> {
  using Type = int32_t;
};

// Returns x * factor as an element, rounded to nearest even. REQUIRES: except for rounding errors,
// the magnitude of x * factor is at most kMost.
__device__ inline uint8_t Quantized(Float8, float x, float factor) { return ToFloat8(x * factor); }
__device__ inline uint8_t Quantized(Int8, float x, float factor) {
  // One ulp of an f32 of the size of kWhole is 1. So fmaf rounds x * factor to an integer, and
  // rounds only once.
  constexpr float kWhole = 12582912.0F;  // 1.5 * 2^23
  const float rounded = fmaf(x, factor, kWhole);
  return static_cast<uint8_t>(std::bit_cast<uint32_t>(rounded) - std::bit_cast<uint32_t>(kWhole));
}

__device__ inline float Widened(Float8 x) { return FromFloat8(x.bits); }
__device__ inline int32_t Widened(Int8 x) { return static_cast<int8_t>(x.bits); }

// Calls launch(Q{}) with the element type of `type`. REQUIRES: it is not kNone.
template <class Launch>
auto ForQuantizedType(QuantizedType type, Launch launch) {
  return type == QuantizedType::kFloat8 ? launch(Float8{}) : launch(Int8{});
}

}  // namespace dragoman::kernels::cuda
