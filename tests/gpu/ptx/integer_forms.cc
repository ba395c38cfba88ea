// Integer and bit instructions: add, mul, shifts, comparisons, and moves of whole registers.
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "tests/gpu/ptx/lane_operations.h"

namespace dragoman::ptx {
namespace {

// Computes in 64 bits without overflow, unless the overflow is intended.
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;

template <class T>
constexpr uint64_t Bits(T x) {
  return static_cast<uint64_t>(x);
}

// The ISA leaves division by zero undefined ("machine-specific"). NVIDIA's cards return all ones as
// the quotient and the dividend as the remainder.
template <class T>
constexpr T Divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - Bits(a));
  }
  return static_cast<T>(a / b);
}

template <class T>
constexpr T Remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

// "Shift amounts greater than the register width are clamped."
template <class T>
constexpr T ShiftLeft(T a, uint32_t by) {
  return by >= sizeof(T) * 8 ? T{0} : static_cast<T>(Bits(a) << by);
}
template <class T>
constexpr T ShiftRight(T a, uint32_t by) {
  if (by >= sizeof(T) * 8) return a < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(a >> by);
}

template <class T>
void AddComparisons(const std::string& type, Forms* forms) {
  (*forms)["setp.eq." + type] = CompareForm<T, [](T a, T b) { return a == b; }>();
  (*forms)["setp.ne." + type] = CompareForm<T, [](T a, T b) { return a != b; }>();
  if (type[0] == 'b') return;
  (*forms)["setp.lt." + type] = CompareForm<T, [](T a, T b) { return a < b; }>();
  (*forms)["setp.le." + type] = CompareForm<T, [](T a, T b) { return a <= b; }>();
  (*forms)["setp.gt." + type] = CompareForm<T, [](T a, T b) { return (a > b); }>();
  (*forms)["setp.ge." + type] = CompareForm<T, [](T a, T b) { return (a >= b); }>();
}

template <class T>
void AddArithmetic(const std::string& type, Forms* forms) {
  const auto shift = [](Execute execute) {
    return Form{execute, {WidthFor<T>(), WidthFor<T>(), Width::k32}, false};
  };
  const auto three = [](Execute execute) {
    return Form{execute, {WidthFor<T>(), WidthFor<T>(), WidthFor<T>(), WidthFor<T>()}, false};
  };
  (*forms)["add." + type] = BinaryForm<T, [](T a, T b) { return Bits(a) + Bits(b); }>();
  (*forms)["sub." + type] = BinaryForm<T, [](T a, T b) { return Bits(a) - Bits(b); }>();
  (*forms)["mul.lo." + type] = BinaryForm<T, [](T a, T b) { return Bits(a) * Bits(b); }>();
  (*forms)["div." + type] = BinaryForm<T, &Divide<T>>();
  (*forms)["rem." + type] = BinaryForm<T, &Remainder<T>>();
  (*forms)["min." + type] = BinaryForm<T, [](T a, T b) { return std::min(a, b); }>();
  (*forms)["max." + type] = BinaryForm<T, [](T a, T b) { return std::max(a, b); }>();
  (*forms)["neg." + type] = UnaryForm<T, T, [](T a) { return 0 - Bits(a); }>();
  (*forms)["abs." + type] = UnaryForm<T, T, [](T a) { return a < 0 ? 0 - Bits(a) : Bits(a); }>();
  (*forms)["mad.lo." + type] =
      three(&Ternary<T, T, [](T a, T b, T c) { return Bits(a) * Bits(b) + Bits(c); }>);
  (*forms)["shr." + type] = shift(&Binary<T, T, uint32_t, &ShiftRight<T>>);
  AddComparisons<T>(type, forms);
}

// The full 64-bit product of 32-bit numbers.
template <class T>
void AddWide(const std::string& type, Forms* forms) {
  using W = Wide<T>;
  (*forms)["mul.wide." + type] = {&Binary<W, T, T, [](T a, T b) { return W{a} * W{b}; }>,
                                  {Width::k64, Width::k32, Width::k32},
                                  false};
  (*forms)["mad.wide." + type] = {
      &Ternary<W, T, [](T a, T b, W c) { return Bits(W{a} * W{b}) + Bits(c); }>,
      {Width::k64, Width::k32, Width::k32, Width::k64},
      false};
  (*forms)["mul.hi." + type] = BinaryForm<T, [](T a, T b) { return ((W{a} * W{b}) >> 32); }>();
}

template <class T>
void AddBits(const std::string& type, Forms* forms) {
  (*forms)["and." + type] = BinaryForm<T, [](T a, T b) { return a & b; }>();
  (*forms)["or." + type] = BinaryForm<T, [](T a, T b) { return a | b; }>();
  (*forms)["xor." + type] = BinaryForm<T, [](T a, T b) { return a ^ b; }>();
  (*forms)["not." + type] = UnaryForm<T, T, [](T a) { return ~Bits(a); }>();
  (*forms)["shl." + type] = {
      &Binary<T, T, uint32_t, &ShiftLeft<T>>, {WidthFor<T>(), WidthFor<T>(), Width::k32}, false};
  (*forms)["shr." + type] = {
      &Binary<T, T, uint32_t, &ShiftRight<T>>, {WidthFor<T>(), WidthFor<T>(), Width::k32}, false};
  AddComparisons<T>(type, forms);
}

// prmt without a mode. Each nibble of c selects a byte of b:a for the result. If the upper bit of
// the nibble is set, the byte's sign bit is replicated eight times instead.
constexpr uint32_t Permute(uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t bytes = uint64_t{b} << 32 | a;
  uint32_t d = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t nibble = c >> (4 * i) & 0xfU;
    auto byte = static_cast<uint32_t>(bytes >> (8 * (nibble & 7U)) & 0xffU);
    if ((nibble & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xffU : 0;
    d |= byte << (8 * i);
  }
  return d;
}

// dp4a: the sum of c and four products of signed bytes.
constexpr uint32_t SumOfProducts(uint32_t a, uint32_t b, uint32_t c) {
  for (int shift = 0; shift < 32; shift += 8) {
    c += static_cast<uint32_t>(int32_t{static_cast<int8_t>(a >> shift)} *
                               int32_t{static_cast<int8_t>(b >> shift)});
  }
  return c;
}

void AddBytes(Forms* forms) {
  const auto three = [](Execute execute) {
    return Form{execute, {Width::k32, Width::k32, Width::k32, Width::k32}, false};
  };
  (*forms)["prmt.b32"] = three(&Ternary<uint32_t, uint32_t, &Permute>);
  (*forms)["dp4a.s32.s32"] = three(&Ternary<uint32_t, uint32_t, &SumOfProducts>);
}

// Copies whole registers without looking at their values.
template <class T>
void AddMoves(const std::vector<std::string>& types, Forms* forms) {
  for (const std::string& type : types) {
    (*forms)["mov." + type] = UnaryForm<T, T, [](T a) { return a; }>();
    (*forms)["selp." + type] = {
        &Select<T>, {WidthFor<T>(), WidthFor<T>(), WidthFor<T>(), Width::kPredicate}, false};
  }
}

}  // namespace

void AddIntegerForms(Forms* forms) {
  AddArithmetic<int16_t>("s16", forms);
  AddArithmetic<uint16_t>("u16", forms);
  AddArithmetic<int32_t>("s32", forms);
  AddArithmetic<uint32_t>("u32", forms);
  AddArithmetic<int64_t>("s64", forms);
  AddArithmetic<uint64_t>("u64", forms);
  AddWide<int32_t>("s32", forms);
  AddWide<uint32_t>("u32", forms);
  AddBits<uint16_t>("b16", forms);
  AddBits<uint32_t>("b32", forms);
  AddBits<uint64_t>("b64", forms);
  AddBytes(forms);
  AddMoves<uint16_t>({"b16", "u16", "s16"}, forms);
  AddMoves<uint32_t>({"b32", "u32", "s32", "f32"}, forms);
  AddMoves<uint64_t>({"b64", "u64", "s64", "f64"}, forms);
}

}  // namespace dragoman::ptx
