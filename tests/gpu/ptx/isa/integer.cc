// Sections 9.7.1 and 9.7.8 of the PTX ISA: integer arithmetic; logic and shifts.
#include <functional>
#include <utility>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

using Values = std::vector<uint64_t>;
__extension__ using Wide = unsigned __int128;

const Values kWords16 = {0, 1, 2, 3, 0x7f, 0xff, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x1234};
const Values kWords32 = {0,          1,          2,          3,          7,
                         100,        0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
                         0xfffffff9, 0x12345678, 0xdeadbeef};
const Values kWords64 = {0,
                         1,
                         2,
                         3,
                         7,
                         1000,
                         0x7fffffff,
                         0x80000000,
                         0xffffffff,
                         0x100000000,
                         0x7fffffffffffffff,
                         0x8000000000000000,
                         0x8000000000000001,
                         0xffffffffffffffff,
                         0xfffffffffffffff9,
                         0x123456789abcdef0};

int32_t S32(uint64_t x) { return static_cast<int32_t>(x); }
int64_t S64(uint64_t x) { return static_cast<int64_t>(x); }
uint64_t U32(uint64_t x) { return x & 0xffffffff; }

constexpr char kThree16[] = "%rs20, %rs10, %rs11";
constexpr char kThree32[] = "%r20, %r10, %r11";
constexpr char kThree64[] = "%rd20, %rd10, %rd11";
constexpr char kThreePredicates[] = "%p20, %p10, %p11";

using Of2 = std::function<uint64_t(uint64_t, uint64_t)>;
Form Of16(const std::string& name, const Of2& f) {
  return OneResult(name, kThree16, "rs",
                   Pairs(kWords16, [&](uint64_t a, uint64_t b) { return f(a, b) & 0xffff; }));
}
Form Of32(const std::string& name, const Of2& f) {
  return OneResult(name, kThree32, "r",
                   Pairs(kWords32, [&](uint64_t a, uint64_t b) { return U32(f(a, b)); }));
}
Form Of64(const std::string& name, const Of2& f) {
  return OneResult(name, kThree64, "rd", Pairs(kWords64, f));
}
Form OfPredicates(const std::string& name, const Of2& f) {
  return OneResult(name, kThreePredicates, "p",
                   Pairs({0, 1}, [&](uint64_t a, uint64_t b) { return f(a, b) & 1; }));
}

std::vector<Row> Singles(const Values& values, const std::function<uint64_t(uint64_t)>& f) {
  std::vector<Row> rows;
  rows.reserve(values.size());
  for (const uint64_t a : values) rows.push_back({{a, 0, 0}, f(a)});
  return rows;
}

// Division. The ISA leaves division by zero and an overflowing quotient undefined, so these are not
// tested. Division rounds towards zero, and a remainder has the dividend's sign. The ISA calls this
// machine-specific, but nvcc compiles C's operators to these instructions.
std::vector<Row> Division(const Values& values, bool is_signed, int bits, const Of2& f) {
  std::vector<Row> rows;
  const uint64_t lowest = uint64_t{1} << (bits - 1);
  const uint64_t minus_one = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  for (const uint64_t a : values) {
    for (const uint64_t b : values) {
      if (b == 0 || (is_signed && a == lowest && b == minus_one)) continue;
      rows.push_back({{a, b, 0}, f(a, b) & minus_one});
    }
  }
  return rows;
}

// Shift amounts are unsigned 32-bit numbers. An amount beyond the width counts as the width.
const Values kAmounts = {0,  1,  5,  15, 16,  17,  31,         32,
                         33, 63, 64, 65, 255, 256, 0x80000000, 0xffffffff};

std::vector<Row> Shifts(const Values& values, int bits, const Of2& f) {
  std::vector<Row> rows;
  for (const uint64_t a : values) {
    for (const uint64_t amount : kAmounts) {
      rows.push_back({{a, amount, 0}, f(a, std::min<uint64_t>(amount, bits))});
    }
  }
  return rows;
}

uint64_t ShiftRight(int64_t value, uint64_t amount) {
  // Floored division: bits that are shifted out do not count, for both signs.
  if (amount >= 63) return value < 0 ? ~uint64_t{0} : 0;
  const int64_t divisor = int64_t{1} << amount;
  const int64_t quotient = value / divisor;
  return static_cast<uint64_t>(value % divisor < 0 ? quotient - 1 : quotient);
}
uint64_t Gone(uint64_t value, uint64_t amount) { return amount >= 64 ? 0 : value >> amount; }

std::vector<Row> Triples(const Of2& product) {
  std::vector<Row> rows;
  for (const uint64_t a : kWords32) {
    for (const uint64_t b : kWords32) {
      for (const uint64_t c :
           {uint64_t{0}, uint64_t{1}, uint64_t{0x80000000}, uint64_t{0xfffffffb}}) {
        rows.push_back({{a, b, c}, U32(product(a, b) + c)});
      }
    }
  }
  return rows;
}

// 9.7.1.24, dp4a: d = c plus the products of the four bytes of a with those of b, the bytes "sign
// or zero extended". The sum wraps, as in every instruction without .sat.
uint64_t DotProductOf(uint64_t a, uint64_t b, uint64_t c) {
  for (uint32_t i = 0; i < 4; ++i) {
    const auto x = static_cast<int8_t>(a >> (8 * i));
    const auto y = static_cast<int8_t>(b >> (8 * i));
    c += static_cast<uint64_t>(int64_t{x} * int64_t{y});
  }
  return U32(c);
}

Form DotProduct() {
  const Values bytes = {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff};
  Values words = kWords32;
  for (const uint64_t byte : bytes) words.push_back(byte * 0x01010101);
  for (const uint64_t byte : {0x01, 0x7f, 0x80, 0xff}) {
    for (int i = 0; i < 4; ++i) words.push_back(byte << (8 * i));
  }
  words.insert(words.end(), {0x807f017f, 0x7f80ff01, 0x01020304, 0xfdfcfbfa});
  std::vector<Row> rows;
  std::vector<Row> of_one;
  std::vector<Row> of_constant;
  for (const uint64_t a : words) {
    // Sums that reach the extremes of s32, and exceed them by one or by as much as possible.
    for (const uint64_t c : {0x0, 0x5}) of_one.push_back({{a, 0, c}, DotProductOf(a, a, c)});
    for (const uint64_t c : {0x0U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
      of_constant.push_back({{a, 0, c}, DotProductOf(a, 0x80ff7f01, c)});
    }
    for (const uint64_t b : words) {
      const uint64_t product = DotProductOf(a, b, 0);
      for (const uint64_t c : {uint64_t{0}, uint64_t{0x7fffffff}, uint64_t{0x80000000},
                               0x7fffffff - product, 0x80000000 - product, 0 - product}) {
        rows.push_back({{a, b, U32(c)}, DotProductOf(a, b, c)});
      }
    }
  }
  std::vector<Row> onto_c;
  for (const Row& row : rows) {
    if (onto_c.size() < 64) onto_c.push_back(row);
  }
  return OneResult("dp4a.s32.s32", {{"%r20, %r10, %r11, %r12", "r", rows},
                                    {"%r20, %r10, %r10, %r12", "r", of_one},
                                    {"%r20, %r10, -2130739455, %r12", "r", of_constant},
                                    {"%r12, %r10, %r11, %r12; mov.b32 %r20, %r12", "r", onto_c},
                                    {"%r10, %r10, %r11, %r12; mov.b32 %r20, %r10", "r", onto_c}});
}

// prmt without a mode (9.7.9.7): bytes 0 to 3 are those of a, 4 to 7 those of b. Four bits of c
// select each byte of the result: "the 3 lsbs of the selection value specify which of the 8 source
// bytes", and with the fourth "the sign (msb of the byte) should be replicated over all 8 bits".
uint64_t PermuteOf(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint64_t selector = c >> (4 * i) & 0xf;
    const uint64_t word = (selector & 4) != 0 ? b : a;
    uint64_t byte = word >> (8 * (selector & 3)) & 0xff;
    if ((selector & 8) != 0) byte = byte >= 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

Form Permute() {
  const std::pair<uint64_t, uint64_t> sources[] = {
      {0x33221100, 0x77665544}, {0xb3a29180, 0xf7e6d5c4}, {0x807f01ff, 0xfe00817e},
      {0x7f80ff01, 0x01fe7f80}, {0xffffffff, 0x00000000}, {0x00000000, 0xffffffff}};
  std::vector<Row> rows;
  std::vector<Row> constant;
  std::vector<Row> of_one;
  const auto add = [&](uint64_t a, uint64_t b, uint64_t c) {
    rows.push_back({{a, b, c}, PermuteOf(a, b, c)});
  };
  for (const auto& [a, b] : sources) {
    // Each selector in each place, combined with several selectors in the other places.
    for (uint32_t place = 0; place < 4; ++place) {
      for (uint64_t selector = 0; selector < 16; ++selector) {
        for (const uint64_t others : {0x0000, 0x7777, 0x8888, 0xffff, 0x3210, 0x7654}) {
          add(a, b, (others & ~(uint64_t{0xf} << (4 * place))) | selector << (4 * place));
        }
      }
    }
    for (const uint64_t c : {0x3210, 0x7654, 0x0123, 0x4567, 0x5410, 0x7632, 0x6420, 0x7531, 0x5140,
                             0xba98, 0xfedc, 0x8a9b, 0x4440, 0x9910, 0xd5d5}) {
      add(a, b, c);
      // Bits 16 to 31 of c must be ignored.
      add(a, b, c | 0xffff0000);
      add(a, b, c | 0x5a3c0000);
    }
    constant.push_back({{a, b, 0}, PermuteOf(a, b, 0x7531)});
    of_one.push_back({{a, b, 0}, PermuteOf(a, a, 0xf21c)});
  }
  const std::vector<Row> some(rows.begin(), rows.begin() + 64);
  return OneResult("prmt.b32", {{"%r20, %r10, %r11, %r12", "r", rows},
                                {"%r20, %r10, %r11, 0x7531", "r", constant},
                                {"%r20, %r10, %r11, 30001", "r", constant},
                                {"%r20, %r10, %r10, 0xf21c", "r", of_one},
                                {"%r10, %r10, %r11, %r12; mov.b32 %r20, %r10", "r", some},
                                {"%r12, %r10, %r11, %r12; mov.b32 %r20, %r12", "r", some}});
}

}  // namespace

std::vector<Form> IntegerForms() {
  const auto plus = [](uint64_t a, uint64_t b) { return a + b; };
  const auto minus = [](uint64_t a, uint64_t b) { return a - b; };
  const auto times = [](uint64_t a, uint64_t b) { return static_cast<uint64_t>(Wide{a} * b); };
  return {
      // 9.7.1.1 and 9.7.1.2: without .sat the result wraps.
      Of16("add.s16", plus),
      Of32("add.s32", plus),
      Of64("add.s64", plus),
      Of32("sub.s32", minus),
      Of64("sub.s64", minus),
      // 9.7.1.3 and 9.7.1.4: .lo is the lower half of the product, .wide all of it.
      Of32("mul.lo.s32", times),
      Of64("mul.lo.s64", times),
      OneResult("mul.wide.s32", "%rd20, %r10, %r11", "rd",
                Pairs(kWords32,
                      [](uint64_t a, uint64_t b) {
                        return static_cast<uint64_t>(int64_t{S32(a)} * int64_t{S32(b)});
                      })),
      OneResult("mul.wide.u32", "%rd20, %r10, %r11", "rd",
                Pairs(kWords32, [](uint64_t a, uint64_t b) { return a * b; })),
      OneResult("mad.lo.s32", "%r20, %r10, %r11, %r12", "r", Triples(times)),
      DotProduct(),
      Permute(),
      // 9.7.1.9 and 9.7.1.10.
      OneResult("div.s32", kThree32, "r",
                Division(kWords32, true, 32,
                         [](uint64_t a, uint64_t b) {
                           return static_cast<uint64_t>(int64_t{S32(a)} / S32(b));
                         })),
      OneResult("rem.s32", kThree32, "r",
                Division(kWords32, true, 32,
                         [](uint64_t a, uint64_t b) {
                           return static_cast<uint64_t>(int64_t{S32(a)} % S32(b));
                         })),
      OneResult("div.u32", kThree32, "r", Division(kWords32, false, 32, std::divides<uint64_t>())),
      OneResult("rem.u32", kThree32, "r", Division(kWords32, false, 32, std::modulus<uint64_t>())),
      OneResult(
          "div.s64", kThree64, "rd",
          Division(kWords64, true, 64,
                   [](uint64_t a, uint64_t b) { return static_cast<uint64_t>(S64(a) / S64(b)); })),
      OneResult(
          "rem.s64", kThree64, "rd",
          Division(kWords64, true, 64,
                   [](uint64_t a, uint64_t b) { return static_cast<uint64_t>(S64(a) % S64(b)); })),
      OneResult("div.u64", kThree64, "rd", Division(kWords64, false, 64, std::divides<uint64_t>())),
      OneResult("rem.u64", kThree64, "rd", Division(kWords64, false, 64, std::modulus<uint64_t>())),
      // 9.7.1.12: the negative of the lowest number wraps to the number itself.
      OneResult("neg.s32", "%r20, %r10", "r",
                Singles(kWords32, [](uint64_t a) { return U32(~a + 1); })),
      OneResult("neg.s64", "%rd20, %rd10", "rd",
                Singles(kWords64, [](uint64_t a) { return ~a + 1; })),
      // 9.7.1.13 and 9.7.1.14.
      Of32("min.s32", [](uint64_t a, uint64_t b) { return S32(a) < S32(b) ? a : b; }),
      Of32("max.s32", [](uint64_t a, uint64_t b) { return S32(a) > S32(b) ? a : b; }),
      Of32("min.u32", [](uint64_t a, uint64_t b) { return a < b ? a : b; }),
      Of32("max.u32", [](uint64_t a, uint64_t b) { return a > b ? a : b; }),
      Of64("min.s64", [](uint64_t a, uint64_t b) { return S64(a) < S64(b) ? a : b; }),
      Of64("max.s64", [](uint64_t a, uint64_t b) { return S64(a) > S64(b) ? a : b; }),
      Of64("min.u64", [](uint64_t a, uint64_t b) { return a < b ? a : b; }),
  };
}

std::vector<Form> LogicForms() {
  const auto both = [](uint64_t a, uint64_t b) { return a & b; };
  const auto either = [](uint64_t a, uint64_t b) { return a | b; };
  const auto one = [](uint64_t a, uint64_t b) { return a ^ b; };
  return {
      // 9.7.8.1 to 9.7.8.4.
      Of16("and.b16", both),
      Of32("and.b32", both),
      Of64("and.b64", both),
      OfPredicates("and.pred", both),
      Of16("or.b16", either),
      Of32("or.b32", either),
      Of64("or.b64", either),
      OfPredicates("or.pred", either),
      Of16("xor.b16", one),
      Of32("xor.b32", one),
      Of64("xor.b64", one),
      OfPredicates("xor.pred", one),
      OneResult("not.b32", "%r20, %r10", "r",
                Singles(kWords32, [](uint64_t a) { return U32(~a); })),
      OneResult("not.b64", "%rd20, %rd10", "rd", Singles(kWords64, [](uint64_t a) { return ~a; })),
      OneResult("not.pred", "%p20, %p10", "p", {{{0, 0, 0}, 1}, {{1, 0, 0}, 0}}),
      // 9.7.8.8 and 9.7.8.9.
      OneResult("shl.b32", kThree32, "r",
                Shifts(kWords32, 32, [](uint64_t a, uint64_t b) { return U32(a << b); })),
      OneResult("shl.b64", "%rd20, %rd10, %r11", "rd",
                Shifts(kWords64, 64, [](uint64_t a, uint64_t b) { return b == 64 ? 0 : a << b; })),
      OneResult(
          "shr.s32", kThree32, "r",
          Shifts(kWords32, 32, [](uint64_t a, uint64_t b) { return U32(ShiftRight(S32(a), b)); })),
      OneResult("shr.s64", "%rd20, %rd10, %r11", "rd",
                Shifts(kWords64, 64, [](uint64_t a, uint64_t b) { return ShiftRight(S64(a), b); })),
      OneResult("shr.u16", "%rs20, %rs10, %r11", "rs", Shifts(kWords16, 16, Gone)),
      OneResult("shr.u32", kThree32, "r", Shifts(kWords32, 32, Gone)),
      OneResult("shr.u64", "%rd20, %rd10, %r11", "rd", Shifts(kWords64, 64, Gone)),
  };
}

}  // namespace dragoman::ptx::isa
