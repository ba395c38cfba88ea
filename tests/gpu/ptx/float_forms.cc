// Arithmetic and comparisons of f32 and f64.
#include <cmath>
#include <string>

#include "tests/gpu/ptx/lane_operations.h"

namespace dragoman::ptx {
namespace {

// The functions that a card only approximates. The ISA bounds their errors and leaves the bits
// open. The results here are correctly rounded or almost so, so a card's results may differ in the
// last bits.

// Replaces subnormal numbers by zeros of their sign, as .ftz does for operands and results.
float FlushSubnormal(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}

// ex2.approx.f32: 2^x. The ISA: relative error at most 2^-22; -inf gives +0, +inf +inf, NaN NaN.
float PowerOfTwo(float x) { return static_cast<float>(std::exp2(static_cast<double>(x))); }

// rcp.approx.ftz.f32: 1 / x. The ISA: at most 1 ulp; zeros and subnormals give infinities of their
// sign.
float Reciprocal(float x) { return 1.0F / x; }

constexpr uint32_t kSign = 0x80000000U;

float CanonicalNan() { return std::bit_cast<float>(0x7fffffffU); }

// If one operand is a NaN, returns the other. +0 is larger than -0.
float Max(float a, float b) {
  if (std::isnan(a)) return std::isnan(b) ? CanonicalNan() : b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
float Min(float a, float b) {
  if (std::isnan(a)) return std::isnan(b) ? CanonicalNan() : b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
// max.NaN: if an operand is a NaN, the result is NaN.
float MaxNan(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? CanonicalNan() : Max(a, b);
}
float MinNan(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? CanonicalNan() : Min(a, b);
}

float Fma(float a, float b, float c) { return std::fma(a, b, c); }

// fma.rm: rounds towards minus infinity. The product is exact in double. The rounding error of the
// sum is computed by Knuth's TwoSum.
float FmaDown(float a, float b, float c) {
  const float nearest = std::fma(a, b, c);
  if (std::isnan(nearest) || std::isinf(a) || std::isinf(b) || std::isinf(c)) return nearest;
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double wide = static_cast<double>(c);
  const double sum = product + wide;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (wide - back);
  // An exact zero of numbers with opposite signs is -0 in this rounding.
  if (sum == 0 && error == 0) {
    const bool negative = std::signbit(product) || std::signbit(wide);
    return negative ? -0.0F : 0.0F;
  }
  const double over = (static_cast<double>(nearest) - sum) - error;
  return over > 0 ? std::nextafter(nearest, -INFINITY) : nearest;
}

float CopySign(float sign, float magnitude) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(magnitude) & ~kSign) |
                              (std::bit_cast<uint32_t>(sign) & kSign));
}

// Comparisons of numbers are false for NaN; those with u (unordered) are true.
template <class T>
void AddComparisons(const std::string& type, Forms* forms) {
  const auto unordered = [](T a, T b) { return a != a || b != b; };
  (*forms)["setp.eq." + type] = CompareForm<T, [](T a, T b) { return a == b; }>();
  (*forms)["setp.ne." + type] = CompareForm<T, [](T a, T b) { return (a < b || a > b); }>();
  (*forms)["setp.lt." + type] = CompareForm<T, [](T a, T b) { return a < b; }>();
  (*forms)["setp.le." + type] = CompareForm<T, [](T a, T b) { return a <= b; }>();
  (*forms)["setp.gt." + type] = CompareForm<T, [](T a, T b) { return (a > b); }>();
  (*forms)["setp.ge." + type] = CompareForm<T, [](T a, T b) { return (a >= b); }>();
  (*forms)["setp.equ." + type] = CompareForm<T, [](T a, T b) { return !(a < b || a > b); }>();
  (*forms)["setp.neu." + type] = CompareForm<T, [](T a, T b) { return !(a == b); }>();
  (*forms)["setp.ltu." + type] = CompareForm<T, [](T a, T b) { return !(a >= b); }>();
  (*forms)["setp.leu." + type] = CompareForm<T, [](T a, T b) { return !(a > b); }>();
  (*forms)["setp.gtu." + type] = CompareForm<T, [](T a, T b) { return !(a <= b); }>();
  (*forms)["setp.geu." + type] = CompareForm<T, [](T a, T b) { return !(a < b); }>();
  (*forms)["setp.nan." + type] = CompareForm<T, unordered>();
  (*forms)["setp.num." + type] = CompareForm<T, [](T a, T b) { return a == a && b == b; }>();
}

template <class T>
void AddArithmetic(const std::string& type, Forms* forms) {
  for (const std::string& rounding : {std::string(), std::string("rn.")}) {
    (*forms)["add." + rounding + type] = BinaryForm<T, [](T a, T b) { return a + b; }>();
    (*forms)["sub." + rounding + type] = BinaryForm<T, [](T a, T b) { return a - b; }>();
    (*forms)["mul." + rounding + type] = BinaryForm<T, [](T a, T b) { return a * b; }>();
  }
}

}  // namespace

void AddFloatForms(Forms* forms) {
  AddArithmetic<float>("f32", forms);
  AddArithmetic<double>("f64", forms);
  AddComparisons<float>("f32", forms);
  AddComparisons<double>("f64", forms);
  const std::vector<Width> four(4, Width::k32);
  (*forms)["fma.rn.f32"] = {&Ternary<float, float, &Fma>, four, false};
  (*forms)["fma.rm.f32"] = {&Ternary<float, float, &FmaDown>, four, false};
  (*forms)["div.rn.f32"] = BinaryForm<float, [](float a, float b) { return a / b; }>();
  (*forms)["rcp.rn.f32"] = UnaryForm<float, float, [](float a) { return 1.0F / a; }>();
  (*forms)["sqrt.rn.f32"] = UnaryForm<float, float, [](float a) { return std::sqrt(a); }>();
  (*forms)["max.f32"] = BinaryForm<float, &Max>();
  (*forms)["min.f32"] = BinaryForm<float, &Min>();
  (*forms)["max.NaN.f32"] = BinaryForm<float, &MaxNan>();
  (*forms)["min.NaN.f32"] = BinaryForm<float, &MinNan>();
  (*forms)["copysign.f32"] = BinaryForm<float, &CopySign>();
  // The sign is a bit that a NaN has, too.
  (*forms)["neg.f32"] = UnaryForm<uint32_t, uint32_t, [](uint32_t a) { return a ^ kSign; }>();
  (*forms)["abs.f32"] = UnaryForm<uint32_t, uint32_t, [](uint32_t a) { return a & ~kSign; }>();
  (*forms)["ex2.approx.f32"] = UnaryForm<float, float, &PowerOfTwo>();
  (*forms)["ex2.approx.ftz.f32"] = UnaryForm<float, float, [](float a) {
    return FlushSubnormal(PowerOfTwo(FlushSubnormal(a)));
  }>();
  (*forms)["rcp.approx.ftz.f32"] = UnaryForm<float, float, [](float a) {
    return FlushSubnormal(Reciprocal(FlushSubnormal(a)));
  }>();
}

}  // namespace dragoman::ptx
