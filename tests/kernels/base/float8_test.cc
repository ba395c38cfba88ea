// Checks e4m3 conversions against a table of values from the format's formula.
#include "kernels/base/float8.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace dragoman::kernels {
namespace {

// Returns the value of bits 0x00 to 0x7e: 2^(e - 7) (1 + f / 8), or 2^-6 f / 8 if e = 0.
double ValueOf(int bits) {
  const int exponent = bits >> 3;
  const int fraction = bits & 7;
  return exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
}

// Rounds `x` to the nearest value, ties to even. Magnitudes above 448 become 448.
uint8_t Expected(float x) {
  const uint8_t sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x)) return sign | 0x7f;
  const double most = std::abs(double{x});
  if (most >= 448) return sign | 0x7e;
  int above = 0;
  while (ValueOf(above) < most) ++above;
  const double to_above = ValueOf(above) - most;
  const double to_below = above == 0 ? INFINITY : most - ValueOf(above - 1);
  const bool down = to_below < to_above || (to_below == to_above && above % 2 == 1);
  return static_cast<uint8_t>(sign | (down ? above - 1 : above));
}

TEST(Float8, EveryValueIsItself) {
  for (int bits = 0; bits < 0x7f; ++bits) {
    for (const int sign : {0, 0x80}) {
      const auto x = static_cast<uint8_t>(bits | sign);
      const float value = FromFloat8(x);
      EXPECT_EQ(value, sign != 0 ? -ValueOf(bits) : ValueOf(bits)) << bits;
      EXPECT_EQ(std::signbit(value), sign != 0) << bits;
      EXPECT_EQ(ToFloat8(value), x);
    }
  }
  EXPECT_TRUE(std::isnan(FromFloat8(0x7f)));
  EXPECT_TRUE(std::isnan(FromFloat8(0xff)));
}

TEST(Float8, EveryBFloat16IsRoundedToNearestEven) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto x = std::bit_cast<float>(bits << 16);
    ASSERT_EQ(ToFloat8(x), Expected(x)) << x;
  }
}

// Tests the midpoint of each two neighbouring values, and the floats next to that midpoint.
TEST(Float8, TiesGoToTheEven) {
  for (int bits = 0; bits < 0x7e; ++bits) {
    const auto middle = static_cast<float>((ValueOf(bits) + ValueOf(bits + 1)) / 2);
    for (const float x : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1000.0F)}) {
      ASSERT_EQ(ToFloat8(x), Expected(x)) << x;
      ASSERT_EQ(ToFloat8(-x), Expected(-x)) << x;
    }
  }
  for (const float x : {448.0F, 464.0F, 465.0F, 1e30F, INFINITY}) EXPECT_EQ(ToFloat8(x), 0x7e) << x;
}

TEST(Float8, RandomFloats) {
  std::mt19937 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    const float near = std::ldexp(x, std::isfinite(x) && x != 0 ? -std::ilogb(x) - 12 + i % 24 : 0);
    ASSERT_EQ(ToFloat8(x), Expected(x)) << x;
    ASSERT_EQ(ToFloat8(near), Expected(near)) << near;
  }
}

}  // namespace
}  // namespace dragoman::kernels
