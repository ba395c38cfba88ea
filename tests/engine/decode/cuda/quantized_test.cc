// Tests the host's conversions between float and float16 or bfloat16.
#include "engine/decode/cuda/quantization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace dragoman::engine {
namespace {

TEST(Float16, KnowsEveryValueOfItsOwn) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = FromFloat16(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(FromFloat16(ToFloat16(value))));
    } else {
      EXPECT_EQ(ToFloat16(value), half) << bits;
    }
  }
}

TEST(Float16, HasTheRangeOfTheFormat) {
  EXPECT_EQ(FromFloat16(0x7bff), 65504.0F);
  EXPECT_EQ(FromFloat16(0x0001), 0x1p-24F);
  EXPECT_EQ(FromFloat16(0x0400), 0x1p-14F);
  EXPECT_EQ(ToFloat16(65519.0F), 0x7bff);
  EXPECT_EQ(ToFloat16(65520.0F), 0x7c00);  // half way to 65536, which has the even mantissa
  EXPECT_EQ(ToFloat16(-1e30F), 0xfc00);
  EXPECT_EQ(ToFloat16(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(ToFloat16(0x1p-25F), 0);  // half way to the smallest subnormal: rounds to even, 0
  EXPECT_EQ(ToFloat16(std::nextafter(0x1p-25F, 1.0F)), 1);
  EXPECT_EQ(ToFloat16(-0.0F), 0x8000);
}

// Checks that `round` rounds x to the nearest value of 16 bits, and to the even one in a tie.
template <class Round, class Widen>
void ExpectNearest(float x, Round round, Widen widen) {
  const uint16_t found = round(x);
  const double error = std::abs(static_cast<double>(widen(found)) - x);
  for (const int step : {-1, 1}) {
    const auto neighbour = static_cast<uint16_t>(found + step);
    const float other = widen(neighbour);
    if (!std::isfinite(other) || std::signbit(other) != std::signbit(x)) continue;
    const double other_error = std::abs(static_cast<double>(other) - x);
    EXPECT_LE(error, other_error) << x;
    if (error == other_error) {
      EXPECT_EQ(found & 1, 0) << x;
    }
  }
}

TEST(TypesOf16Bits, RoundToTheNearest) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> mantissa(-2.0F, 2.0F);
  std::uniform_int_distribution<int> exponent(-26, 15);
  for (int i = 0; i < 100'000; ++i) {
    const float x = std::ldexp(mantissa(random), exponent(random));
    if (std::abs(x) < 65504) ExpectNearest(x, ToFloat16, FromFloat16);
    ExpectNearest(x, ToBFloat16, FromBFloat16);
  }
  // Values half way between two float16 values.
  for (uint16_t i = 0x3c00; i < 0x3c40; ++i) {
    const float middle = (FromFloat16(i) + FromFloat16(static_cast<uint16_t>(i + 1))) / 2;
    ExpectNearest(middle, ToFloat16, FromFloat16);
  }
}

TEST(BFloat16, HasTheRangeOfFloat) {
  EXPECT_EQ(FromBFloat16(ToBFloat16(1e38F)), FromBFloat16(0x7e96));
  EXPECT_TRUE(std::isinf(FromBFloat16(ToBFloat16(std::numeric_limits<float>::max()))));
  EXPECT_TRUE(std::isnan(FromBFloat16(ToBFloat16(std::nanf("")))));
}

}  // namespace
}  // namespace dragoman::engine
