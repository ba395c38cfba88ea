// Sections 9.7.14.5.3 and 9.7.14.5.14 of the PTX ISA: mma m8n8k16 of a warp, with 8-bit integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

constexpr uint32_t kLanes = 32;
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

// The operands of one product, as matrices.
struct Matrices {
  std::array<std::array<int8_t, 16>, 8> a = {};
  std::array<std::array<int8_t, 8>, 16> b = {};
  std::array<std::array<int32_t, 8>, 8> c = {};
};

// 9.7.14.5.14: D = A * B + C. Without .satfinite "the accumulated value is wrapped".
uint32_t Result(const Matrices& of, uint32_t row, uint32_t column) {
  auto sum = static_cast<uint32_t>(of.c[row][column]);
  for (uint32_t k = 0; k < 16; ++k) {
    sum += static_cast<uint32_t>(int32_t{of.a[row][k]} * int32_t{of.b[k][column]});
  }
  return sum;
}

// Returns the registers of A, B and C of each lane. 9.7.14.5.3, with groupID = %laneid >> 2 and
// threadID_in_group = %laneid % 4: a_i is in row groupID and column threadID_in_group * 4 + i; b_i
// is in row threadID_in_group * 4 + i and column groupID; c_i is in row groupID and column
// threadID_in_group * 2 + i. Elements are in registers "low to high".
std::vector<uint32_t> Fragments(const Matrices& of) {
  std::vector<uint32_t> words;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t group = lane >> 2;
    const uint32_t in_group = lane % 4;
    uint32_t a = 0;
    uint32_t b = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      a |= uint32_t{static_cast<uint8_t>(of.a[group][in_group * 4 + i])} << (8 * i);
      b |= uint32_t{static_cast<uint8_t>(of.b[in_group * 4 + i][group])} << (8 * i);
    }
    words.insert(words.end(), {a, b, static_cast<uint32_t>(of.c[group][in_group * 2]),
                               static_cast<uint32_t>(of.c[group][in_group * 2 + 1])});
  }
  return words;
}

// Loads the thread's fragments into %r20, %r21 and {%r22, %r23}. %rd23 is the thread's address in
// `out`.
constexpr char kLoad[] =
    "shl.b32 %r10, %r3, 6; add.s32 %r10, %r10, %r2; mul.wide.u32 %rd20, %r10, 16;"
    "add.s64 %rd21, %rd1, %rd20; mul.wide.u32 %rd22, %r10, 8; add.s64 %rd23, %rd2, %rd22;"
    "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd21];";

// The registers of an mma.
struct ProductOperands {
  std::string d;
  std::string a;
  std::string b;
  std::string c;

  std::string Text() const { return " {" + d + "}, {" + a + "}, {" + b + "}, {" + c + "};"; }
};

const ProductOperands kApart{"%r24, %r25", "%r20", "%r21", "%r22, %r23"};

TextOptions OptionsOf(std::span<const Matrices> products) {
  TextOptions options;
  options.grid.blocks = {static_cast<uint32_t>(products.size() / 2), 1, 1};
  options.grid.threads = {64, 1, 1};
  std::vector<uint32_t> words;
  for (const Matrices& of : products) {
    const std::vector<uint32_t> fragments = Fragments(of);
    words.insert(words.end(), fragments.begin(), fragments.end());
  }
  options.in = Bytes(words);
  options.out_bytes = products.size() * kLanes * 8;
  return options;
}

// Checks an even number of products, two in each block, one for each warp.
void CheckProducts(const std::string& name, const std::vector<Matrices>& products,
                   const ProductOperands& operands = kApart) {
  std::string body = kLoad + name + operands.Text();
  const size_t comma = operands.d.find(',');
  body += "st.global.u32 [%rd23], " + operands.d.substr(0, comma) + "; st.global.u32 [%rd23+4]" +
          operands.d.substr(comma) + ";";
  const TextRun run = RunForm(name, {body, "", ""}, OptionsOf(products));
  for (size_t i = 0; i < products.size(); ++i) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      for (uint32_t e = 0; e < 2; ++e) {
        const uint32_t row = lane >> 2;
        const uint32_t column = lane % 4 * 2 + e;
        ASSERT_EQ(run.At<uint32_t>((i * kLanes + lane) * 2 + e), Result(products[i], row, column))
            << operands.Text() << " of product " << i << ": row " << row << ", column " << column;
      }
    }
  }
}

// Returns matrices with 128 different numbers in A and in B, and 64 in C.
Matrices Distinct() {
  Matrices of;
  for (int i = 0; i < 128; ++i) {
    of.a[i / 16][i % 16] = static_cast<int8_t>(i - 64);
    of.b[i / 8][i % 8] = static_cast<int8_t>(63 - i);
    if (i < 64) of.c[i / 8][i % 8] = (i - 31) * 10'000'019;
  }
  return of;
}

// In turn, each element of A or of B is 1 and all others of that matrix are 0. D - C then has one
// row of B, or one column of A.
std::vector<Matrices> OneElement() {
  std::vector<Matrices> products;
  for (uint32_t i = 0; i < 128; ++i) {
    Matrices of = Distinct();
    of.a = {};
    of.a[i / 16][i % 16] = 1;
    products.push_back(of);
    of = Distinct();
    of.b = {};
    of.b[i / 8][i % 8] = 1;
    products.push_back(of);
  }
  return products;
}

Matrices Constant(int a, int b, int32_t c) {
  Matrices of;
  for (auto& row : of.a) row.fill(static_cast<int8_t>(a));
  for (auto& row : of.b) row.fill(static_cast<int8_t>(b));
  for (auto& row : of.c) row.fill(c);
  return of;
}

// The extremes of the elements, with sums of up to 16 * 128 * 128 = 262,144. With C they reach the
// extremes of s32, and exceed them by one.
std::vector<Matrices> Extremes() {
  std::vector<Matrices> products = {
      Constant(-128, -128, 0),
      Constant(-128, 127, 0),
      Constant(127, -128, 0),
      Constant(127, 127, 0),
      Constant(-1, -1, 0),
      Constant(-1, 127, -5),
      Constant(0, -128, kLeast),
      Constant(-128, 0, kMost),
      Constant(-128, -128, kMost - 262'144),
      Constant(-128, -128, kMost - 262'143),
      Constant(-128, -128, kMost),
      Constant(-128, -128, kLeast),
      Constant(-128, 127, kLeast + 260'096),
      Constant(-128, 127, kLeast + 260'095),
      Constant(127, -128, kLeast),
      Constant(127, -128, kMost),
      Constant(127, 127, kMost),
      Constant(127, 127, -258'064),
  };
  // Partial sums exceed the extremes, and the sum of the products is 0: the products for k below 8
  // add up to 65,536 or -65,536.
  for (const int32_t c : {kMost, kLeast}) {
    for (const int b : {-64, 64}) {
      Matrices of = Constant(-128, b, c);
      for (uint32_t k = 8; k < 16; ++k) of.b[k].fill(static_cast<int8_t>(-b));
      products.push_back(of);
    }
  }
  // Each element of D has one product of extremes.
  for (const int a : {-128, 127}) {
    for (const int b : {-128, 127}) {
      for (const int32_t c : {kLeast, kMost}) {
        Matrices of = Constant(0, b, c);
        for (uint32_t row = 0; row < 8; ++row) of.a[row][2 * row] = static_cast<int8_t>(a);
        products.push_back(of);
      }
    }
  }
  return products;
}

// Random elements and C, from the linear congruential generator of Knuth's MMIX.
std::vector<Matrices> Random() {
  std::vector<Matrices> products(64);
  uint64_t state = 8816;
  const auto next = [&] {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return static_cast<uint32_t>(state >> 32);
  };
  for (Matrices& of : products) {
    for (auto& row : of.a) {
      for (int8_t& element : row) element = static_cast<int8_t>(next() >> 24);
    }
    for (auto& row : of.b) {
      for (int8_t& element : row) element = static_cast<int8_t>(next() >> 24);
    }
    for (auto& row : of.c) {
      for (int32_t& element : row) element = static_cast<int32_t>(next());
    }
  }
  return products;
}

// The registers of D may be those of the operands, and those of A may be those of B.
void CheckSharedRegisters(const std::string& name) {
  std::vector<Matrices> products = Random();
  CheckProducts(name, products, {"%r22, %r23", "%r20", "%r21", "%r22, %r23"});
  CheckProducts(name, products, {"%r23, %r22", "%r20", "%r21", "%r22, %r23"});
  CheckProducts(name, products, {"%r20, %r21", "%r20", "%r21", "%r22, %r23"});
  CheckProducts(name, products, {"%r21, %r22", "%r20", "%r21", "%r22, %r23"});
  for (Matrices& of : products) {
    for (uint32_t k = 0; k < 16; ++k) {
      for (uint32_t column = 0; column < 8; ++column) of.b[k][column] = of.a[column][k];
    }
  }
  CheckProducts(name, products, {"%r24, %r25", "%r20", "%r20", "%r22, %r23"});
  CheckProducts(name, products, {"%r24, %r25", "%r21", "%r21", "%r22, %r23"});
}

// Chains products: the sums of one are C of the next, which is how a longer k is summed.
void CheckChain(const std::string& name) {
  const std::vector<Matrices> products = {Random()[0], Constant(-128, -128, kMost)};
  std::string body = kLoad;
  for (uint32_t i = 0; i < 3; ++i) {
    body += name + " {%r22, %r23}, {%r20}, {%r21}, {%r22, %r23};";
  }
  body += "st.global.u32 [%rd23], %r22; st.global.u32 [%rd23+4], %r23;";
  const TextRun run = RunForm(name, {body, "", ""}, OptionsOf(products));
  for (uint32_t i = 0; i < 2; ++i) {
    for (uint32_t at = 0; at < 64; ++at) {
      const auto c = static_cast<uint32_t>(products[i].c[at / 8][at % 8]);
      const uint32_t product = Result(products[i], at / 8, at % 8) - c;
      EXPECT_EQ(run.At<uint32_t>(64 * i + at), c + 3 * product) << "product " << i << ", " << at;
    }
  }
}

// "An mma instruction should only be used if it is known that all threads in the warp evaluate the
// condition identically": another warp may evaluate it differently. "The behavior [...] is
// undefined [...] if any thread in the warp has exited."
void CheckConditions(const std::string& name) {
  const std::vector<Matrices> products = {Distinct(), Random()[1]};
  const TextOptions options = OptionsOf(products);
  const auto body = [&](const std::string& comparison, const std::string& skip) {
    return kLoad + comparison + skip + name + kApart.Text() +
           "st.global.u32 [%rd23], %r24; st.global.u32 [%rd23+4], %r25; $end:";
  };
  const std::string skip = "@%p1 bra $end;";
  const TextRun run = RunForm(name, {body("setp.lt.u32 %p1, %r2, 32;", skip), "", ""}, options);
  for (uint32_t at = 0; at < 64; ++at) {
    EXPECT_EQ(run.At<uint32_t>(at), 0U) << at;
    EXPECT_EQ(run.At<uint32_t>(64 + at), Result(products[1], at / 8, at % 8)) << at;
  }
  for (const std::string& leave : {skip, std::string("@%p1 ret;")}) {
    for (const char* comparison : {"setp.eq.u32 %p1, %r2, 37;", "setp.lt.u32 %p1, %r2, 16;"}) {
      const TextRun missing = RunText(ModuleText(body(comparison, leave)), options);
      EXPECT_TRUE(missing.report.Has(FindingKind::kMissingLanes))
          << comparison << leave << ": " << missing.report.Text();
    }
  }
}

}  // namespace

std::vector<Form> SmallMatrixForms() {
  return {{"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", [](const std::string& name) {
             CheckProducts(name, {Distinct(), Constant(1, 1, 1)});
             CheckProducts(name, OneElement());
             CheckProducts(name, Extremes());
             CheckProducts(name, Random());
             CheckSharedRegisters(name);
             CheckChain(name);
             CheckConditions(name);
           }}};
}

}  // namespace dragoman::ptx::isa
