// The instructions cvt and cvta.
#include <immintrin.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/gpu/ptx/half.h"
#include "tests/gpu/ptx/lane_operations.h"
#include "tests/gpu/ptx/memory.h"

namespace dragoman::ptx {
namespace {

// Converts between integers. Only the lower bits of a source register that is wider than its type
// count. A destination register that is wider gets the value extended by the sign of the type.
template <class To, class From>
void ConvertInteger(Warp& warp, const Instruction& i, uint32_t lanes) {
  uint32_t* const d = warp.At(i.d);
  const uint32_t* const a = warp.At(i.a);
  const Width to = i.widths[0];
  if (i.widths[1] == Width::k64) {
    ForLanes(lanes, [=](int l) {
      const auto value = static_cast<To>(static_cast<From>(Get<uint64_t>(a, l)));
      PutBits(d, to, l, static_cast<uint64_t>(static_cast<int64_t>(value)));
    });
  } else if (to == Width::k64) {
    ForLanes(lanes, [=](int l) {
      Put<int64_t>(d, l, static_cast<int64_t>(static_cast<To>(Get<From>(a, l))));
    });
  } else if (to == Width::k32) {
    ForLanes(lanes, [=](int l) {
      Put<uint32_t>(d, l, static_cast<uint32_t>(static_cast<To>(Get<From>(a, l))));
    });
  } else {
    ForLanes(lanes, [=](int l) {
      Put<uint16_t>(d, l, static_cast<uint16_t>(static_cast<To>(Get<From>(a, l))));
    });
  }
}

template <class T>
constexpr Width TypeWidth() {
  return sizeof(T) < 2 ? Width::k16 : WidthFor<T>();
}

template <class To>
void AddFromIntegers(const std::string& to, Forms* forms) {
  const auto add = [&](const std::string& from, Execute execute, Width width) {
    (*forms)["cvt." + to + "." + from] = {execute, {TypeWidth<To>(), width}, true};
  };
  add("u8", &ConvertInteger<To, uint8_t>, Width::k16);
  add("s8", &ConvertInteger<To, int8_t>, Width::k16);
  add("u16", &ConvertInteger<To, uint16_t>, Width::k16);
  add("s16", &ConvertInteger<To, int16_t>, Width::k16);
  add("u32", &ConvertInteger<To, uint32_t>, Width::k32);
  add("s32", &ConvertInteger<To, int32_t>, Width::k32);
  add("u64", &ConvertInteger<To, uint64_t>, Width::k64);
  add("s64", &ConvertInteger<To, int64_t>, Width::k64);
}

// Rounds towards zero and clamps. NaN becomes 0, or only the highest bit if either type has 64
// bits.
template <class To, class From>
To Truncate(From x) {
  if (std::isnan(x)) {
    constexpr bool wide = sizeof(To) == 8 || sizeof(From) == 8;
    return wide ? static_cast<To>(uint64_t{1} << (sizeof(To) * 8 - 1)) : To{0};
  }
  const From whole = std::trunc(x);
  if (whole <= static_cast<From>(std::numeric_limits<To>::min())) {
    return std::numeric_limits<To>::min();
  }
  if (whole >= static_cast<From>(std::numeric_limits<To>::max())) {
    return std::numeric_limits<To>::max();
  }
  return static_cast<To>(whole);
}

template <class To, class From>
void AddTruncation(const std::string& types, Forms* forms) {
  (*forms)["cvt.rzi." + types] =
      UnaryForm<To, From, [](From a) { return Truncate<To, From>(a); }>();
}

template <class To, class From>
void AddRounding(const std::string& types, Forms* forms) {
  (*forms)["cvt.rn." + types] = UnaryForm<To, From, [](From a) { return static_cast<To>(a); }>();
}

template <class T>
void AddWholeNumbers(const std::string& type, Forms* forms) {
  const std::string types = type + "." + type;
  (*forms)["cvt.rmi." + types] = UnaryForm<T, T, [](T a) { return std::floor(a); }>();
  (*forms)["cvt.rpi." + types] = UnaryForm<T, T, [](T a) { return std::ceil(a); }>();
  (*forms)["cvt.rzi." + types] = UnaryForm<T, T, [](T a) { return std::trunc(a); }>();
  (*forms)["cvt.rni." + types] = UnaryForm<T, T, [](T a) { return std::nearbyint(a); }>();
}

// Clamps to [0, 1]. NaN becomes 0.
float Saturated(float a) { return a >= 1 ? 1.0F : a > 0 ? a : 0.0F; }

// The first operand goes to the upper half.
uint32_t HalfPair(float upper, float lower) {
  return uint32_t{FloatToHalf(upper)} << 16 | FloatToHalf(lower);
}
uint32_t BFloat16Pair(float upper, float lower) {
  return uint32_t{FloatToBFloat16(upper)} << 16 | FloatToBFloat16(lower);
}

void AddAddresses(Forms* forms) {
  const auto same = UnaryForm<uint64_t, uint64_t, [](uint64_t a) { return a; }>();
  for (const char* const space : {"global", "param", "const"}) {
    (*forms)["cvta." + std::string(space) + ".u64"] = same;
    (*forms)["cvta.to." + std::string(space) + ".u64"] = same;
  }
  (*forms)["cvta.shared.u64"] =
      UnaryForm<uint64_t, uint64_t, [](uint64_t a) { return a + kSharedWindow; }>();
  (*forms)["cvta.to.shared.u64"] =
      UnaryForm<uint64_t, uint64_t, [](uint64_t a) { return a - kSharedWindow; }>();
  (*forms)["cvta.local.u64"] =
      UnaryForm<uint64_t, uint64_t, [](uint64_t a) { return a + kLocalWindow; }>();
  (*forms)["cvta.to.local.u64"] =
      UnaryForm<uint64_t, uint64_t, [](uint64_t a) { return a - kLocalWindow; }>();
}

}  // namespace

void AddConversionForms(Forms* forms) {
  AddFromIntegers<uint8_t>("u8", forms);
  AddFromIntegers<int8_t>("s8", forms);
  AddFromIntegers<uint16_t>("u16", forms);
  AddFromIntegers<int16_t>("s16", forms);
  AddFromIntegers<uint32_t>("u32", forms);
  AddFromIntegers<int32_t>("s32", forms);
  AddFromIntegers<uint64_t>("u64", forms);
  AddFromIntegers<int64_t>("s64", forms);
  AddTruncation<int32_t, float>("s32.f32", forms);
  AddTruncation<uint32_t, float>("u32.f32", forms);
  AddTruncation<int64_t, float>("s64.f32", forms);
  AddTruncation<uint64_t, float>("u64.f32", forms);
  AddTruncation<int64_t, double>("s64.f64", forms);
  AddTruncation<uint64_t, double>("u64.f64", forms);
  AddRounding<float, int32_t>("f32.s32", forms);
  AddRounding<float, uint32_t>("f32.u32", forms);
  AddRounding<float, int64_t>("f32.s64", forms);
  AddRounding<float, uint64_t>("f32.u64", forms);
  AddRounding<double, int64_t>("f64.s64", forms);
  AddRounding<double, uint64_t>("f64.u64", forms);
  AddRounding<float, double>("f32.f64", forms);
  AddWholeNumbers<float>("f32", forms);
  AddWholeNumbers<double>("f64", forms);
  (*forms)["cvt.f64.f32"] = UnaryForm<double, float, [](float a) { return a; }>();
  (*forms)["cvt.sat.f32.f32"] = UnaryForm<float, float, &Saturated>();
  (*forms)["cvt.f32.f16"] = UnaryForm<float, uint16_t, &HalfToFloat>();
  (*forms)["cvt.f32.bf16"] = UnaryForm<float, uint16_t, &BFloat16ToFloat>();
  (*forms)["cvt.rn.f16.f32"] = UnaryForm<uint16_t, float, &FloatToHalf>();
  (*forms)["cvt.rn.bf16.f32"] = UnaryForm<uint16_t, float, &FloatToBFloat16>();
  const std::vector<Width> three(3, Width::k32);
  (*forms)["cvt.rn.f16x2.f32"] = {&Binary<uint32_t, float, float, &HalfPair>, three, false};
  (*forms)["cvt.rn.bf16x2.f32"] = {&Binary<uint32_t, float, float, &BFloat16Pair>, three, false};
  AddAddresses(forms);
}

}  // namespace dragoman::ptx
