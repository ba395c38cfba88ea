// 9.7.6, comparison and selection.
#include <cmath>
#include <compare>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

// Zero, one, the extremes of both signs, and numbers that differ in one half only.
const std::vector<uint64_t> kWords16 = {0, 1, 2, 0x7fff, 0x8000, 0x8001, 0xffff, 0x1234};
const std::vector<uint64_t> kWords32 = {0,          1,          0x7fffffff, 0x80000000,
                                        0x80000001, 0xffffffff, 0x10001,    0x10000};
const std::vector<uint64_t> kWords64 = {
    0,           1,          0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
    0x100000000, 0xffffffff, 0x80000000};
// Both zeros, both infinities, subnormals, and NaNs of both signs, quiet and signalling.
const std::vector<uint64_t> kFloats = {0,          0x80000000, 1,          0x80000001, 0x3f800000,
                                       0x3f800001, 0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0xffc00000, 0x7f800001};

std::partial_ordering Compare(const std::string& type, uint64_t a, uint64_t b) {
  if (type == "f32") {
    float x = 0;
    float y = 0;
    std::memcpy(&x, &a, sizeof x);
    std::memcpy(&y, &b, sizeof y);
    return x <=> y;
  }
  if (type == "s16") return static_cast<int16_t>(a) <=> static_cast<int16_t>(b);
  if (type == "s32") return static_cast<int32_t>(a) <=> static_cast<int32_t>(b);
  if (type == "s64") return static_cast<int64_t>(a) <=> static_cast<int64_t>(b);
  return a <=> b;
}

// A comparison whose name ends in u is true if an operand is NaN; all others are false. This
// includes ne, "not equal".
bool Holds(const std::string& comparison, std::partial_ordering order) {
  if (order == std::partial_ordering::unordered) return comparison.size() == 3;
  const std::string ordered = comparison.substr(0, 2);
  if (ordered == "eq") return std::is_eq(order);
  if (ordered == "ne") return std::is_neq(order);
  if (ordered == "lt") return std::is_lt(order);
  if (ordered == "le") return std::is_lteq(order);
  if (ordered == "gt") return std::is_gt(order);
  return std::is_gteq(order);
}

Form Setp(const std::string& comparison, const std::string& type) {
  const bool is_float = type == "f32";
  const std::string size = type.substr(1);
  const std::string kind = is_float ? "f" : size == "16" ? "rs" : size == "32" ? "r" : "rd";
  const auto& values = is_float       ? kFloats
                       : size == "16" ? kWords16
                       : size == "32" ? kWords32
                                      : kWords64;
  return OneResult("setp." + comparison + "." + type, "%p20, %" + kind + "10, %" + kind + "11", "p",
                   Pairs(values, [&](uint64_t a, uint64_t b) -> uint64_t {
                     return Holds(comparison, Compare(type, a, b)) ? 1 : 0;
                   }));
}

// "nan returns true if either operand is NaN" (9.3.1.2). In a NaN, all exponent bits are set and
// the fraction is not 0.
Form SetpNan() {
  const std::vector<uint64_t> numbers = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                         0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
                                         0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000};
  const std::vector<uint64_t> nans = {0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001,
                                      0x7fbfffff, 0xffbfffff, 0x7fffffff, 0xffffffff,
                                      0x7fa00000, 0x7f800100, 0x7f810000};
  std::vector<uint64_t> all = numbers;
  all.insert(all.end(), nans.begin(), nans.end());
  const auto is_nan = [](uint64_t a) {
    return (a & 0x7f800000) == 0x7f800000 && (a & 0x007fffff) != 0;
  };
  const auto single = [&](bool other) {
    std::vector<Row> rows;
    for (const uint64_t a : all) rows.push_back({{a, a ^ 0x7fc00000, 0}, is_nan(a) || other});
    return rows;
  };
  return OneResult(
      "setp.nan.f32",
      {{"%p20, %f10, %f11", "p",
        Pairs(all, [&](uint64_t a, uint64_t b) -> uint64_t { return is_nan(a) || is_nan(b); })},
       {"%p20, %f10, %f10", "p", single(false)},
       {"%p20, %f10, 0f00000000", "p", single(false)},
       {"%p20, %f10, 0f7F800000", "p", single(false)},
       {"%p20, 0fFF800000, %f10", "p", single(false)},
       {"%p20, %f10, 0f7FC00000", "p", single(true)},
       {"%p20, 0fFF800001, %f10", "p", single(true)}});
}

// The result is the first operand if the predicate is true, and else the second. The bits of the
// operands do not matter.
Form Selp(const std::string& type, const std::string& kind, uint64_t a, uint64_t b) {
  const std::string operands = "%" + kind + "20, %" + kind + "10, %" + kind + "11, %p12";
  return OneResult("selp." + type, operands, kind,
                   {{{a, b, 1}, a}, {{a, b, 0}, b}, {{b, a, 1}, b}, {{b, a, 0}, a}});
}

}  // namespace

std::vector<Form> ComparisonForms() {
  const std::pair<const char*, std::vector<const char*>> comparisons[] = {
      {"eq", {"b16", "b32", "f32", "s16", "s32", "s64"}},
      {"ne", {"b32", "s16", "s32", "s64", "u32"}},
      {"lt", {"f32", "s16", "s32", "s64", "u32", "u64"}},
      {"le", {"f32", "s32", "s64"}},
      {"gt", {"f32", "s16", "s32", "s64", "u32", "u64"}},
      {"ge", {"f32", "s16", "s32", "s64", "u32", "u64"}},
      {"neu", {"f32"}},
      {"ltu", {"f32"}},
      {"leu", {"f32"}},
      {"gtu", {"f32"}},
      {"geu", {"f32"}},
  };
  std::vector<Form> forms;
  for (const auto& [comparison, types] : comparisons) {
    for (const char* type : types) forms.push_back(Setp(comparison, type));
  }
  forms.push_back(SetpNan());
  forms.push_back(Selp("b16", "rs", 0x8001, 0x7ffe));
  forms.push_back(Selp("u16", "rs", 0xffff, 0x0001));
  forms.push_back(Selp("b32", "r", 0xdeadbeef, 0x12345678));
  forms.push_back(Selp("s32", "r", 0x80000000, 0x7fffffff));
  forms.push_back(Selp("u32", "r", 0xffffffff, 0));
  forms.push_back(Selp("b64", "rd", 0xdeadbeef00000001, 0x00000001deadbeef));
  // A signalling NaN, and a subnormal number.
  forms.push_back(Selp("f32", "f", 0x7f800001, 0x80000001));
  return forms;
}

}  // namespace dragoman::ptx::isa
