// Half precision for emulated kernels: storage and conversions.
#pragma once

#include <cstdint>
#include <cstring>

// NOLINTBEGIN(bugprone-reserved-identifier)
// The compiler's half precision is _Float16. It rounds to nearest even.
struct __half {
  _Float16 value;
};

inline float __half2float(__half x) { return static_cast<float>(x.value); }
inline __half __float2half_rn(float x) { return {static_cast<_Float16>(x)}; }

inline __half __ushort_as_half(unsigned short bits) {
  __half x{};
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
// NOLINTEND(bugprone-reserved-identifier)
