// Section 9.7.9.21 of the PTX ISA: cvt; and the rules of 9.4.1 for operands that are wider than the
// type of the instruction.
#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

std::vector<Row> Of(const std::vector<std::pair<uint64_t, uint64_t>>& pairs) {
  std::vector<Row> rows;
  rows.reserve(pairs.size());
  for (const auto& [in, out] : pairs) rows.push_back({{in, 0, 0}, out});
  return rows;
}

// Returns the rows with each result in one half of a pair. The other half is the result of `one`.
std::vector<Row> Packed(const std::vector<Row>& rows, uint64_t one, uint64_t one_rounded) {
  std::vector<Row> packed;
  for (const Row& row : rows) {
    if (row.expected == kAnyNan) continue;
    // The first operand is the upper half.
    packed.push_back({{row.in.a, one, 0}, row.expected << 16 | one_rounded});
    packed.push_back({{one, row.in.a, 0}, one_rounded << 16 | row.expected});
  }
  return packed;
}

// f32 to f16: 10 bits after the point. The smallest normal number is 2^-14, the smallest 2^-24, and
// the largest 65504.
const std::vector<Row> kToHalf = Of({
    {0x3f800000, 0x3c00},  {0x3f801000, 0x3c00},  // 1 + 2^-11: a tie
    {0x3f803000, 0x3c02},                         // 1 + 3 2^-11: a tie
    {0x3f801001, 0x3c01},  {0x3f800fff, 0x3c00}, {0xbf803000, 0xbc02},
    {0x477fe000, 0x7bff},                         // 65504
    {0x477fefff, 0x7bff},  {0x477ff000, 0x7c00},  // 65520: a tie with 65536, the infinity
    {0xc77ff000, 0xfc00},  {0x501502f9, 0x7c00}, {0x38800000, 0x0400},  // 2^-14
    {0x387fe000, 0x0400},                                               // 2^-14 - 2^-25: a tie
    {0x387fc000, 0x03ff},  {0x33800000, 0x0001},                        // 2^-24
    {0x33000000, 0x0000},                                               // 2^-25: a tie with zero
    {0x33000001, 0x0001},  {0x33c00000, 0x0002},                        // 1.5 2^-24: a tie
    {0xb3000000, 0x8000},  {0x00000001, 0x0000}, {0x80000000, 0x8000},
    {0x7f800000, 0x7c00},  {0xff800000, 0xfc00}, {0x7fc00000, kAnyNan},
    {0xff800001, kAnyNan},
});

// f32 to bf16: the upper half of the bits, rounded.
const std::vector<Row> kToBrain = Of({
    {0x3f800000, 0x3f80},  {0x3f808000, 0x3f80},  // ties
    {0x3f818000, 0x3f82},  {0xbf818000, 0xbf82},  {0x3f808001, 0x3f81}, {0x3f807fff, 0x3f80},
    {0x7f7f7fff, 0x7f7f},  {0x7f7f8000, 0x7f80},                         // a tie with the infinity
    {0x7f7fffff, 0x7f80},  {0xff7fffff, 0xff80},  {0x00008000, 0x0000},  // subnormal ties
    {0x00018000, 0x0002},  {0x00008001, 0x0001},  {0x007f8000, 0x0080}, {0x80000001, 0x8000},
    {0x80000000, 0x8000},  {0x7f800000, 0x7f80},  {0xff800000, 0xff80}, {0x7fc00000, kAnyNan},
    {0x7f800001, kAnyNan}, {0xffffffff, kAnyNan},
});

constexpr uint64_t kLowest64 = 0x8000000000000000;
constexpr uint64_t kHighest64 = 0x7fffffffffffffff;
constexpr uint64_t kAll64 = 0xffffffffffffffff;

// Floats to integers: truncated and clamped to the range. NaN becomes zero, or only the highest bit
// if one of the types has 64 bits.
const std::vector<Row> kFloatToS32 = Of({
    {0x3ff33333, 1},           // 1.9
    {0xbff33333, 0xffffffff},  // -1.9
    {0xbf7fffff, 0},
    {0x80000000, 0},
    {0x00000001, 0},
    {0x4effffff, 0x7fffff80},
    {0x4f000000, 0x7fffffff},
    {0xcf000000, 0x80000000},
    {0xcf000001, 0x80000000},
    {0x7f800000, 0x7fffffff},
    {0xff800000, 0x80000000},
    {0x7fc00000, 0},
    {0xffc00000, 0},
});
const std::vector<Row> kFloatToS64 = Of({
    {0x3ff33333, 1},
    {0xbff33333, kAll64},
    {0x80000000, 0},
    {0x4f800000, 0x100000000},
    {0xdeffffff, 0x8000008000000000},
    {0x5effffff, 0x7fffff8000000000},
    {0x5f000000, kHighest64},
    {0xdf000000, kLowest64},
    {0xdf000001, kLowest64},
    {0x7f800000, kHighest64},
    {0xff800000, kLowest64},
    {0x7fc00000, kLowest64},
    {0xffc00001, kLowest64},
});
const std::vector<Row> kFloatToU64 = Of({
    {0x3ff33333, 1},
    {0xbf000000, 0},
    {0xbff33333, 0},
    {0xff800000, 0},
    {0x5f000000, kLowest64},
    {0x5f7fffff, 0xffffff0000000000},
    {0x5f800000, kAll64},
    {0x7f800000, kAll64},
    {0x7fc00000, kLowest64},
});
const std::vector<Row> kDoubleToU64 = Of({
    {0x3ffe666666666666, 1},
    {0xbfefffffffffffff, 0},
    {0xbff0000000000000, 0},
    {0xfff0000000000000, 0},
    {0x43e0000000000000, kLowest64},
    {0x43efffffffffffff, 0xfffffffffffff800},
    {0x43f0000000000000, kAll64},
    {0x7ff0000000000000, kAll64},
    {0x7ff8000000000000, kLowest64},
    {0x433fffffffffffff, 0x001fffffffffffff},
});

const std::vector<Row> kFloors = Of({
    {0x3fc00000, 0x3f800000},  // 1.5
    {0xbfc00000, 0xc0000000},
    {0x3f000000, 0},
    {0xbf000000, 0xbf800000},
    {0x80000001, 0xbf800000},
    {0x007fffff, 0},
    {0x80000000, 0x80000000},
    {0x4affffff, 0x4afffffe},  // 8388607.5
    {0xcaffffff, 0xcb000000},
    {0x4b000001, 0x4b000001},
    {0x7f7fffff, 0x7f7fffff},
    {0x7f800000, 0x7f800000},
    {0xff800000, 0xff800000},
    {0x7fc00000, kAnyNan},
});
const std::vector<Row> kCeilings = Of({
    {0x3ff8000000000000, 0x4000000000000000},  // 1.5
    {0xbff8000000000000, 0xbff0000000000000},
    {1, 0x3ff0000000000000},
    {0x3ff0000000000000, 0x3ff0000000000000},
    {0x3ff0000000000001, 0x4000000000000000},
    {0x8000000000000000, 0x8000000000000000},
    {0x432fffffffffffff, 0x4330000000000000},  // 2^52 - 0.5
    {0x4330000000000001, 0x4330000000000001},
    {0x7ff0000000000000, 0x7ff0000000000000},
    {0xfff0000000000000, 0xfff0000000000000},
    {0x7ff8000000000000, kAnyNan},
});

// Returns two rows for each byte. Both convert it to a signed 32-bit number. The upper bits of the
// source register are zero in one row and `above` in the other.
std::vector<Row> SignedBytes(uint64_t above) {
  std::vector<Row> rows;
  for (uint64_t byte = 0; byte < 256; ++byte) {
    const uint64_t expected = byte < 128 ? byte : 0xffffff00 | byte;
    rows.push_back({{byte, 0, 0}, expected});
    rows.push_back({{above | byte, 0, 0}, expected});
  }
  return rows;
}

}  // namespace

std::vector<Form> ConversionForms() {
  // In a wider register, the bits above the type's do not count. Results of signed types are
  // sign-extended to the destination, others zero-extended.
  const std::vector<Row> of_16_bits =
      Of({{0, 0}, {0x7fff, 0x7fff}, {0x8000, 0xffff8000}, {0xffff, 0xffffffff}});
  const std::vector<Row> low_16_bits =
      Of({{0x00017fff, 0x7fff}, {0x00008000, 0xffff8000}, {0xffff0001, 1}});
  const std::vector<Row> of_32_bits = Of(
      {{0, 0}, {0x7fffffff, 0x7fffffff}, {0x80000000, 0xffffffff80000000}, {0xffffffff, kAll64}});
  const std::vector<Row> low_32_bits =
      Of({{0x17fffffff, 0x7fffffff}, {0x0080000000, 0xffffffff80000000}, {0xffffffff00000001, 1}});
  return {
      // Between floating-point formats.
      OneResult("cvt.f32.bf16", "%f20, %rs10", "f",
                Of({{0x3f80, 0x3f800000},
                    {0x0001, 0x00010000},
                    {0x807f, 0x807f0000},
                    {0x8000, 0x80000000},
                    {0x7f7f, 0x7f7f0000},
                    {0x7f80, 0x7f800000},
                    {0xff80, 0xff800000},
                    {0x7fc0, kAnyNan},
                    {0xff81, kAnyNan}})),
      OneResult("cvt.f32.f16", "%f20, %rs10", "f",
                Of({{0x3c00, 0x3f800000},
                    {0xc001, 0xc0002000},
                    {0x0001, 0x33800000},
                    {0x03ff, 0x387fc000},
                    {0x8200, 0xb8000000},
                    {0x0400, 0x38800000},
                    {0x7bff, 0x477fe000},
                    {0x8000, 0x80000000},
                    {0x7c00, 0x7f800000},
                    {0xfc00, 0xff800000},
                    {0x7e00, kAnyNan},
                    {0xfc01, kAnyNan}})),
      OneResult("cvt.f64.f32", "%fd20, %f10", "fd",
                Of({{0x3f800000, 0x3ff0000000000000},
                    {0x3dcccccd, 0x3fb99999a0000000},
                    {0x00000001, 0x36a0000000000000},
                    {0x807fffff, 0xb80fffffc0000000},
                    {0x7f7fffff, 0x47efffffe0000000},
                    {0x80000000, 0x8000000000000000},
                    {0xff800000, 0xfff0000000000000},
                    {0x7fc00000, kAnyNan}})),
      OneResult("cvt.rn.f16.f32", "%rs20, %f10", "rs", kToHalf),
      OneResult("cvt.rn.bf16.f32", "%rs20, %f10", "rs", kToBrain),
      OneResult("cvt.rn.f16x2.f32", "%r20, %f10, %f11", "r", Packed(kToHalf, 0xc0003000, 0xc002)),
      OneResult("cvt.rn.bf16x2.f32", "%r20, %f10, %f11", "r", Packed(kToBrain, 0xc0018000, 0xc002)),
      // To integral values of the same format.
      OneResult("cvt.rmi.f32.f32", "%f20, %f10", "f", kFloors),
      OneResult("cvt.rpi.f64.f64", "%fd20, %fd1", "fd", kCeilings),
      // Clamped to [0, 1]; a NaN becomes +0.
      OneResult("cvt.sat.f32.f32", "%f20, %f10", "f",
                Of({{0x3f000000, 0x3f000000},
                    {0x00000001, 0x00000001},
                    {0x3f7fffff, 0x3f7fffff},
                    {0x3f800000, 0x3f800000},
                    {0x3f800001, 0x3f800000},
                    {0x7f800000, 0x3f800000},
                    {0xbf800000, 0},
                    {0x80000001, 0},
                    {0xff800000, 0},
                    {0x7fc00000, 0},
                    {0xffc00000, 0}})),
      // Integers to floats.
      OneResult("cvt.rn.f32.s32", "%f20, %r10", "f",
                Of({{0, 0},
                    {1, 0x3f800000},
                    {0xffffffff, 0xbf800000},
                    {16777217, 0x4b800000},  // a tie
                    {16777219, 0x4b800002},  // a tie
                    {static_cast<uint32_t>(-16777219), 0xcb800002},
                    {0x7fffffff, 0x4f000000},
                    {0x80000000, 0xcf000000}})),
      OneResult("cvt.rn.f32.u32", "%f20, %r10", "f",
                Of({{0, 0},
                    {1, 0x3f800000},
                    {0x80000080, 0x4f000000},  // a tie
                    {0x80000180, 0x4f000002},  // a tie
                    {0x80000081, 0x4f000001},
                    {0xffffffff, 0x4f800000}})),
      OneResult("cvt.rn.f64.u64", "%fd20, %rd10", "fd",
                Of({{0, 0},
                    {1, 0x3ff0000000000000},
                    {0x20000000000001, 0x4340000000000000},  // 2^53 + 1: a tie
                    {0x20000000000003, 0x4340000000000002},  // a tie
                    {kHighest64, 0x43e0000000000000},
                    {kLowest64, 0x43e0000000000000},
                    {0xfffffffffffff400, 0x43effffffffffffe},  // a tie
                    {kAll64, 0x43f0000000000000}})),
      OneResult("cvt.rzi.s32.f32", "%r20, %f10", "r", kFloatToS32),
      OneResult("cvt.rzi.s64.f32", "%rd20, %f10", "rd", kFloatToS64),
      OneResult("cvt.rzi.u64.f32", "%rd20, %f10", "rd", kFloatToU64),
      OneResult("cvt.rzi.u64.f64", "%rd20, %fd1", "rd", kDoubleToU64),
      // Between integers.
      OneResult("cvt.s32.s16",
                {{"%r20, %rs10", "r", of_16_bits}, {"%r20, %r10", "r", low_16_bits}}),
      // 9.7.9.21, cvt of a loaded byte: the lower 8 bits of a register that may be wider (9.4.1)
      // are sign-extended.
      OneResult("cvt.s32.s8", {{"%r20, %rs10", "r", SignedBytes(0xff00)},
                               {"%r20, %r10", "r", SignedBytes(0x7fffff00)},
                               {"%r20, %rd10", "r", SignedBytes(0x7fffffff00)}}),
      OneResult("cvt.s64.s16", "%rd20, %rs10", "rd",
                Of({{0x7fff, 0x7fff}, {0x8000, 0xffffffffffff8000}, {0xffff, kAll64}})),
      OneResult("cvt.s64.s32",
                {{"%rd20, %r10", "rd", of_32_bits}, {"%rd20, %rd10", "rd", low_32_bits}}),
      OneResult("cvt.u16.u32", "%rs20, %r10", "rs",
                Of({{0, 0}, {0xffff, 0xffff}, {0x10000, 0}, {0xdeadbeef, 0xbeef}})),
      OneResult("cvt.u32.u16", "%r20, %rs10", "r",
                Of({{0, 0}, {0x8000, 0x8000}, {0xffff, 0xffff}})),
      OneResult(
          "cvt.u32.u64", "%r20, %rd10", "r",
          Of({{0, 0}, {0x100000000, 0}, {0xdeadbeef12345678, 0x12345678}, {kAll64, 0xffffffff}})),
      OneResult("cvt.u64.u32", "%rd20, %r10", "rd",
                Of({{0, 0}, {0x80000000, 0x80000000}, {0xffffffff, 0xffffffff}})),
  };
}

}  // namespace dragoman::ptx::isa
