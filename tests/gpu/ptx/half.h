// The 16-bit floating types of a card, as bits: rounded to nearest even, a NaN always the canonical one.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace dragoman::ptx {

inline constexpr uint16_t kCanonicalNan16 = 0x7fff;

inline float HalfToFloat(uint16_t half) { return _cvtsh_ss(half); }
inline float BFloat16ToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

inline uint16_t FloatToHalf(float x) {
  if (std::isnan(x)) return kCanonicalNan16;
  return _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
}
inline uint16_t FloatToBFloat16(float x) {
  if (std::isnan(x)) return kCanonicalNan16;
  const auto bits = std::bit_cast<uint32_t>(x);
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace dragoman::ptx
