// Tests instructions that a lane executes by itself against the PTX ISA 9.0, chapter 9.7: "Integer
// Arithmetic", "Floating Point", "Comparison and Selection", "Logic and Shift" and "Data Movement
// and Conversion". The expected values were derived from those pages.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/gpu/ptx/text_kernel.h"

namespace dragoman::ptx {
namespace {

constexpr uint64_t kMinus1 = ~uint64_t{0};
constexpr uint64_t kMinus1Of32 = 0xffffffff;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
const uint64_t kNan = 0x7fffffff;  // the canonical NaN of f32

using Expected = std::vector<uint64_t>;

TEST(PtxArithmetic, IntegersWrapAndDivideTowardsZero) {
  EXPECT_EQ(Results("add.s32 %r20, %r10, %r11;", "r", {{0x7fffffff, 1}, {5, kMinus1Of32}}),
            (Expected{0x80000000, 4}));
  EXPECT_EQ(Results("add.s64 %rd20, %rd10, -8;", "rd", {{3}, {8}}), (Expected{kMinus1 - 4, 0}));
  EXPECT_EQ(Results("sub.s32 %r20, %r10, %r11;", "r", {{0, 1}}), (Expected{kMinus1Of32}));
  EXPECT_EQ(Results("add.s16 %rs20, %rs10, %rs11;", "rs", {{0xffff, 2}}), (Expected{1}));
  EXPECT_EQ(Results("mul.lo.s32 %r20, %r10, %r11;", "r", {{0x10001, 0x10001}, {kMinus1Of32, 7}}),
            (Expected{0x20001, 0xfffffff9}));
  EXPECT_EQ(
      Results("mul.wide.s32 %rd20, %r10, %r11;", "rd", {{kMinus1Of32, 4}, {0x10000, 0x10000}}),
      (Expected{kMinus1 - 3, 0x100000000}));
  EXPECT_EQ(Results("mul.wide.u32 %rd20, %r10, %r11;", "rd", {{kMinus1Of32, 2}}),
            (Expected{0x1fffffffe}));
  EXPECT_EQ(Results("mul.hi.u32 %r20, %r10, %r11;", "r", {{0x80000000, 6}}), (Expected{3}));
  EXPECT_EQ(Results("mad.lo.s32 %r20, %r10, %r11, %r12;", "r", {{3, 4, 5}, {kMinus1Of32, 4, 2}}),
            (Expected{17, 0xfffffffe}));
  EXPECT_EQ(Results("div.s32 %r20, %r10, %r11;", "r", {{static_cast<uint32_t>(-7), 2}, {7, 2}}),
            (Expected{static_cast<uint32_t>(-3), 3}));
  EXPECT_EQ(Results("rem.s32 %r20, %r10, %r11;", "r", {{static_cast<uint32_t>(-7), 2}, {7, 2}}),
            (Expected{kMinus1Of32, 1}));
  EXPECT_EQ(Results("div.u32 %r20, %r10, %r11;", "r", {{kMinus1Of32, 2}}), (Expected{0x7fffffff}));
  EXPECT_EQ(Results("div.s64 %rd20, %rd10, %rd11;", "rd", {{kMinus1, 1}, {100, 7}}),
            (Expected{kMinus1, 14}));
  EXPECT_EQ(Results("rem.u64 %rd20, %rd10, %rd11;", "rd", {{100, 7}}), (Expected{2}));
  EXPECT_EQ(Results("min.s32 %r20, %r10, %r11;", "r", {{kMinus1Of32, 1}}), (Expected{kMinus1Of32}));
  EXPECT_EQ(Results("min.u32 %r20, %r10, %r11;", "r", {{kMinus1Of32, 1}}), (Expected{1}));
  EXPECT_EQ(Results("max.s64 %rd20, %rd10, %rd11;", "rd", {{kMinus1, 1}}), (Expected{1}));
  EXPECT_EQ(Results("neg.s32 %r20, %r10;", "r", {{1}, {0x80000000}}),
            (Expected{kMinus1Of32, 0x80000000}));
}

TEST(PtxArithmetic, ShiftsAreClampedAndFillWithTheSignOfSignedTypes) {
  EXPECT_EQ(Results("shl.b32 %r20, %r10, %r11;", "r", {{1, 31}, {1, 32}, {1, 40}, {3, 1}}),
            (Expected{0x80000000, 0, 0, 6}));
  EXPECT_EQ(Results("shl.b64 %rd20, %rd10, %r11;", "rd", {{1, 63}, {1, 64}}),
            (Expected{uint64_t{1} << 63, 0}));
  EXPECT_EQ(Results("shr.s32 %r20, %r10, %r11;", "r", {{0x80000000, 31}, {0x80000000, 99}, {8, 2}}),
            (Expected{kMinus1Of32, kMinus1Of32, 2}));
  EXPECT_EQ(Results("shr.u32 %r20, %r10, %r11;", "r", {{0x80000000, 31}, {0x80000000, 32}}),
            (Expected{1, 0}));
  EXPECT_EQ(Results("shr.s64 %rd20, %rd10, 4;", "rd", {{kMinus1 - 15}}), (Expected{kMinus1}));
  EXPECT_EQ(Results("and.b32 %r20, %r10, %r11;", "r", {{0xff00ff, 0xfff}}), (Expected{0xff}));
  EXPECT_EQ(Results("or.b64 %rd20, %rd10, %rd11;", "rd", {{0xf0, 0x0f}}), (Expected{0xff}));
  EXPECT_EQ(Results("xor.b32 %r20, %r10, -1;", "r", {{0xf}}), (Expected{0xfffffff0}));
  EXPECT_EQ(Results("not.b16 %rs20, %rs10;", "rs", {{0xff}}), (Expected{0xff00}));
}

TEST(PtxArithmetic, FloatsAreRoundedToNearestEvenAndKeepSubnormals) {
  const uint64_t tiny = 1;  // the smallest subnormal number
  EXPECT_EQ(Results("add.f32 %f20, %f10, %f11;", "f",
                    {{Bits(1.0F), Bits(0x1p-24F)}, {Bits(1.0F), Bits(0x1.8p-24F)}, {tiny, tiny}}),
            (Expected{Bits(1.0F), Bits(0x1.000002p0F), 2}));
  EXPECT_EQ(Results("mul.f32 %f20, %f10, %f11;", "f", {{Bits(0x1p-75F), Bits(0x1p-74F)}}),
            (Expected{1}));
  EXPECT_EQ(Results("sub.rn.f32 %f20, %f10, %f11;", "f", {{Bits(2.0F), Bits(0.5F)}}),
            (Expected{Bits(1.5F)}));
  // (1 + 2^-12)^2 - (1 + 2^-11) is exactly 2^-24. Rounding the product first would lose this bit.
  EXPECT_EQ(Results("fma.rn.f32 %f20, %f10, %f11, %f12;", "f",
                    {{Bits(0x1.001p0F), Bits(0x1.001p0F), Bits(-0x1.002p0F)}}),
            (Expected{Bits(0x1p-24F)}));
  EXPECT_EQ(Results("div.rn.f32 %f20, %f10, %f11;", "f",
                    {{Bits(1.0F), Bits(3.0F)}, {Bits(1.0F), Bits(-0.0F)}}),
            (Expected{Bits(0x1.555556p-2F), Bits(-kInfinity)}));
  EXPECT_EQ(Results("sqrt.rn.f32 %f20, %f10;", "f", {{Bits(2.0F)}}),
            (Expected{Bits(0x1.6a09e6p0F)}));
  EXPECT_EQ(Results("rcp.rn.f32 %f20, %f10;", "f", {{Bits(3.0F)}}),
            (Expected{Bits(0x1.555556p-2F)}));
  EXPECT_EQ(Results("mul.rn.f64 %fd20, %fd1, %fd2;", "fd", {{Bits(0.5), Bits(3.0)}}),
            (Expected{Bits(1.5)}));
}

TEST(PtxArithmetic, FmaRoundsDownWhereItSays) {
  EXPECT_EQ(Results("fma.rm.f32 %f20, %f10, %f11, %f12;", "f",
                    {{Bits(1.0F), Bits(1.0F), Bits(0x1p-30F)},    // slightly more than 1
                     {Bits(1.0F), Bits(1.0F), Bits(-0x1p-30F)},   // slightly less than 1
                     {Bits(-1.0F), Bits(1.0F), Bits(-0x1p-30F)},  // slightly less than -1
                     {Bits(3.0F), Bits(5.0F), Bits(0.25F)},
                     {Bits(1.0F), Bits(1.0F), Bits(-1.0F)},  // an exact zero is -0 in this rounding
                     {Bits(0x1p127F), Bits(2.0F), Bits(0.0F)}}),
            (Expected{Bits(1.0F), Bits(0x1.fffffep-1F), Bits(-0x1.000002p0F), Bits(15.25F),
                      Bits(-0.0F), Bits(0x1.fffffep127F)}));
}

TEST(PtxArithmetic, MaximaKnowNanAndTheSignOfZero) {
  const Operands nan{kNan, Bits(1.0F)};
  EXPECT_EQ(Results("max.f32 %f20, %f10, %f11;", "f",
                    {nan, {Bits(1.0F), kNan}, {kNan, kNan}, {Bits(-0.0F), Bits(0.0F)}}),
            (Expected{Bits(1.0F), Bits(1.0F), kNan, Bits(0.0F)}));
  EXPECT_EQ(Results("min.f32 %f20, %f10, %f11;", "f", {nan, {Bits(-0.0F), Bits(0.0F)}}),
            (Expected{Bits(1.0F), Bits(-0.0F)}));
  EXPECT_EQ(Results("max.NaN.f32 %f20, %f10, %f11;", "f", {nan, {Bits(2.0F), Bits(3.0F)}}),
            (Expected{kNan, Bits(3.0F)}));
  EXPECT_EQ(Results("neg.f32 %f20, %f10;", "f", {{Bits(0.0F)}, {Bits(2.0F)}}),
            (Expected{Bits(-0.0F), Bits(-2.0F)}));
  EXPECT_EQ(Results("abs.f32 %f20, %f10;", "f", {{Bits(-3.0F)}}), (Expected{Bits(3.0F)}));
  // "Copy sign bit of a into value of b".
  EXPECT_EQ(Results("copysign.f32 %f20, %f10, %f11;", "f", {{Bits(-1.0F), Bits(5.0F)}}),
            (Expected{Bits(-5.0F)}));
}

TEST(PtxArithmetic, ApproximationsStayWithinTheErrorsOfTheIsa) {
  // ex2.approx: relative error 2^-22.
  for (const float x : {-126.0F, -3.7F, -0.1F, 0.0F, 0.3F, 1.0F, 12.9F, 127.0F}) {
    for (const char* const name : {"ex2.approx.f32 ", "ex2.approx.ftz.f32 "}) {
      const auto bits = Results(std::string(name) + "%f20, %f10;", "f", {{Bits(x)}})[0];
      const auto found = double{std::bit_cast<float>(static_cast<uint32_t>(bits))};
      EXPECT_NEAR(found / std::exp2(double{x}), 1.0, 0x1p-22) << name << x;
    }
  }
  // "-Inf: +0.0, -subnormal and +subnormal: +1.0, NaN: NaN". With .ftz, subnormal results are
  // flushed too.
  EXPECT_EQ(Results("ex2.approx.ftz.f32 %f20, %f10;", "f",
                    {{Bits(-kInfinity)}, {Bits(kInfinity)}, {Bits(-130.0F)}, {1}}),
            (Expected{0, Bits(kInfinity), 0, Bits(1.0F)}));
  EXPECT_EQ(Results("ex2.approx.f32 %f20, %f10;", "f", {{Bits(-130.0F)}}),
            (Expected{Bits(0x1p-130F)}));
  // rcp.approx.ftz: at most 1 ulp.
  for (const float x : {-3.0F, 0.7F, 1.0F, 1e20F}) {
    const auto bits = Results("rcp.approx.ftz.f32 %f20, %f10;", "f", {{Bits(x)}})[0];
    const auto found = std::bit_cast<float>(static_cast<uint32_t>(bits));
    EXPECT_LE(std::abs(std::bit_cast<int32_t>(found) - std::bit_cast<int32_t>(1.0F / x)), 1) << x;
  }
  EXPECT_EQ(Results("rcp.approx.ftz.f32 %f20, %f10;", "f", {{1}, {Bits(0x1p127F)}, {Bits(-0.0F)}}),
            (Expected{Bits(kInfinity), 0, Bits(-kInfinity)}));
}

TEST(PtxArithmetic, ComparisonsOfNanAreFalseUnlessTheyAreUnordered) {
  const std::vector<Operands> cases = {
      {Bits(1.0F), Bits(2.0F)}, {Bits(2.0F), Bits(2.0F)}, {kNan, Bits(2.0F)}};
  const auto compared = [&](const std::string& how) {
    return Results("setp." + how + ".f32 %p20, %f10, %f11;", "p", cases);
  };
  EXPECT_EQ(compared("eq"), (Expected{0, 1, 0}));
  EXPECT_EQ(compared("ne"), (Expected{1, 0, 0}));
  EXPECT_EQ(compared("lt"), (Expected{1, 0, 0}));
  EXPECT_EQ(compared("le"), (Expected{1, 1, 0}));
  EXPECT_EQ(compared("gt"), (Expected{0, 0, 0}));
  EXPECT_EQ(compared("ge"), (Expected{0, 1, 0}));
  EXPECT_EQ(compared("equ"), (Expected{0, 1, 1}));
  EXPECT_EQ(compared("neu"), (Expected{1, 0, 1}));
  EXPECT_EQ(compared("ltu"), (Expected{1, 0, 1}));
  EXPECT_EQ(compared("leu"), (Expected{1, 1, 1}));
  EXPECT_EQ(compared("gtu"), (Expected{0, 0, 1}));
  EXPECT_EQ(compared("geu"), (Expected{0, 1, 1}));
  EXPECT_EQ(compared("num"), (Expected{1, 1, 0}));
  EXPECT_EQ(compared("nan"), (Expected{0, 0, 1}));
}

TEST(PtxArithmetic, ComparisonsOfIntegersHaveTheSignOfTheirType) {
  const std::vector<Operands> cases = {{kMinus1Of32, 1}, {1, 1}};
  EXPECT_EQ(Results("setp.lt.s32 %p20, %r10, %r11;", "p", cases), (Expected{1, 0}));
  EXPECT_EQ(Results("setp.lt.u32 %p20, %r10, %r11;", "p", cases), (Expected{0, 0}));
  EXPECT_EQ(Results("setp.gt.s32 %p20, %r10, -1;", "p", cases), (Expected{0, 1}));
  EXPECT_EQ(Results("setp.ge.u64 %p20, %rd10, %rd11;", "p", cases), (Expected{1, 1}));
  EXPECT_EQ(Results("setp.le.s64 %p20, %rd10, -1;", "p", {{kMinus1}, {0}}), (Expected{1, 0}));
  EXPECT_EQ(Results("setp.eq.s16 %p20, %rs10, -1;", "p", {{0xffff}, {1}}), (Expected{1, 0}));
  EXPECT_EQ(Results("setp.ne.b32 %p20, %r10, 0;", "p", cases), (Expected{1, 1}));
}

TEST(PtxArithmetic, PredicatesSelectAndCombine) {
  const std::vector<Operands> cases = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_EQ(Results("and.pred %p20, %p10, %p11;", "p", cases), (Expected{0, 0, 0, 1}));
  EXPECT_EQ(Results("or.pred %p20, %p10, %p11;", "p", cases), (Expected{0, 1, 1, 1}));
  EXPECT_EQ(Results("xor.pred %p20, %p10, %p11;", "p", cases), (Expected{0, 1, 1, 0}));
  EXPECT_EQ(Results("not.pred %p20, %p10;", "p", cases), (Expected{1, 1, 0, 0}));
  EXPECT_EQ(Results("mov.pred %p20, -1;", "p", cases), (Expected{1, 1, 1, 1}));
  EXPECT_EQ(Results("selp.b32 %r20, 7, %r11, %p10;", "r", cases), (Expected{0, 1, 7, 7}));
  EXPECT_EQ(Results("selp.f32 %f20, 0f3F800000, 0f40000000, %p10;", "f", {{1}, {0}}),
            (Expected{Bits(1.0F), Bits(2.0F)}));
  // A lane whose guard is false keeps its destination.
  EXPECT_EQ(Results("mov.u32 %r20, 5; @%p10 mov.u32 %r20, 6; @!%p11 mov.u32 %r20, 9;", "r", cases),
            (Expected{9, 5, 9, 6}));
}

TEST(PtxArithmetic, ConversionsExtendCutRoundAndClamp) {
  EXPECT_EQ(Results("cvt.s64.s32 %rd20, %r10;", "rd", {{0x80000000}}),
            (Expected{0xffffffff80000000}));
  EXPECT_EQ(Results("cvt.u64.u32 %rd20, %r10;", "rd", {{0x80000000}}), (Expected{0x80000000}));
  EXPECT_EQ(Results("cvt.u16.u32 %rs20, %r10;", "rs", {{0x12345}}), (Expected{0x2345}));
  // "The source operand's upper bits are ignored" in a wider register.
  EXPECT_EQ(Results("cvt.s32.s16 %r20, %r10;", "r", {{0x1ffff}}), (Expected{kMinus1Of32}));
  EXPECT_EQ(Results("cvt.s32.s8 %r20, %rs10;", "r", {{0x180}}), (Expected{0xffffff80}));
  EXPECT_EQ(Results("cvt.u32.u64 %r20, %rd10;", "r", {{0x1234567890}}), (Expected{0x34567890}));
  EXPECT_EQ(Results("cvt.rn.f32.s32 %f20, %r10;", "f", {{0x1000001}, {kMinus1Of32}}),
            (Expected{Bits(0x1p24F), Bits(-1.0F)}));
  EXPECT_EQ(Results("cvt.rn.f32.u32 %f20, %r10;", "f", {{kMinus1Of32}}), (Expected{Bits(0x1p32F)}));
  EXPECT_EQ(Results("cvt.rzi.s32.f32 %r20, %f10;", "r",
                    {{Bits(-1.9F)}, {Bits(3e9F)}, {Bits(-kInfinity)}, {kNan}}),
            (Expected{kMinus1Of32, 0x7fffffff, 0x80000000, 0}));
  EXPECT_EQ(Results("cvt.rzi.u64.f32 %rd20, %f10;", "rd", {{Bits(-2.0F)}, {Bits(0x1p40F)}}),
            (Expected{0, uint64_t{1} << 40}));
  EXPECT_EQ(Results("cvt.rzi.u64.f64 %rd20, %fd1;", "rd", {{Bits(7.99)}, {Bits(1e30)}}),
            (Expected{7, kMinus1}));
  EXPECT_EQ(Results("cvt.rmi.f32.f32 %f20, %f10;", "f", {{Bits(-1.5F)}}), (Expected{Bits(-2.0F)}));
  EXPECT_EQ(Results("cvt.rpi.f64.f64 %fd20, %fd1;", "fd", {{Bits(1.25)}}), (Expected{Bits(2.0)}));
  EXPECT_EQ(Results("cvt.sat.f32.f32 %f20, %f10;", "f",
                    {{Bits(-1.0F)}, {Bits(0.25F)}, {Bits(7.0F)}, {kNan}}),
            (Expected{0, Bits(0.25F), Bits(1.0F), 0}));
  EXPECT_EQ(Results("cvt.f64.f32 %fd20, %f10;", "fd", {{Bits(0.1F)}}),
            (Expected{Bits(double{0.1F})}));
  EXPECT_EQ(Results("cvt.rn.f64.u64 %fd20, %rd10;", "fd", {{kMinus1}}), (Expected{Bits(0x1p64)}));
}

TEST(PtxArithmetic, HalvesAreRoundedToEvenAndNanIsCanonical) {
  // f16 has 11 significant bits: 1 + 2^-11 lies between two numbers and is rounded to the even one,
  // 1.
  EXPECT_EQ(Results("cvt.rn.f16.f32 %rs20, %f10;", "rs",
                    {{Bits(1.0F)},
                     {Bits(0x1.002p0F)},
                     {Bits(0x1.006p0F)},
                     {Bits(65520.0F)},
                     {Bits(0x1p-24F)},
                     {Bits(0x1p-25F)},
                     {kNan}}),
            (Expected{0x3c00, 0x3c00, 0x3c02, 0x7c00, 1, 0, 0x7fff}));
  EXPECT_EQ(Results("cvt.rn.bf16.f32 %rs20, %f10;", "rs",
                    {{Bits(1.0F)}, {Bits(0x1.01p0F)}, {Bits(0x1.03p0F)}, {kNan}}),
            (Expected{0x3f80, 0x3f80, 0x3f82, 0x7fff}));
  EXPECT_EQ(Results("cvt.f32.f16 %f20, %rs10;", "f", {{0x3c01}, {0x8001}, {0xfc00}}),
            (Expected{Bits(0x1.004p0F), Bits(-0x1p-24F), Bits(-kInfinity)}));
  EXPECT_EQ(Results("cvt.f32.bf16 %f20, %rs10;", "f", {{0xc040}}), (Expected{Bits(-3.0F)}));
  // "For .f16x2, a goes to the upper half and b to the lower half of d."
  EXPECT_EQ(Results("cvt.rn.f16x2.f32 %r20, %f10, %f11;", "r", {{Bits(1.0F), Bits(2.0F)}}),
            (Expected{0x3c004000}));
  EXPECT_EQ(Results("cvt.rn.bf16x2.f32 %r20, %f10, %f11;", "r", {{Bits(1.0F), Bits(2.0F)}}),
            (Expected{0x3f804000}));
}

TEST(PtxArithmetic, VectorsOfMovBeginWithTheLowestBits) {
  EXPECT_EQ(Results("mov.b32 %r20, {%rs10, %rs11};", "r", {{0x1111, 0x2222}}),
            (Expected{0x22221111}));
  EXPECT_EQ(Results("mov.b64 %rd20, {%r10, %r11};", "rd", {{0x1, 0x2}}), (Expected{0x200000001}));
  EXPECT_EQ(Results("mov.b32 {%rs20, %rs21}, %r10;", "rs", {{0x22221111}}), (Expected{0x1111}));
  EXPECT_EQ(Results("mov.b64 {%r21, %r20}, %rd10;", "r", {{0x200000001}}), (Expected{2}));
  EXPECT_EQ(Results("{ .reg .b32 %r10; mov.u32 %r10, 4; add.u32 %r20, %r10, 1; }", "r", {{77}}),
            (Expected{5}));
}

}  // namespace
}  // namespace dragoman::ptx
