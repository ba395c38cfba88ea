// Converts f32 to the 16-bit types and back. Rounds to nearest, ties to even, as devices do.
//
// Pure functions on bit patterns. Values that are too large for the type become infinite. NaN stays
// NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace dragoman::engine {

inline uint16_t ToFloat16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits >> 16 & 0x8000U;
  uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<uint16_t>(sign | 0x7e00U);   // NaN
  if (magnitude >= 0x477ff000U) return static_cast<uint16_t>(sign | 0x7c00U);  // |x| >= 65520
  if (magnitude < 0x38800000U) {
    // Below 2^-14 a result is a multiple of 2^-24. This is one ulp of an f32 between 0.5 and 1, so
    // adding 0.5 rounds to such a multiple.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000U));
  }
  magnitude += 0xfffU + (magnitude >> 13 & 1U);
  return static_cast<uint16_t>(sign | (magnitude - 0x38000000U) >> 13);
}

inline uint16_t ToBFloat16(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<uint16_t>(bits >> 16 | 0x40U);
  bits += 0x7fffU + (bits >> 16 & 1U);
  return static_cast<uint16_t>(bits >> 16);
}

inline float FromFloat16(uint16_t x) {
  const uint32_t sign = (uint32_t{x} & 0x8000U) << 16;
  const uint32_t exponent = uint32_t{x} >> 10 & 0x1fU;
  const uint32_t fraction = uint32_t{x} & 0x3ffU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  const uint32_t wide = exponent == 31 ? 255U : exponent + 112U;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

inline float FromBFloat16(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }

}  // namespace dragoman::engine
