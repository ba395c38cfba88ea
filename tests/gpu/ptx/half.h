// The 16-bit floating-point types of a card, as bits: rounded to nearest even, with only the
// canonical NaN. Also the 16-bit and 8-bit element types of tensor cores.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

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

// e4m3: no infinity, 0x7f is the NaN.
inline float Float8ToFloat(uint16_t bits) {
  const int fraction = bits & 7;
  const int exponent = bits >> 3 & 15;
  if ((bits & 0x7f) == 0x7f) return std::nanf("");
  const float most = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9)
                                   : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return (bits & 0x80) != 0 ? -most : most;
}
inline float Int8ToFloat(uint16_t bits) { return static_cast<int8_t>(bits); }

// Element types of matrices, with the type of their sums.
struct HalfElement {
  static constexpr int kBytes = 2;
  using Sum = float;
  static double Widen(uint16_t bits) { return static_cast<double>(HalfToFloat(bits)); }
};
struct BFloat16Element {
  static constexpr int kBytes = 2;
  using Sum = float;
  static double Widen(uint16_t bits) { return static_cast<double>(BFloat16ToFloat(bits)); }
};
struct Float8Element {
  static constexpr int kBytes = 1;
  using Sum = float;
  static double Widen(uint16_t bits) { return static_cast<double>(Float8ToFloat(bits)); }
};
struct Int8Element {
  static constexpr int kBytes = 1;
  using Sum = int32_t;
  static double Widen(uint16_t bits) { return static_cast<double>(Int8ToFloat(bits)); }
};

// Returns a sum as its accumulator holds it: rounded once to f32, or wrapped to s32.
template <class Sum>
Sum Accumulated(double sum) {
  if constexpr (std::is_same_v<Sum, int32_t>) {
    return static_cast<int32_t>(static_cast<int64_t>(sum));
  } else {
    return static_cast<Sum>(sum);
  }
}

}  // namespace dragoman::ptx
