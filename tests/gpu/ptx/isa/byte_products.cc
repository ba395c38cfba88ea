// Products of 8-bit elements, with sums of 32 products: mma m16n8k32 of a warp (9.7.14.5.10,
// 9.7.14.5.14) and wgmma m64n256k32 of a warpgroup (9.7.15.5), with s8 and with e4m3 (5.2.3).
//
// Sums of e4m3 are chosen so that f32 represents them exactly in any order, because the ISA leaves
// the order and the precision ("at least single") open.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kDepth = 32;  // number of products in a sum
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

enum class Type { kS8, kE4m3 };

Type TypeOf(const std::string& name) {
  return name.find("e4m3") != std::string::npos ? Type::kE4m3 : Type::kS8;
}

// e4m3 has a sign, 4 bits of exponent with a bias of 7, and 3 bits of fraction. There are no
// infinities, and NaN is "limited to 0x7f and 0xff".
double Value(Type type, uint8_t code) {
  if (type == Type::kS8) return static_cast<int8_t>(code);
  const int exponent = code >> 3 & 0xf;
  const int fraction = code & 7;
  if (exponent == 15 && fraction == 7) return std::numeric_limits<double>::quiet_NaN();
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
  return code >= 0x80 ? -magnitude : magnitude;
}

constexpr uint8_t kOne8 = 1;
constexpr uint8_t kOneE4m3 = 0x38;
uint8_t One(Type type) { return type == Type::kS8 ? kOne8 : kOneE4m3; }

// A matrix of element codes, or of the bits of accumulators.
template <class T>
struct Matrix {
  uint32_t columns = 0;
  std::vector<T> at;

  Matrix(uint32_t rows, uint32_t of_columns, T value)
      : columns(of_columns), at(size_t{rows} * of_columns, value) {}
  T& operator()(uint32_t row, uint32_t column) { return at[size_t{row} * columns + column]; }
  T operator()(uint32_t row, uint32_t column) const { return at[size_t{row} * columns + column]; }
};

struct Shape {
  Type type = Type::kS8;
  uint32_t rows = 0;
  uint32_t columns = 0;
};

// The operands of a product. B is stored by columns.
struct Matrices {
  Shape shape;
  Matrix<uint8_t> a;
  Matrix<uint8_t> b;
  Matrix<uint32_t> c;

  explicit Matrices(const Shape& of, uint8_t a_code = 0, uint8_t b_code = 0, uint32_t c_bits = 0)
      : shape(of),
        a(of.rows, kDepth, a_code),
        b(of.columns, kDepth, b_code),
        c(of.rows, of.columns, c_bits) {}
};

uint32_t BitsOf(int32_t x) { return static_cast<uint32_t>(x); }
uint32_t BitsOf(float x) { return std::bit_cast<uint32_t>(x); }

// Returns the bits of each element of D = A * B + C. For s32 without .satfinite, "the accumulated
// value is wrapped".
Matrix<uint32_t> Result(const Matrices& of) {
  Matrix<uint32_t> d = of.c;
  const auto values = [&](const Matrix<uint8_t>& codes) {
    std::vector<double> result;
    for (const uint8_t code : codes.at) result.push_back(Value(of.shape.type, code));
    return result;
  };
  const std::vector<double> a = values(of.a);
  const std::vector<double> b = values(of.b);
  for (uint32_t row = 0; row < of.shape.rows; ++row) {
    for (uint32_t column = 0; column < of.shape.columns; ++column) {
      double sum = 0;
      for (uint32_t k = 0; k < kDepth; ++k) sum += a[row * kDepth + k] * b[column * kDepth + k];
      uint32_t& bits = d(row, column);
      bits = of.shape.type == Type::kS8
                 ? bits + BitsOf(static_cast<int32_t>(sum))
                 : BitsOf(static_cast<float>(std::bit_cast<float>(bits) + sum));
    }
  }
  return d;
}

// Compares results. Any NaN equals any NaN. For e4m3, zeros of both signs are equal.
bool Same(Type type, uint32_t found, uint32_t expected) {
  if (type == Type::kS8) return found == expected;
  const auto x = std::bit_cast<float>(found);
  const auto y = std::bit_cast<float>(expected);
  return std::isnan(y) ? std::isnan(x) : x == y;
}

// The linear congruential generator of Knuth's MMIX.
class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed) {}
  uint32_t Next() {
    state_ = state_ * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return static_cast<uint32_t>(state_ >> 32);
  }

 private:
  uint64_t state_;
};

// Returns accumulators that all differ. For e4m3 they are whole numbers below 2^13. Together with a
// single element, which is a multiple of 2^-9, a sum then has 23 bits.
uint32_t Accumulator(Type type, uint32_t i) {
  return type == Type::kS8
             ? BitsOf(static_cast<int32_t>(i * 2'654'435'761U))
             : BitsOf(static_cast<float>(static_cast<int32_t>(i * 7'919 % 16'384) - 8'192));
}

// Returns elements of every value except NaN. Neighbours differ, and so do the same places of
// neighbouring rows.
uint8_t Code(Type type, uint32_t i, uint32_t factor) {
  const auto code = static_cast<uint8_t>(i * factor + i / 256 * 29 + 3);
  const bool is_nan = type == Type::kE4m3 && (code & 0x7f) == 0x7f;
  return is_nan ? static_cast<uint8_t>(code - 0x3f) : code;
}

Matrices Distinct(const Shape& shape) {
  Matrices of(shape);
  for (uint32_t i = 0; i < of.a.at.size(); ++i) of.a.at[i] = Code(shape.type, i, 37);
  for (uint32_t i = 0; i < of.b.at.size(); ++i) of.b.at[i] = Code(shape.type, i, 91);
  for (uint32_t i = 0; i < of.c.at.size(); ++i) of.c.at[i] = Accumulator(shape.type, i);
  return of;
}

// In turn, each element of A or of B is 1 and all others of that matrix are 0. D - C then has one
// row of B, or one column of A.
std::vector<Matrices> OneElement(const Shape& shape) {
  std::vector<Matrices> products;
  const Matrices distinct = Distinct(shape);
  for (const bool of_a : {true, false}) {
    Matrices zeros = distinct;
    std::vector<uint8_t>& codes = of_a ? zeros.a.at : zeros.b.at;
    codes.assign(codes.size(), 0);
    for (size_t i = 0; i < codes.size(); ++i) {
      products.push_back(zeros);
      (of_a ? products.back().a : products.back().b).at[i] = One(shape.type);
    }
  }
  return products;
}

// The same for matrices with too many elements for one product each: one element of each row of A,
// or of each column of B, is 1. There are two variants (`rows_together`): two rows that have their
// 1 in the same place in one variant have it in different places in the other.
std::vector<Matrices> OneElementOfEach(const Shape& shape) {
  std::vector<Matrices> products;
  const Matrices distinct = Distinct(shape);
  for (const bool of_a : {true, false}) {
    for (const uint32_t rows_together : {1U, of_a ? 2U : 8U}) {
      for (uint32_t first = 0; first < kDepth; ++first) {
        products.push_back(distinct);
        Matrix<uint8_t>& ones = of_a ? products.back().a : products.back().b;
        ones.at.assign(ones.at.size(), 0);
        for (uint32_t row = 0; row < ones.at.size() / kDepth; ++row) {
          ones(row, (row / rows_together + first) % kDepth) = One(shape.type);
        }
      }
    }
  }
  return products;
}

// Sums of up to 32 * 128 * 128 = 524,288. With C they reach the extremes of s32, and exceed them by
// one or by more.
std::vector<Matrices> ExtremesOfS8(const Shape& shape) {
  std::vector<Matrices> products;
  const auto add = [&](int a, int b, int32_t c) {
    products.emplace_back(shape, static_cast<uint8_t>(a), static_cast<uint8_t>(b), BitsOf(c));
  };
  add(-128, -128, 0);
  add(-128, 127, 0);
  add(127, -128, 0);
  add(127, 127, 0);
  add(-1, -1, 0);
  add(-1, 127, -5);
  add(0, -128, kLeast);
  add(-128, 0, kMost);
  add(-128, -128, kMost - 524'288);
  add(-128, -128, kMost - 524'287);
  add(-128, -128, kMost);
  add(-128, -128, kLeast);
  add(-128, 127, kLeast + 520'192);
  add(-128, 127, kLeast + 520'191);
  add(127, -128, kLeast);
  add(127, -128, kMost);
  add(127, 127, kMost);
  add(127, 127, -516'128);
  // Partial sums exceed the extremes, and the sum of the products is 0.
  for (const int32_t c : {kMost, kLeast}) {
    for (const int b : {-64, 64}) {
      add(-128, b, c);
      Matrices& of = products.back();
      for (uint32_t k = kDepth / 2; k < kDepth; ++k) {
        for (uint32_t column = 0; column < shape.columns; ++column) {
          of.b(column, k) = static_cast<uint8_t>(-b);
        }
      }
    }
  }
  return products;
}

// The largest number, 448, is 0x7e. The smallest, 2^-9, is 0x01, and the largest subnormal number
// is 0x07. Sums are at most 32 * 448 * 448, which is below 2^23.
std::vector<Matrices> ExtremesOfE4m3(const Shape& shape) {
  std::vector<Matrices> products;
  const auto add = [&](uint8_t a, uint8_t b, float c) {
    products.emplace_back(shape, a, b, BitsOf(c));
  };
  const uint8_t ends[] = {0x7e, 0xfe, 0x01, 0x87, 0x08, 0x80};
  for (const uint8_t a : ends) {
    for (const uint8_t b : ends) add(a, b, 0);
  }
  add(0x7e, 0x7e, 1);
  add(0x7e, 0xfe, -1);
  add(0x7e, 0xfe, 32 * 448 * 448);
  add(0x01, 0x01, std::ldexp(1.0F, -18));
  add(0x01, 0x81, std::ldexp(1.0F, -13));
  add(0, 0, std::numeric_limits<float>::max());
  add(0x80, 0, std::numeric_limits<float>::lowest());
  add(0, 0, std::numeric_limits<float>::min());
  for (const float c : {kInfinity, -kInfinity, kNan}) {
    add(0x7e, 0x7e, c);
    add(0x7e, 0xfe, c);
    add(0x01, 0x80, c);
  }
  // All products cancel except one, of subnormal numbers.
  for (const uint8_t b : {0x7e, 0xfe}) {
    add(0x7e, b, 0);
    Matrices& of = products.back();
    for (uint32_t k = 0; k < kDepth; ++k) {
      for (uint32_t column = 0; column < shape.columns; ++column) {
        if (k % 2 == 1) of.b(column, k) ^= 0x80;
      }
    }
    for (uint32_t row = 0; row < shape.rows; ++row) {
      of.a(row, row % 16 * 2) = 0x38;
      of.a(row, row % 16 * 2 + 1) = 0x38;
      of.c(row, row % 8) = BitsOf(1.0F / 512);
    }
  }
  // A NaN in A makes a row of D NaN, and a NaN in B a column, no matter what it is multiplied by:
  // 5.2.3 has a code for "not a number", and a product with it is not a number either.
  for (const uint8_t nan : {0x7f, 0xff}) {
    for (const uint8_t other : {0x00, 0x7e}) {
      for (const uint32_t k : {0, 13, 31}) {
        add(other, other, 3);
        products.back().a(k % shape.rows, k) = nan;
        add(other, other, 3);
        products.back().b(k % shape.columns, k) = nan;
      }
    }
  }
  return products;
}

std::vector<Matrices> Extremes(const Shape& shape) {
  return shape.type == Type::kS8 ? ExtremesOfS8(shape) : ExtremesOfE4m3(shape);
}

// Random elements and C. For e4m3, the elements of A, and those of B, each come from one of three
// ranges of exponents, and are multiples of 2^`unit` of the range. Sums are below 2^23 of the
// products' units, and C is below 2^22 of them.
Matrices Random(const Shape& shape, Generator& generator) {
  struct Range {
    uint32_t first;
    uint32_t count;
    int unit;
  };
  constexpr Range kRanges[] = {{0, 4, -9}, {4, 6, -6}, {10, 6, 0}};
  Matrices of(shape);
  int unit = 0;
  for (Matrix<uint8_t>* codes : {&of.a, &of.b}) {
    const Range& range = kRanges[generator.Next() % 3];
    unit += range.unit;
    for (uint8_t& code : codes->at) {
      const uint32_t bits = generator.Next() >> 8;
      code = static_cast<uint8_t>(bits);
      if (shape.type == Type::kS8) continue;
      code = static_cast<uint8_t>((code & 0x87) | (range.first + (bits >> 8) % range.count) << 3);
      if ((code & 0x7f) == 0x7f) --code;
    }
  }
  for (uint32_t& c : of.c.at) {
    c = generator.Next();
    if (shape.type == Type::kE4m3) {
      c = BitsOf(std::ldexp(static_cast<float>(static_cast<int32_t>(c) / 512), unit));
    }
  }
  return of;
}

std::vector<Matrices> Randoms(const Shape& shape, uint32_t count) {
  Generator generator(1632);
  std::vector<Matrices> products;
  for (uint32_t i = 0; i < count; ++i) products.push_back(Random(shape, generator));
  return products;
}

std::string Number(uint32_t i) { return std::to_string(i); }

// Returns a list of registers in braces.
std::string List(const std::string& kind, const std::vector<uint32_t>& numbers) {
  std::string list;
  for (const uint32_t number : numbers)
    list += (list.empty() ? "{%" : ", %") + kind + Number(number);
  return list + "}";
}

// ---- mma m16n8k32 ----

Shape ShapeOfMma(const std::string& name) { return {TypeOf(name), 16, 8}; }

constexpr uint32_t kLaneWords = 12;

// The words of a lane are its registers of A, of B, two unused words, and its registers of C.
// 9.7.14.5.10, with groupID = %laneid >> 2 and threadID_in_group = %laneid % 4: a_i is in row
// groupID for i below 4 and from 8 to 11, else in groupID + 8, and in column threadID_in_group * 4
// + (i & 3), 16 more from i = 8 on; b_i is in row threadID_in_group * 4 + (i & 3), 16 more from i =
// 4 on, and column groupID; c_i is in row groupID, 8 more from i = 2 on, and column
// threadID_in_group * 2 + (i & 1). Elements are in registers "low to high".
void AppendFragments(const Matrices& of, std::vector<uint32_t>* words) {
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t group = lane >> 2;
    const uint32_t in_group = lane % 4;
    std::array<uint32_t, kLaneWords> registers = {};
    for (uint32_t i = 0; i < 16; ++i) {
      const bool upper = i < 4 || (i >= 8 && i < 12);
      const uint32_t column = in_group * 4 + (i & 3) + (i < 8 ? 0 : 16);
      registers[i / 4] |= uint32_t{of.a(upper ? group : group + 8, column)} << (8 * (i % 4));
    }
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t row = in_group * 4 + (i & 3) + (i < 4 ? 0 : 16);
      registers[4 + i / 4] |= uint32_t{of.b(group, row)} << (8 * (i % 4));
    }
    for (uint32_t i = 0; i < 4; ++i) {
      registers[8 + i] = of.c(i < 2 ? group : group + 8, in_group * 2 + (i & 1));
    }
    words->insert(words->end(), registers.begin(), registers.end());
  }
}

TextOptions OptionsOfMma(const std::vector<Matrices>& products) {
  TextOptions options;
  options.grid.blocks = {static_cast<uint32_t>(products.size() / 2), 1, 1};
  options.grid.threads = {2 * kLanes, 1, 1};
  std::vector<uint32_t> words;
  for (const Matrices& of : products) AppendFragments(of, &words);
  options.in = Bytes(words);
  options.out_bytes = products.size() * kLanes * 16;
  return options;
}

// The numbers of an mma's registers. Those of C and D are %r or %f registers, those of A and B %r
// registers.
struct MmaRegisters {
  std::vector<uint32_t> d;
  std::vector<uint32_t> a;
  std::vector<uint32_t> b;
  std::vector<uint32_t> c;
};
const MmaRegisters kApart{{40, 41, 42, 43}, {20, 21, 22, 23}, {24, 25}, {28, 29, 30, 31}};

std::string KindOf(Type type) { return type == Type::kS8 ? "r" : "f"; }

// Loads the thread's fragments into registers 20 to 31. %rd23 is the thread's address in `out`.
std::string LoadFragments(Type type) {
  std::string text =
      "shl.b32 %r10, %r3, 6; add.s32 %r10, %r10, %r2; mul.wide.u32 %rd20, %r10, 48;"
      "add.s64 %rd21, %rd1, %rd20; mul.wide.u32 %rd22, %r10, 16; add.s64 %rd23, %rd2, %rd22;";
  for (uint32_t i = 0; i < kLaneWords; ++i) {
    const bool is_float = i >= 8 && type == Type::kE4m3;
    text += std::string(is_float ? "ld.global.f32 %f" : "ld.global.u32 %r") + Number(20 + i) +
            ", [%rd21+" + Number(4 * i) + "];";
  }
  return text;
}

std::string MmaText(const std::string& name, const MmaRegisters& of) {
  const std::string kind = KindOf(TypeOf(name));
  return name + " " + List(kind, of.d) + ", " + List("r", of.a) + ", " + List("r", of.b) + ", " +
         List(kind, of.c) + ";";
}

std::string StoreMma(Type type, const MmaRegisters& of) {
  std::string text;
  for (uint32_t i = 0; i < 4; ++i) {
    text += std::string(type == Type::kS8 ? "st.global.u32" : "st.global.f32") + " [%rd23+" +
            Number(4 * i) + "], %" + KindOf(type) + Number(of.d[i]) + ";";
  }
  return text;
}

void ExpectMma(const TextRun& run, size_t i, const Matrix<uint32_t>& expected, Type type,
               const std::string& of) {
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t e = 0; e < 4; ++e) {
      const uint32_t row = (lane >> 2) + (e < 2 ? 0 : 8);
      const uint32_t column = lane % 4 * 2 + (e & 1);
      const auto found = run.At<uint32_t>((i * kLanes + lane) * 4 + e);
      ASSERT_TRUE(Same(type, found, expected(row, column)))
          << of << " of product " << i << ": row " << row << ", column " << column << " is "
          << std::hex << found << ", not " << expected(row, column);
    }
  }
}

// Checks products, two in each block, one for each warp.
void CheckMma(const std::string& name, std::vector<Matrices> products,
              const MmaRegisters& registers = kApart) {
  const Type type = TypeOf(name);
  if (products.size() % 2 == 1) products.push_back(products[0]);
  const std::string mma = MmaText(name, registers);
  const TextRun run = RunForm(name, {LoadFragments(type) + mma + StoreMma(type, registers), "", ""},
                              OptionsOfMma(products));
  for (size_t i = 0; i < products.size(); ++i) {
    ExpectMma(run, i, Result(products[i]), type, mma);
  }
}

// The registers of D may be those of operands, and some registers of A may be those of other
// operands.
void CheckSharedRegisters(const std::string& name) {
  const Shape shape = ShapeOfMma(name);
  std::vector<Matrices> products = Randoms(shape, 16);
  CheckMma(name, products, {{28, 29, 30, 31}, kApart.a, kApart.b, kApart.c});
  CheckMma(name, products, {{31, 28, 29, 30}, kApart.a, kApart.b, kApart.c});
  if (shape.type == Type::kS8) {
    CheckMma(name, products, {{20, 21, 22, 23}, kApart.a, kApart.b, kApart.c});
    CheckMma(name, products, {{25, 24, 23, 20}, kApart.a, kApart.b, kApart.c});
  }
  // Rows 8 to 15 of A equal rows 0 to 7, and the columns of B equal these rows, so that A and B can
  // share registers.
  for (Matrices& of : products) {
    for (uint32_t k = 0; k < kDepth; ++k) {
      for (uint32_t row = 0; row < 8; ++row) {
        of.a(row + 8, k) = of.a(row, k);
        of.b(row, k) = of.a(row, k);
      }
    }
  }
  if (shape.type == Type::kE4m3) {
    for (Matrices& of : products) of.c.at.assign(of.c.at.size(), 0);
  }
  CheckMma(name, products, {kApart.d, {20, 20, 22, 22}, {20, 22}, kApart.c});
  CheckMma(name, products, {kApart.d, {21, 20, 22, 23}, {20, 23}, kApart.c});
}

// Chains products: the sums of one are C of the next, which is how a longer k is summed. The second
// product has other elements, in other registers.
void CheckChain(const std::string& name) {
  const Shape shape = ShapeOfMma(name);
  std::vector<Matrices> products = {Matrices(shape, 0x80, 0x80, BitsOf(kMost)),
                                    Randoms(shape, 1)[0]};
  if (shape.type == Type::kE4m3) {
    products[0] = Matrices(shape, 0x3f, 0x47, BitsOf(-17.0F));
    products[1] = Matrices(shape, 0x07, 0x38, BitsOf(0.25F));
  }
  const MmaRegisters in_place{kApart.c, kApart.a, kApart.b, kApart.c};
  const MmaRegisters turned{kApart.c, {21, 20, 23, 22}, kApart.b, kApart.c};
  const TextRun run =
      RunForm(name,
              {LoadFragments(shape.type) + MmaText(name, in_place) + MmaText(name, turned) +
                   MmaText(name, in_place) + StoreMma(shape.type, in_place),
               "", ""},
              OptionsOfMma(products));
  for (size_t i = 0; i < products.size(); ++i) {
    Matrices of = products[i];
    of.c = Result(of);
    Matrices rows_transposed = of;
    for (uint32_t row = 0; row < 16; ++row) {
      for (uint32_t k = 0; k < kDepth; ++k) rows_transposed.a(row, k) = of.a((row + 8) % 16, k);
    }
    of.c = Result(rows_transposed);
    ExpectMma(run, i, Result(of), shape.type, "three products");
  }
}

// "An mma instruction should only be used if it is known that all threads in the warp evaluate the
// condition identically": another warp may evaluate it differently.
void CheckConditions(const std::string& name) {
  const Shape shape = ShapeOfMma(name);
  const std::vector<Matrices> products = Randoms(shape, 2);
  const TextOptions options = OptionsOfMma(products);
  const auto body = [&](const std::string& comparison, const std::string& leave) {
    return LoadFragments(shape.type) + comparison + leave + MmaText(name, kApart) +
           StoreMma(shape.type, kApart) + "$end:";
  };
  const std::string skip = "@%p1 bra $end;";
  const TextRun run = RunForm(name, {body("setp.lt.u32 %p1, %r2, 32;", skip), "", ""}, options);
  ExpectMma(run, 0, Matrix<uint32_t>(16, 8, 0), Type::kS8, "no product");
  ExpectMma(run, 1, Result(products[1]), shape.type, "the other warp's");
  for (const std::string& leave : {skip, std::string("@%p1 ret;")}) {
    for (const char* comparison : {"setp.eq.u32 %p1, %r2, 37;", "setp.lt.u32 %p1, %r2, 16;"}) {
      const TextRun missing = RunText(ModuleText(body(comparison, leave)), options);
      EXPECT_TRUE(missing.report.Has(FindingKind::kMissingLanes))
          << comparison << leave << ": " << missing.report.Text();
    }
  }
}

void CheckMmaForm(const std::string& name) {
  const Shape shape = ShapeOfMma(name);
  // Sums of distinct e4m3 matrices are not exact in f32.
  if (shape.type == Type::kS8) CheckMma(name, {Distinct(shape)});
  CheckMma(name, OneElement(shape));
  CheckMma(name, Extremes(shape));
  CheckMma(name, Randoms(shape, 64));
  CheckSharedRegisters(name);
  CheckChain(name);
  CheckConditions(name);
}

// ---- wgmma m64n256k32 ----

Shape ShapeOfWgmma(const std::string& name) { return {TypeOf(name), 64, 256}; }

// 9.7.15.5.1.2: both matrices are K-major with the 128-byte swizzle. An atom of the swizzle is 8
// rows of 128 bytes, which is enough for four products. Piece i (16 bytes) of row r is at place i ^
// r. Groups of eight rows are the "stride dimension byte offset" apart: 2,048 bytes for A, with NaN
// or 127 in the gaps, and 1,024 bytes for B.
constexpr uint32_t kStrideA = 2048;
constexpr uint32_t kStrideB = 1024;
constexpr uint32_t kPlaceB = 16384;
constexpr uint32_t kTileBytes = 49152;
constexpr uint32_t kSlices = 4;
constexpr uint32_t kWarpgroup = 128;
constexpr uint32_t kRegisters = 128;  // of each thread, for one accumulator
constexpr uint32_t kAccumulatorBytes = kWarpgroup * kRegisters * 4;

// The matrices of a block's products, up to four, each with the accumulator before the products.
using Slices = std::array<const Matrices*, kSlices>;

uint32_t Place(uint32_t row, uint32_t byte, uint32_t stride) {
  return row / 8 * stride + row % 8 * 128 + ((byte / 16) ^ (row % 8)) * 16 + byte % 16;
}

std::vector<uint8_t> TileOf(const Slices& slices) {
  std::vector<uint8_t> tile(kTileBytes, 0x7f);
  for (uint32_t slice = 0; slice < kSlices; ++slice) {
    const Matrices* of = slices[slice];
    if (of == nullptr) continue;
    for (uint32_t k = 0; k < kDepth; ++k) {
      const uint32_t byte = slice * kDepth + k;
      for (uint32_t row = 0; row < 64; ++row) tile[Place(row, byte, kStrideA)] = of->a(row, k);
      for (uint32_t column = 0; column < 256; ++column) {
        tile[kPlaceB + Place(column, byte, kStrideB)] = of->b(column, k);
      }
    }
  }
  return tile;
}

// 9.7.15.5.1.1.3, accumulator D: warp w of the warpgroup has rows 16 w to 16 w + 15. d_i of a lane
// is in row laneid / 4, plus 8 if i & 2, and in column 8 (i / 4) + 2 (laneid % 4) + (i & 1).
std::pair<uint32_t, uint32_t> RowAndColumn(uint32_t thread, uint32_t i) {
  const uint32_t lane = thread % kLanes;
  return {thread / kLanes * 16 + lane / 4 + ((i & 2) == 0 ? 0 : 8),
          i / 4 * 8 + lane % 4 * 2 + (i & 1)};
}

// A product of one slice of a block into accumulator 0 or 1, with scale-d true or false.
struct Step {
  uint32_t slice = 0;
  bool adds = true;
  uint32_t accumulator = 0;
};

constexpr char kBegin[] =
    "mul.wide.u32 %rd20, %r3, 114688; add.s64 %rd20, %rd1, %rd20; mul.wide.u32 %rd21, %r2, 16;"
    "add.s64 %rd22, %rd20, %rd21; mov.u32 %r10, tiles; shl.b32 %r11, %r2, 4;"
    "add.s32 %r11, %r11, %r10; mov.u32 %r12, 0;"
    "$copy: ld.global.v4.u32 {%r13, %r14, %r15, %r16}, [%rd22];"
    "st.shared.v4.u32 [%r11], {%r13, %r14, %r15, %r16}; add.s64 %rd22, %rd22, 2048;"
    "add.s32 %r11, %r11, 2048; add.s32 %r12, %r12, 2048; setp.lt.s32 %p1, %r12, 49152;"
    "@%p1 bra $copy; fence.proxy.async.shared::cta; bar.sync 0;"
    "mul.wide.u32 %rd21, %r2, 4; add.s64 %rd22, %rd20, %rd21;"
    "mul.wide.u32 %rd23, %r3, 131072; add.s64 %rd23, %rd2, %rd23; add.s64 %rd23, %rd23, %rd21;"
    "setp.ne.u32 %p2, %r12, %r12; setp.eq.u32 %p3, %r12, %r12;";

constexpr uint32_t FirstRegister(Type type) { return type == Type::kS8 ? 100 : 0; }

// Returns the numbers of all registers of an accumulator.
std::vector<uint32_t> Numbers(Type type, uint32_t accumulator) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < kRegisters; ++i) {
    numbers.push_back(FirstRegister(type) + kRegisters * accumulator + i);
  }
  return numbers;
}

// 9.7.15.5.1.2.2: bits 0 to 13 are the address and bits 32 to 45 the stride offset, each without
// its lower four bits. Bits 62 and 63 are 1 for the 128-byte swizzle. The leading dimension's
// offset, bits 16 to 29, is not used for K-major matrices with a swizzle.
std::string DescriptorText(const std::string& to, uint32_t place, uint32_t stride) {
  const uint64_t constant = uint64_t{1} << 62 | uint64_t{stride >> 4} << 32 | uint64_t{1} << 16;
  return "add.s32 %r13, %r10, " + Number(place) + "; shr.u32 %r13, %r13, 4; cvt.u64.u32 " + to +
         ", %r13; or.b64 " + to + ", " + to + ", " + std::to_string(constant) + ";";
}

std::string StepText(const std::string& name, const Step& step) {
  const Type type = TypeOf(name);
  const std::string bytes = Number(step.slice * kDepth / 16);
  return "add.s64 %rd26, %rd24, " + bytes + "; add.s64 %rd27, %rd25, " + bytes + ";" + name + " " +
         List(KindOf(type), Numbers(type, step.accumulator)) + ", %rd26, %rd27, " +
         (step.adds ? "%p3" : "%p2") + (type == Type::kE4m3 ? ", 1, 1;" : ";");
}

// Loads or stores an accumulator. In memory, the values of all threads for one register are
// adjacent.
std::string Move(const std::string& instruction, Type type, uint32_t accumulator) {
  const bool loads = instruction[0] == 'l';
  std::string text;
  const std::vector<uint32_t> numbers = Numbers(type, accumulator);
  for (uint32_t i = 0; i < kRegisters; ++i) {
    const std::string reg = "%" + KindOf(type) + Number(numbers[i]);
    const uint32_t at = (loads ? kTileBytes : accumulator * kAccumulatorBytes) + 512 * i;
    const std::string place = (loads ? "[%rd22+" : "[%rd23+") + Number(at) + "]";
    text += instruction + (loads ? reg + ", " + place : place + ", " + reg) + ";";
  }
  return text;
}

// Returns the text of the steps. The steps of accumulator 0 form a group, and those of accumulator
// 1 another one, which may still be pending while accumulator 0 is stored.
std::string WgmmaText(const std::string& name, const std::vector<Step>& steps,
                      const std::string& before) {
  const Type type = TypeOf(name);
  const std::string suffix = type == Type::kS8 ? ".u32 " : ".f32 ";
  std::string text = kBegin + DescriptorText("%rd24", 0, kStrideA) +
                     DescriptorText("%rd25", kPlaceB, kStrideB) + before;
  for (const uint32_t accumulator : {0U, 1U}) text += Move("ld.global" + suffix, type, accumulator);
  text += "wgmma.fence.sync.aligned;";
  for (const uint32_t accumulator : {0U, 1U}) {
    for (const Step& step : steps) {
      if (step.accumulator == accumulator) text += StepText(name, step);
    }
    text += "wgmma.commit_group.sync.aligned;";
  }
  for (const uint32_t accumulator : {0U, 1U}) {
    text += "wgmma.wait_group.sync.aligned " + Number(1 - accumulator) + ";" +
            Move("st.global" + suffix, type, accumulator);
  }
  return text;
}

constexpr char kTiles[] = ".shared .align 1024 .b8 tiles[49152];";

// `in` has, for each block, the tile and the start value of both accumulators, which is C of the
// block's first slice with matrices.
TextOptions OptionsOfWgmma(const std::vector<Slices>& blocks) {
  TextOptions options;
  options.grid.blocks = {static_cast<uint32_t>(blocks.size()), 1, 1};
  options.grid.threads = {kWarpgroup, 1, 1};
  for (const Slices& slices : blocks) {
    const std::vector<uint8_t> tile = TileOf(slices);
    options.in.insert(options.in.end(), tile.begin(), tile.end());
    size_t first = 0;
    while (slices[first] == nullptr) ++first;
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < kRegisters; ++i) {
      for (uint32_t thread = 0; thread < kWarpgroup; ++thread) {
        const auto [row, column] = RowAndColumn(thread, i);
        words.push_back(slices[first]->c(row, column));
      }
    }
    const std::vector<uint8_t> bytes = Bytes(words);
    options.in.insert(options.in.end(), bytes.begin(), bytes.end());
  }
  options.out_bytes = blocks.size() * 2 * kAccumulatorBytes;
  return options;
}

void ExpectWgmma(const TextRun& run, size_t accumulator, const Matrix<uint32_t>& expected,
                 Type type, const std::string& what) {
  for (uint32_t i = 0; i < kRegisters; ++i) {
    for (uint32_t thread = 0; thread < kWarpgroup; ++thread) {
      const auto [row, column] = RowAndColumn(thread, i);
      const auto found = run.At<uint32_t>((accumulator * kRegisters + i) * kWarpgroup + thread);
      ASSERT_TRUE(Same(type, found, expected(row, column)))
          << what << ", accumulator " << accumulator % 2 << " of block " << accumulator / 2
          << ": row " << row << ", column " << column << " is " << std::hex << found << ", not "
          << expected(row, column);
    }
  }
}

// Returns the accumulator of a block after its steps: "D = A * B + D", or "D = A * B" if scale-d is
// false.
Matrix<uint32_t> AfterSteps(const Slices& slices, const std::vector<Step>& steps,
                            uint32_t accumulator) {
  size_t first = 0;
  while (slices[first] == nullptr) ++first;
  Matrix<uint32_t> d = slices[first]->c;
  for (const Step& step : steps) {
    if (step.accumulator != accumulator) continue;
    Matrices of = *slices[step.slice];
    of.c = d;
    if (!step.adds) of.c.at.assign(of.c.at.size(), 0);
    d = Result(of);
  }
  return d;
}

void CheckWgmma(const std::string& name, const std::vector<Slices>& blocks,
                const std::vector<Step>& steps, const std::string& what) {
  const TextRun run =
      RunForm(name, {WgmmaText(name, steps, ""), kTiles, ""}, OptionsOfWgmma(blocks));
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (const uint32_t accumulator : {0U, 1U}) {
      ExpectWgmma(run, 2 * i + accumulator, AfterSteps(blocks[i], steps, accumulator), TypeOf(name),
                  what);
    }
  }
}

// Runs each product in a block of its own, next to three slices of NaN or 127. One accumulator adds
// to its start value, and the other one does not.
void CheckSingly(const std::string& name, const std::vector<Matrices>& products,
                 const std::string& what) {
  for (uint32_t slice = 0; slice < kSlices; ++slice) {
    std::vector<Slices> blocks;
    for (size_t i = slice; i < products.size(); i += kSlices) {
      blocks.emplace_back()[slice] = &products[i];
    }
    if (blocks.empty()) continue;
    CheckWgmma(name, blocks, {{slice, true, slice % 2}, {slice, false, 1 - slice % 2}}, what);
  }
}

// Runs several products into one accumulator, of one slice or of all, with scale-d true or false in
// each place.
void CheckWgmmaChains(const std::string& name) {
  const Shape shape = ShapeOfWgmma(name);
  std::vector<Matrices> random = Randoms(shape, kSlices);
  if (shape.type == Type::kE4m3) {
    // The exponents are in one range, because the sums of several products must be exact.
    for (Matrices& of : random) {
      for (uint8_t& code : of.a.at) code = static_cast<uint8_t>((code & 0x87) | 0x38);
      for (uint8_t& code : of.b.at) code = static_cast<uint8_t>((code & 0x8f) | 0x30);
      for (uint32_t i = 0; i < of.c.at.size(); ++i) of.c.at[i] = Accumulator(shape.type, i);
    }
  }
  const Slices slices = {&random[0], &random[1], &random[2], &random[3]};
  const auto check = [&](const std::vector<Step>& steps, const std::string& what) {
    CheckWgmma(name, {slices}, steps, what);
  };
  check({{0}, {1}, {2}, {3}}, "four products");
  check({{3, false}, {1}, {0}, {2}}, "the first without scale-d");
  check({{0}, {1}, {2, false}, {3}}, "the third without scale-d");
  check({{2}, {2}, {2}}, "one product three times");
  check({{1}, {2}, {3, true, 1}, {0, false, 1}, {3, true, 1}}, "two accumulators");
  if (shape.type == Type::kS8) {
    const Matrices up(shape, 0x80, 0x80, BitsOf(kMost - 2 * 524'288));
    const Matrices down(shape, 0x80, 0x7f, BitsOf(kLeast));
    CheckWgmma(name, {{&up, &up, &up, &down}}, {{0}, {1}, {2}, {3}, {0, true, 1}, {1, true, 1}},
               "past the extremes");
  }
}

// A NaN in the accumulator before a product without scale-d has no effect: "the input from
// accumulator D is disabled".
void CheckDisabledAccumulator(const std::string& name) {
  const Shape shape = ShapeOfWgmma(name);
  for (const float c : {kNan, kInfinity}) {
    const Matrices of(shape, 0x38, 0x40, BitsOf(c));
    CheckWgmma(name, {{&of, &of, &of, &of}}, {{0, false}, {1, false, 1}, {2, true, 1}},
               "a disabled accumulator");
  }
}

// ".sync [...] wait until all threads in the warp execute the same wgmma.mma_async": one lane, or
// half a warp, has ended or takes another branch, which is a finding.
void CheckMissing(const std::string& name) {
  const Matrices of = Distinct(ShapeOfWgmma(name));
  for (const char* comparison : {"setp.eq.u32 %p4, %r2, 77;", "setp.lt.u32 %p4, %r2, 16;"}) {
    for (const char* leave : {"@%p4 ret;", "@%p4 bra $end;"}) {
      const std::string body =
          WgmmaText(name, {{0}}, std::string(comparison) + leave) + "$end: mov.u32 %r10, 0;";
      const TextRun run = RunText(ModuleText(body, kTiles), OptionsOfWgmma({{&of, &of, &of, &of}}));
      EXPECT_TRUE(run.report.Has(FindingKind::kMissingLanes))
          << comparison << leave << ": " << run.report.Text();
    }
  }
}

void CheckWgmmaForm(const std::string& name) {
  const Shape shape = ShapeOfWgmma(name);
  if (shape.type == Type::kS8) CheckSingly(name, {Distinct(shape)}, "distinct");
  CheckSingly(name, OneElementOfEach(shape), "one element of each");
  CheckSingly(name, Extremes(shape), "extremes");
  CheckSingly(name, Randoms(shape, 8), "random");
  CheckWgmmaChains(name);
  CheckDisabledAccumulator(name);
  CheckMissing(name);
}

}  // namespace

std::vector<Form> ByteProductForms() {
  return {
      {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", CheckMmaForm},
      {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", CheckMmaForm},
      {"wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3", CheckWgmmaForm},
      {"wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8", CheckWgmmaForm},
  };
}

}  // namespace dragoman::ptx::isa
