// Computes exp with the same bits on host and device, in plain arithmetic that a host's compiler
// vectorizes. It is used for sums over a whole vocabulary. Elsewhere the search uses std::exp.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/base/exponent.h"
#include "kernels/base/host_device.h"

namespace dragoman::kernels {

DRAGOMAN_HD inline uint32_t FloatWord(float x) { return __builtin_bit_cast(uint32_t, x); }

// Returns exp(x) for x <= 0, -inf included, within 2 ulp. Below -87 it returns exp(-87), about
// 1e-38, which is negligible in a sum whose largest term is 1. Exactly 1 for 0, never above 1.
// Compiled without contraction to fused multiply-adds.
DRAGOMAN_HD inline float ExpNonPositive(float x) {
  // Bits of -87. The bits of negative numbers grow with their magnitude.
  constexpr uint32_t kLeast = 0xC2AE0000U;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: a number added to it loses its fraction
  const uint32_t bits = FloatWord(x);
  const float bounded = __builtin_bit_cast(float, bits < kLeast ? bits : kLeast);
  const float n = (bounded * kLog2OfE + kRound) - kRound;
  // ln 2 in two parts. The first has so few bits that its product with n is exact.
  const float r = (bounded - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const uint32_t power = static_cast<uint32_t>(static_cast<int32_t>(n) + 127) << 23;
  return p * __builtin_bit_cast(float, power);
}

}  // namespace dragoman::kernels
