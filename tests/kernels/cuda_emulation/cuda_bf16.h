// bfloat16 for emulated kernels: storage and conversions.
#pragma once

#include <cstdint>
#include <cstring>

// NOLINTBEGIN(bugprone-reserved-identifier)
struct __nv_bfloat16 {
  uint16_t bits;
};

inline float __bfloat162float(__nv_bfloat16 x) {
  const uint32_t bits = uint32_t{x.bits} << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Rounds to nearest even. NaN stays NaN.
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {0x7fff};
  return {static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}
// NOLINTEND(bugprone-reserved-identifier)
