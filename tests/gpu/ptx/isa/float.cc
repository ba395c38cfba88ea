// Section 9.7.3 of the PTX ISA: floating-point arithmetic. Operands and results are given by their
// bits. For operations that the ISA defines by IEEE 754, results that are no special case were
// computed with exact fractions. A NaN result of f32 may be any NaN.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <utility>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

constexpr uint64_t kOne = 0x3f800000;
constexpr uint64_t kMinusOne = 0xbf800000;
constexpr uint64_t kMax = 0x7f7fffff;
constexpr uint64_t kInf = 0x7f800000;
constexpr uint64_t kMinusInf = 0xff800000;
constexpr uint64_t kNan = 0x7fc00000;
constexpr uint64_t kSignallingNan = 0x7f800001;
constexpr uint64_t kMinusZero = 0x80000000;
constexpr uint64_t kLeast = 1;  // 2^-149

const std::vector<Row> kSums = {
    // Ties go to the even neighbour: 1 + 2^-24, 1 + 2^-23 + 2^-24; just above a tie.
    {{kOne, 0x33800000, 0}, kOne},
    {{0x3f800001, 0x33800000, 0}, 0x3f800002},
    {{kOne, 0x33800001, 0}, 0x3f800001},
    // Half a unit in the last place beyond the greatest number is an infinity; less is not.
    {{kMax, 0x73000000, 0}, kInf},
    {{kMax, 0x72ffffff, 0}, kMax},
    {{kMax, kMax, 0}, kInf},
    {{0xff7fffff, 0xff7fffff, 0}, kMinusInf},
    // Subnormal numbers are supported without .ftz.
    {{kLeast, kLeast, 0}, 2},
    {{0x007fffff, kLeast, 0}, 0x00800000},
    {{0x00800000, 0x80000001, 0}, 0x007fffff},
    {{0x00800001, 0x80800000, 0}, kLeast},
    // Zeros keep a sign that both have; a sum that is exactly zero is positive.
    {{kMinusZero, kMinusZero, 0}, kMinusZero},
    {{0, kMinusZero, 0}, 0},
    {{kOne, kMinusOne, 0}, 0},
    {{kMinusZero, kLeast, 0}, kLeast},
    {{kInf, kOne, 0}, kInf},
    {{kMinusInf, kMax, 0}, kMinusInf},
    {{kInf, kMinusInf, 0}, kAnyNan},
    {{kNan, kOne, 0}, kAnyNan},
    {{kOne, 0xffc00001, 0}, kAnyNan},
    {{kSignallingNan, kInf, 0}, kAnyNan},
    {{0x44a16363, 0xbb795b92, 0}, 0x44a16344},
    {{0x45035efa, 0xc13bfd1d, 0}, 0x4502a2fd},
    {{0x4626d0b9, 0xc610645d, 0}, 0x44b362e0},
    {{0x4a0af438, 0xca44f979, 0}, 0xc9681504},
};

const std::vector<Row> kProducts = {
    // (1 + 2^-12)^2 is a tie that is rounded down; (1 + 2^-23) 1.5 is a tie that is rounded up.
    {{0x3f800800, 0x3f800800, 0}, 0x3f801000},
    {{0x3f800001, 0x3fc00000, 0}, 0x3fc00002},
    // 2^-150 is a tie between zero and the smallest number; 0.75 times the smallest number is
    // rounded to it.
    {{0x1a000000, 0x1a000000, 0}, 0},
    {{0x9a000000, 0x1a000000, 0}, kMinusZero},
    {{0x1a000000, 0x1a400000, 0}, kLeast},
    {{0x1a800000, 0x1a000000, 0}, kLeast},
    {{0x00800000, 0x3f000000, 0}, 0x00400000},
    {{kLeast, kMinusOne, 0}, 0x80000001},
    {{0x5f800000, 0x5f800000, 0}, kInf},
    {{kMax, 0x3f800001, 0}, kInf},
    {{kMax, kOne, 0}, kMax},
    {{0, kMinusOne, 0}, kMinusZero},
    {{kMinusZero, kMinusOne, 0}, 0},
    {{kInf, kMinusOne, 0}, kMinusInf},
    {{kInf, 0, 0}, kAnyNan},
    {{kMinusZero, kMinusInf, 0}, kAnyNan},
    {{kNan, 0, 0}, kAnyNan},
    {{0xc5633a50, 0xbef1d2af, 0}, 0x44d6a4e6},
    {{0x3d98f2c4, 0x367eb0ad, 0}, 0x34982a6d},
    {{0x3a6fa84d, 0xbf62c821, 0}, 0xba544dee},
    {{0xc36856e4, 0x3c875649, 0}, 0xc075a843},
};

const std::vector<Row> kQuotients = {
    {{kOne, 0x40400000, 0}, 0x3eaaaaab},
    {{0x46445fad, 0xb5903ef3, 0}, 0xd02e41c2},
    {{0xc67bc73a, 0x3d110d7c, 0}, 0xc8de2dbf},
    {{0xb68526ef, 0xbfea4a5e, 0}, 0x36117d73},
    {{0x330b8134, 0xc8d4b969, 0}, 0xa9a7e28d},
    // Subnormal operands and results: 7, 3 and 1 halves of the smallest number are ties.
    {{7, 0x40000000, 0}, 4},
    {{3, 0x40000000, 0}, 2},
    {{kLeast, 0x40000000, 0}, 0},
    {{0x80000001, 0x40000000, 0}, kMinusZero},
    {{0x00400001, 0x3f800003, 0}, 0x00400000},
    {{0x00800001, 0x40400000, 0}, 0x002aaaab},
    {{0x00800000, 0x40000000, 0}, 0x00400000},
    {{kMax, 0x3f000000, 0}, kInf},
    {{kMax, 0x3f7fffff, 0}, kInf},
    {{kOne, 0, 0}, kInf},
    {{kMinusOne, 0, 0}, kMinusInf},
    {{kOne, kMinusZero, 0}, kMinusInf},
    {{kOne, kMinusInf, 0}, kMinusZero},
    {{kInf, 0, 0}, kInf},
    {{0, 0, 0}, kAnyNan},
    {{kInf, kMinusInf, 0}, kAnyNan},
    {{kOne, kNan, 0}, kAnyNan},
};

const std::vector<Row> kRoots = {
    {{0x40000000, 0, 0}, 0x3fb504f3},
    {{0x40800000, 0, 0}, 0x40000000},
    {{kLeast, 0, 0}, 0x1a3504f3},
    {{3, 0, 0}, 0x1a9cc471},
    {{0x007fffff, 0, 0}, 0x1fffffff},
    {{kMax, 0, 0}, 0x5f7fffff},
    {{0x3f7fffff, 0, 0}, 0x3f7fffff},
    {{0x3f800001, 0, 0}, kOne},
    {{0x3f800003, 0, 0}, 0x3f800001},
    {{0x47ef6b84, 0, 0}, 0x43af0f2e},
    {{0x35526c5c, 0, 0}, 0x3a681878},
    {{0x49b7d024, 0, 0}, 0x4499637d},
    {{0, 0, 0}, 0},
    {{kMinusZero, 0, 0}, kMinusZero},
    {{kInf, 0, 0}, kInf},
    {{kMinusInf, 0, 0}, kAnyNan},
    {{kMinusOne, 0, 0}, kAnyNan},
    {{0x80000001, 0, 0}, kAnyNan},
    {{kNan, 0, 0}, kAnyNan},
};

const std::vector<Row> kReciprocals = {
    {{0x40400000, 0, 0}, 0x3eaaaaab},
    {{0xc0400000, 0, 0}, 0xbeaaaaab},
    {{0x3f800001, 0, 0}, 0x3f7ffffe},
    {{0x3f7fffff, 0, 0}, 0x3f800001},
    {{0xbab99b6c, 0, 0}, 0xc4308b82},
    {{0x3330d884, 0, 0}, 0x4bb94a99},
    {{0xc42eff83, 0, 0}, 0xbabb3f6d},
    {{0xbc95e58e, 0, 0}, 0xc25a9a98},
    // Subnormal numbers and results; the reciprocals of numbers up to 2^-128 are infinite.
    {{kLeast, 0, 0}, kInf},
    {{0x00200000, 0, 0}, kInf},
    {{0x00200001, 0, 0}, 0x7f7ffff8},
    {{0x00400000, 0, 0}, 0x7f000000},
    {{kMax, 0, 0}, 0x00200000},
    {{0x7e800001, 0, 0}, 0x007fffff},
    {{0, 0, 0}, kInf},
    {{kMinusZero, 0, 0}, kMinusInf},
    {{kInf, 0, 0}, 0},
    {{kMinusInf, 0, 0}, kMinusZero},
    {{kNan, 0, 0}, kAnyNan},
};

const std::vector<Row> kFusedNearest = {
    // The product is not rounded: (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24; 2^128 - 2^127 does not
    // overflow.
    {{0x3f800800, 0x3f800800, 0xbf801000}, 0x33800000},
    {{0x7f000000, 0x40000000, 0xff000000}, 0x7f000000},
    // Ties: 2^-22 (1 + 2^-24) as the square of 1 + 2^-23 less 1; 1.5 times the least number.
    {{0x3f800001, 0x3f800001, 0xbf800000}, 0x34800000},
    {{0x1a000000, 0x1a000000, kLeast}, 2},
    {{0x3508085f, 0x3f4aa71c, 0xb68add12}, 0xb67ace4a},
    {{0xbc5c35d7, 0x3e6072c4, 0xc2e2dd8a}, 0xc2e2df0c},
    {{0x45c573f5, 0xc63cd5b0, 0xbfc21b8c}, 0xcc91a5f9},
    {{0xc3d6c2ad, 0x3f509bbd, 0x3e221de1}, 0xc3aeec8f},
    {{kMinusOne, 0, kMinusZero}, kMinusZero},
    {{kOne, 0, kMinusZero}, 0},
    {{kOne, kOne, kMinusOne}, 0},
    {{0x5f800000, 0x5f800000, 0}, kInf},
    {{0x5f800000, 0x5f800000, kMinusInf}, kMinusInf},
    {{kInf, kOne, kMinusInf}, kAnyNan},
    {{kInf, 0, kOne}, kAnyNan},
    {{0, kInf, kNan}, kAnyNan},
    {{kOne, kOne, kNan}, kAnyNan},
};

const std::vector<Row> kFusedDown = {
    // Rounds towards minus infinity for both signs: 1 + 2^-24, its negative, 1 - 2^-30.
    {{kOne, kOne, 0x33800000}, kOne},
    {{kMinusOne, kOne, 0xb3800000}, 0xbf800001},
    {{kOne, kOne, 0xb0800000}, 0x3f7fffff},
    {{0x46551b7f, 0xbd5a427c, 0xc9fd500f}, 0xc9fd66c6},
    {{0x448f81f6, 0x3dc0498c, 0xbbd1ed2f}, 0x42d7921e},
    {{0x3daf6c48, 0xca5e80df, 0xbbe08d94}, 0xc8987836},
    {{0x4a86e44e, 0x3bb8f83d, 0xb9d3e9cf}, 0x46c2edca},
    // Above the largest number, and below the smallest number in magnitude.
    {{0x7f000000, 0x40000000, 0}, kMax},
    {{0xff000000, 0x40000000, 0}, kMinusInf},
    {{0x0d800000, 0x0d800000, 0}, 0},
    {{0x8d800000, 0x0d800000, 0}, 0x80000001},
    {{kOne, kOne, kOne}, 0x40000000},
    {{kInf, kMinusOne, 0}, kMinusInf},
    {{kInf, 0, kOne}, kAnyNan},
    {{kOne, kNan, kOne}, kAnyNan},
};

// If one operand is a NaN, the result is the other operand. +0 is greater than -0.
std::vector<Row> Maxima(uint64_t of_one_nan, bool canonical) {
  const auto nan_or = [&](uint64_t other) { return canonical ? of_one_nan : other; };
  return {
      {{kOne, 0x40000000, 0}, 0x40000000},
      {{kMinusOne, 0xc0000000, 0}, kMinusOne},
      {{0, kMinusZero, 0}, 0},
      {{kMinusZero, 0, 0}, 0},
      {{kMinusZero, kMinusZero, 0}, kMinusZero},
      {{kLeast, 0, 0}, kLeast},
      {{0x80000001, kMinusZero, 0}, kMinusZero},
      {{0x80000001, 0x80000002, 0}, 0x80000001},
      {{kMinusInf, 0xff7fffff, 0}, 0xff7fffff},
      {{kInf, kMax, 0}, kInf},
      {{kNan, kOne, 0}, nan_or(kOne)},
      {{kMinusInf, 0xffc00001, 0}, nan_or(kMinusInf)},
      {{0xffffffff, kMinusZero, 0}, nan_or(kMinusZero)},
      {{kNan, 0xffc00001, 0}, canonical ? of_one_nan : kAnyNan},
  };
}

// An approximation that may be off by `ulps` from the correctly rounded result.
struct Approximation {
  const char* name;
  double (*exact)(double);
  int ulps;
  bool flushes;  // subnormal inputs and results are zeros of their sign
};

uint32_t Flushed(uint32_t bits) { return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits; }

void CheckApproximation(const Approximation& about, const std::vector<uint64_t>& inputs) {
  std::vector<Operands> operands;
  operands.reserve(inputs.size());
  for (const uint64_t x : inputs) operands.push_back({x, 0, 0});
  for (size_t begin = 0; begin < operands.size(); begin += 32) {
    const size_t count = std::min<size_t>(32, operands.size() - begin);
    const std::vector<Operands> part(operands.begin() + begin, operands.begin() + begin + count);
    const std::vector<uint64_t> results =
        Results(std::string(about.name) + " %f20, %f10;", "f", part);
    ASSERT_EQ(results.size(), count);
    for (size_t i = 0; i < count; ++i) {
      const auto in = static_cast<uint32_t>(part[i].a);
      const float x = std::bit_cast<float>(about.flushes ? Flushed(in) : in);
      const auto rounded = std::bit_cast<uint32_t>(static_cast<float>(about.exact(x)));
      const auto result = static_cast<uint32_t>(results[i]);
      // Numbers of the same sign that are neighbours have neighbouring bits, up to infinity. If a
      // result may be on either side of the smallest normal number, it may or may not be flushed.
      const auto near = [&](uint32_t bits) {
        return std::abs(int64_t{bits} - int64_t{rounded}) <= about.ulps;
      };
      const bool least = (rounded & 0x7fffffff) <= 0x00800000U + about.ulps;
      const bool right =
          about.flushes && least
              ? result == Flushed(result) && (near(result) || result == (rounded & 0x80000000))
              : near(result);
      EXPECT_TRUE(right) << std::hex << about.name << " of " << in << " is " << result
                         << ", correctly rounded " << rounded;
    }
  }
}

// The results in the ISA's table of special inputs must be exact.
Form Approximate(const Approximation& about, const std::vector<uint64_t>& inputs,
                 const std::vector<Row>& special) {
  const Form exact = OneResult(about.name, "%f20, %f10", "f", special);
  return {about.name, [=](const std::string& name) {
            exact.check(name);
            CheckApproximation(about, inputs);
          }};
}

std::vector<uint64_t> Exponents() {
  std::vector<uint64_t> inputs = {0x42fe0000,  // 127
                                  0x42ffffff,  // just below 128
                                  0xc2fc0000,  // -126, the least normal result
                                  0x33800000, 0xb3800000, kLeast,    0x80000001,
                                  0x007fffff, 0x3f000000, 0xbf000000};
  for (int i = -35; i < 36; ++i) inputs.push_back(Bits(3.37F * static_cast<float>(i)));
  for (int i = -14; i < 14; ++i) inputs.push_back(Bits(0.0717F * static_cast<float>(i)));
  return inputs;
}

std::vector<uint64_t> Divisors() {
  std::vector<uint64_t> inputs = {0x00800000, 0x80800000, 0x7e800000, 0x7e7fffff,
                                  0x3f7fffff, 0x3f800001, 0x3fffffff, 0xc0400000};
  for (int i = 0; i < 58; ++i) inputs.push_back(Bits(1 + 0.0173F * static_cast<float>(i)));
  float x = 1e-30F;
  for (int i = 0; i < 48; ++i) {
    inputs.push_back(Bits(x));
    x *= -17.3F;
  }
  return inputs;
}

double Exp2(double x) { return std::exp2(x); }
double Reciprocal(double x) { return 1 / x; }

}  // namespace

std::vector<Form> FloatForms() {
  constexpr char kTwo[] = "%f20, %f10, %f11";
  std::vector<Row> differences;
  differences.reserve(kSums.size());
  for (const Row& sum : kSums) {
    differences.push_back({{sum.in.a, sum.in.b ^ 0x80000000, 0}, sum.expected});
  }
  const std::vector<Row> exponentials = {
      {{kMinusInf, 0, 0}, 0}, {{kMinusZero, 0, 0}, kOne}, {{0, 0, 0}, kOne},
      {{kInf, 0, 0}, kInf},   {{kNan, 0, 0}, kAnyNan},    {{kSignallingNan, 0, 0}, kAnyNan},
  };
  std::vector<Row> flushed = exponentials;
  // 2^-127, 2^-140 and 2^-149 are below the smallest normal number.
  for (const uint64_t x : {0xc2fe0000, 0xc30c0000, 0xc3150000}) flushed.push_back({{x, 0, 0}, 0});
  std::vector<uint64_t> low = Exponents();
  for (const uint64_t x : {0xc2fe0000, 0xc30c0000, 0xc3150000, 0xc3170000}) low.push_back(x);
  return {
      // 9.7.3.3 to 9.7.3.5: without a rounding modifier, the default is .rn.
      OneResult("add.f32", kTwo, "f", kSums),
      OneResult("add.rn.f32", kTwo, "f", kSums),
      OneResult("sub.f32", kTwo, "f", differences),
      OneResult("sub.rn.f32", kTwo, "f", differences),
      OneResult("mul.f32", kTwo, "f", kProducts),
      OneResult("mul.rn.f32", kTwo, "f", kProducts),
      OneResult("mul.rn.f64", "%fd20, %fd1, %fd2", "fd",
                {
                    {{0x3ff0000000000001, 0x3ff8000000000000, 0}, 0x3ff8000000000002},
                    {{0x3ff0000004000000, 0x3ff0000004000000, 0}, 0x3ff0000008000001},
                    {{0x0010000000000000, 0x3fe0000000000000, 0}, 0x0008000000000000},
                    {{1, 0x3fe0000000000000, 0}, 0},
                    {{0x8000000000000003, 0x3fe0000000000000, 0}, 0x8000000000000002},
                    {{0x7fefffffffffffff, 0x4000000000000000, 0}, 0x7ff0000000000000},
                    {{0, 0xbff0000000000000, 0}, 0x8000000000000000},
                    {{0x7ff0000000000000, 0, 0}, kAnyNan},
                    {{0x7ff8000000000000, 0x3ff0000000000000, 0}, kAnyNan},
                }),
      // 9.7.3.6.
      OneResult("fma.rn.f32", "%f20, %f10, %f11, %f12", "f", kFusedNearest),
      OneResult("fma.rm.f32", "%f20, %f10, %f11, %f12", "f", kFusedDown),
      // 9.7.3.8, 9.7.3.13 and 9.7.3.15, .rn: IEEE 754.
      OneResult("div.rn.f32", kTwo, "f", kQuotients),
      OneResult("rcp.rn.f32", "%f20, %f10", "f", kReciprocals),
      OneResult("sqrt.rn.f32", "%f20, %f10", "f", kRoots),
      // 9.7.3.2: the sign of the first operand, and the value of the second.
      OneResult("copysign.f32", kTwo, "f",
                {
                    {{kMinusOne, 0x40000000, 0}, 0xc0000000},
                    {{kOne, 0xc0000000, 0}, 0x40000000},
                    {{kMinusZero, kInf, 0}, kMinusInf},
                    {{0, kMinusZero, 0}, 0},
                    {{0xffc00000, kLeast, 0}, 0x80000001},
                }),
      // 9.7.3.9 and 9.7.3.10.
      OneResult("abs.f32", "%f20, %f10", "f",
                {{{kMinusOne, 0, 0}, kOne},
                 {{kMinusZero, 0, 0}, 0},
                 {{kMinusInf, 0, 0}, kInf},
                 {{0x80000001, 0, 0}, kLeast},
                 {{kMax, 0, 0}, kMax},
                 {{0xffc00000, 0, 0}, kAnyNan}}),
      OneResult("neg.f32", "%f20, %f10", "f",
                {{{kMinusOne, 0, 0}, kOne},
                 {{0, 0, 0}, kMinusZero},
                 {{kMinusZero, 0, 0}, 0},
                 {{kInf, 0, 0}, kMinusInf},
                 {{kLeast, 0, 0}, 0x80000001},
                 {{kNan, 0, 0}, kAnyNan}}),
      // 9.7.3.12; .NaN gives the canonical NaN.
      OneResult("max.f32", kTwo, "f", Maxima(0, false)),
      OneResult("max.NaN.f32", kTwo, "f", Maxima(0x7fffffff, true)),
      // 9.7.3.13 and 9.7.3.21: at most 1 and 2 ulps from the correctly rounded result.
      Approximate({"rcp.approx.ftz.f32", Reciprocal, 1, true}, Divisors(),
                  {{{0, 0, 0}, kInf},
                   {{kMinusZero, 0, 0}, kMinusInf},
                   {{kLeast, 0, 0}, kInf},
                   {{0x807fffff, 0, 0}, kMinusInf},
                   {{kInf, 0, 0}, 0},
                   {{kMinusInf, 0, 0}, kMinusZero},
                   {{0x7f000000, 0, 0}, 0},
                   {{0xff7fffff, 0, 0}, kMinusZero},
                   {{kNan, 0, 0}, kAnyNan}}),
      Approximate({"ex2.approx.f32", Exp2, 2, false}, low, exponentials),
      Approximate({"ex2.approx.ftz.f32", Exp2, 2, true}, Exponents(), flushed),
  };
}

}  // namespace dragoman::ptx::isa
