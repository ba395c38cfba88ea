// The 8-bit floating point numbers that tensor cores multiply: e4m3 of the OCP's "8-bit Floating
// Point Specification" with 1 sign, 4 exponent (bias 7) and 3 fraction bits. There is no infinity.
// 0x7f is NaN, the largest number is 448, the smallest above zero 2^-9. Conversions give the same
// bits on host and device.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman::kernels {

inline constexpr float kFloat8Most = 448.0F;

// Rounds to nearest even and clamps to -448 .. 448, infinities included, like the instruction
// cvt.rn.satfinite.e4m3x2.f32.
DRAGOMAN_HD inline uint8_t ToFloat8(float x) {
  constexpr uint32_t kInfinity = 0x7f800000U;
  constexpr uint32_t kMost = 0x43e00000U;           // 448
  constexpr uint32_t kLeastNormal = 0x3c800000U;    // 2^-6
  constexpr uint32_t kSubnormalUnit = 0x46800000U;  // 2^14: one ulp of this float is 2^-9
  constexpr int kCut = 23 - 3;                      // fraction bits that are dropped
  constexpr uint32_t kBias = (127U - 7U) << 3;
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits >> 24 & 0x80U;
  uint32_t most = bits & 0x7fffffffU;
  if (most > kInfinity) return static_cast<uint8_t>(sign | 0x7fU);
  if (most > kMost) most = kMost;
  if (most < kLeastNormal) {
    const float rounded = std::bit_cast<float>(most) + std::bit_cast<float>(kSubnormalUnit);
    return static_cast<uint8_t>(sign | (std::bit_cast<uint32_t>(rounded) - kSubnormalUnit));
  }
  const uint32_t half_and_even = (1U << (kCut - 1)) - 1U + (most >> kCut & 1U);
  return static_cast<uint8_t>(sign | (((most + half_and_even) >> kCut) - kBias));
}

DRAGOMAN_HD inline float FromFloat8(uint8_t bits) {
  const uint32_t sign = uint32_t{bits & 0x80U} << 24;
  const uint32_t most = bits & 0x7fU;
  if (most == 0x7fU) return std::bit_cast<float>(sign | 0x7fc00000U);
  // The bits so far are a float whose exponent has e4m3's bias. The product with 2^(127 - 7)
  // corrects the bias. It is exact, also for subnormal numbers.
  return std::bit_cast<float>(sign | most << 20) * 0x1p120F;
}

}  // namespace dragoman::kernels
