#include "kernels/ops/linear.h"

#include <numeric>

#include "tests/kernels/ops/activation_reference.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

struct Shape {
  int in;
  int out;
};

using LinearTest = PerIsaAndType;

TEST_P(LinearTest, AgreesWithDouble) {
  for (const Shape s : {Shape{1, 1},
                        {3, 5},
                        {17, 47},
                        {16, 48},
                        {31, 49},
                        {64, 64},
                        {100, 95},
                        {129, 33},
                        {600, 97},
                        {1100, 16}}) {
    for (const Activation activation : kAllActivations) {
      for (const bool with_bias : {false, true}) {
        const int64_t rows = 11;
        const auto w = RandomFloats(size_t(s.in) * s.out, 1, 1.0F / std::sqrt(float(s.in)));
        const auto b = RandomFloats(s.out, 2);
        const auto x = RandomFloats(rows * s.in, 3);
        const auto linear = Linear::Create(w.data(), with_bias ? b.data() : nullptr, s.in, s.out,
                                           activation, type());
        OpContext context;
        // The 64 numbers after y must stay unchanged, which detects writes outside of y.
        std::vector<float> y(rows * s.out + 64, 123.0F);
        linear->Run(context, x.data(), rows, y.data());
        for (size_t i = rows * s.out; i < y.size(); ++i) ASSERT_EQ(y[i], 123.0F);
        y.resize(rows * s.out);
        const auto taken_x = AsOperand(type(), x, s.in);
        const auto taken_w = AsWeights(type(), w, s.in);
        std::vector<double> expected(y.size());
        for (int64_t r = 0; r < rows; ++r) {
          for (int c = 0; c < s.out; ++c) {
            double sum = with_bias ? b[c] : 0.0;
            for (int k = 0; k < s.in; ++k)
              sum += double(taken_x[r * s.in + k]) * taken_w[c * s.in + k];
            expected[r * s.out + c] = ActivationReference(activation, sum);
          }
        }
        const bool rough = activation == Activation::kSwish && type() != ComputeType::kFloat32;
        EXPECT_LT(WorstError(y, expected), rough ? 5e-5 : 5e-6) << s.in << "x" << s.out;
      }
    }
  }
}

// A row must have the same bits alone and at any place among any number of other rows.
TEST_P(LinearTest, RowsAreBitEqualInAnyCompany) {
  for (const Shape s : {Shape{64, 96}, {1024, 56}, {33, 7}, {256, 131}}) {
    const int64_t most = 300;
    const auto w = RandomFloats(size_t(s.in) * s.out, 1, 0.05F);
    const auto b = RandomFloats(s.out, 2);
    const auto x = RandomFloats(most * s.in, 3);
    const auto linear = Linear::Create(w.data(), b.data(), s.in, s.out, Activation::kGelu, type());
    OpContext one(1);
    std::vector<float> alone(most * s.out);
    for (int64_t r = 0; r < most; ++r) {
      linear->Run(one, x.data() + r * s.in, 1, alone.data() + r * s.out);
    }
    for (const int threads : kThreadCounts) {
      OpContext context(threads, 1);
      // Blocks have at most 32 rows (AMX). Tests every remainder of a block, then some larger
      // counts.
      for (int64_t rows = 1; rows <= most; rows += threads == 1 && rows < 34 ? 1 : 29) {
        std::vector<float> y(rows * s.out);
        linear->Run(context, x.data(), rows, y.data());
        ASSERT_TRUE(SameBits(y.data(), alone.data(), y.size()))
            << s.in << "x" << s.out << " rows " << rows << " threads " << threads;
      }
    }
    std::vector<int64_t> order(most);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(4));
    std::vector<float> shuffled(x.size());
    for (int64_t r = 0; r < most; ++r) {
      std::copy_n(x.data() + order[r] * s.in, s.in, shuffled.data() + r * s.in);
    }
    std::vector<float> y(most * s.out);
    linear->Run(one, shuffled.data(), most, y.data());
    for (int64_t r = 0; r < most; ++r) {
      ASSERT_TRUE(SameBits(y.data() + r * s.out, alone.data() + order[r] * s.out, s.out));
    }
  }
}

TEST_P(LinearTest, NoRowsIsNothing) {
  const auto w = RandomFloats(12, 1);
  const auto linear = Linear::Create(w.data(), nullptr, 3, 4, Activation::kNone, type());
  OpContext context(kThreadCounts.back());
  std::vector<float> y(4, 7.0F);
  linear->Run(context, nullptr, 0, y.data());
  EXPECT_EQ(y, std::vector<float>(4, 7.0F));
}

TEST_P(LinearTest, NanStaysInItsRow) {
  const auto w = RandomFloats(64 * 50, 1);
  auto x = RandomFloats(9 * 64, 2);
  for (const Activation activation :
       {Activation::kNone, Activation::kRelu, Activation::kGelu, Activation::kSwish}) {
    const auto linear = Linear::Create(w.data(), nullptr, 64, 50, activation, type());
    x[3 * 64 + 5] = NAN;
    OpContext context;
    std::vector<float> y(9 * 50);
    linear->Run(context, x.data(), 9, y.data());
    for (int i = 0; i < 9 * 50; ++i) EXPECT_EQ(std::isnan(y[i]), i / 50 == 3) << i;
  }
}

// The relative error must be small for every number: 1e-5 is as exact as 10.
TEST_P(LinearTest, SwishIsOfEveryNumber) {
  std::vector<float> x;
  for (float magnitude = 1e-6F; magnitude < 60.0F; magnitude *= 1.01F) {
    x.push_back(magnitude);
    x.push_back(-magnitude);
  }
  x.resize(x.size() / 7 * 7 + 3);  // not a multiple of a register
  // The weights are zeros, so the sums are exactly the biases.
  const std::vector<float> w(x.size());
  const auto linear =
      Linear::Create(w.data(), x.data(), 1, static_cast<int>(x.size()), Activation::kSwish, type());
  const float one = 1.0F;
  OpContext context;
  std::vector<float> y(x.size());
  linear->Run(context, &one, 1, y.data());
  const double allowed = type() == ComputeType::kFloat32 ? 1e-6 : 7e-5;
  for (size_t i = 0; i < x.size(); ++i) {
    const double expected = ActivationReference(Activation::kSwish, x[i]);
    EXPECT_LE(std::abs(y[i] - expected), allowed * std::abs(expected)) << x[i];
  }
}

TEST_P(LinearTest, SwishOfFarNumbers) {
  const std::vector<float> x = {-90.0F, -1e4F, -1e30F, 90.0F, 1e4F, 1e30F, 0.0F, -0.0F};
  const std::vector<float> w(x.size());
  const auto linear =
      Linear::Create(w.data(), x.data(), 1, static_cast<int>(x.size()), Activation::kSwish, type());
  const float one = 1.0F;
  OpContext context;
  std::vector<float> y(x.size());
  linear->Run(context, &one, 1, y.data());
  for (size_t i = 0; i < x.size(); ++i) {
    const double expected = x[i] > 0.0F ? x[i] : 0.0;
    EXPECT_NEAR(y[i], expected, 7e-5 * expected + 1e-6) << x[i];
  }
}

TEST_P(LinearTest, RowsOfZerosAndOfTinyNumbersGiveTheBias) {
  const auto w = RandomFloats(40 * 33, 1);
  const auto b = RandomFloats(33, 2);
  const auto linear = Linear::Create(w.data(), b.data(), 40, 33, Activation::kNone, type());
  std::vector<float> x(2 * 40, 0.0F);
  for (int i = 0; i < 40; ++i) x[40 + i] = 1e-39F;
  OpContext context;
  std::vector<float> y(2 * 33);
  linear->Run(context, x.data(), 2, y.data());
  for (int i = 0; i < 2 * 33; ++i) EXPECT_EQ(y[i], b[i % 33]) << i;
}

TEST_P(LinearTest, PackingOnSeveralThreadsChangesNothing) {
  const auto w = RandomFloats(size_t(640) * 1000, 1);
  const auto x = RandomFloats(size_t(5) * 640, 2);
  std::vector<float> y[2];
  for (const int threads : {1, 3}) {
    OpContext packing(threads, 1);
    const auto linear =
        Linear::Create(w.data(), nullptr, 640, 1000, Activation::kNone, type(), &packing);
    OpContext context;
    std::vector<float>& out = y[threads == 1 ? 0 : 1];
    out.resize(5 * 1000);
    linear->Run(context, x.data(), 5, out.data());
  }
  EXPECT_TRUE(SameBits(y[0].data(), y[1].data(), y[0].size()));
}

DRAGOMAN_FOR_EVERY_ISA_AND_TYPE(LinearTest);

// Tests with integers whose largest magnitude is the limit. They are quantized with scale 1, so the
// result is the exact sum.
class ExactSums : public PerIsa {
 protected:
  static int LimitOfEqualNeighbours() {
    const float column[] = {1.0F, 1.0F};
    return cpu::WeightLimit(column, 2);
  }
  const int limit_ = LimitOfEqualNeighbours();
};

std::vector<float> RunInt8(int in, int out, int64_t rows, const std::vector<float>& w,
                           const std::vector<float>& x) {
  const auto linear =
      Linear::Create(w.data(), nullptr, in, out, Activation::kNone, ComputeType::kInt8);
  OpContext context;
  std::vector<float> y(size_t(rows) * out);
  linear->Run(context, x.data(), rows, y.data());
  return y;
}

void ExpectExactSums(int in, int out, int64_t rows, const std::vector<float>& w,
                     const std::vector<float>& x) {
  const auto y = RunInt8(in, out, rows, w, x);
  for (int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < out; ++c) {
      double sum = 0.0;
      for (int k = 0; k < in; ++k) sum += double(x[r * in + k]) * w[size_t(c) * in + k];
      ASSERT_EQ(y[r * out + c], sum) << in << " row " << r << " column " << c;
    }
  }
}

// The largest possible products, with every pattern of signs in groups of four. Instructions that
// saturate at 16 bits would get them wrong. 1040 * 127 * 127 is just below 2^24, so f32 holds every
// sum.
TEST_P(ExactSums, AtTheLimitsOfEveryOperand) {
  for (const int in : {4, 64, 200, 1040}) {
    const int patterns = 16;
    std::vector<float> w(size_t(patterns) * in), x(size_t(patterns + 3) * in);
    for (int p = 0; p < patterns; ++p) {
      for (int k = 0; k < in; ++k) w[size_t(p) * in + k] = p >> k % 4 & 1 ? -1.0F : 1.0F;
    }
    for (size_t i = 0; i < x.size(); ++i) x[i] = w[i % w.size()] * 127.0F;
    for (int p = 0; p < patterns; ++p) {
      float* const column = w.data() + size_t(p) * in;
      const auto limit = static_cast<float>(cpu::WeightLimit(column, in));
      for (int k = 0; k < in; ++k) column[k] *= limit;
    }
    ExpectExactSums(in, patterns, patterns + 3, w, x);
  }
}

// Neighbouring weights of one sign add up to 128 after rounding, the most that WeightLimit allows.
// Rows have the largest numbers.
TEST_P(ExactSums, OfNeighboursAtTheirLimit) {
  const int in = 64;
  const std::vector<float> rows = {127.0F, -127.0F};
  for (int large = 64; large <= cpu::QuantizedKernels().weight_limit; ++large) {
    // Before rounding, two neighbours add up to 127.2.
    std::vector<float> w(size_t(17) * in, 0.0F);
    for (int c = 0; c < 17; ++c) {
      float* const column = w.data() + size_t(c) * in;
      for (int k = 0; k < in; k += 4) {
        const float sign = c % 2 == 0 ? 1.0F : -1.0F;
        column[k] = sign * (static_cast<float>(large) - 0.4F);
        column[k + 1] = sign * (127.6F - static_cast<float>(large));
        column[k + 2] = k % 8 == 0 ? -column[k] : column[k + 1];
      }
      column[in - 1] = static_cast<float>(large);
    }
    const auto numbers = AsWeights(ComputeType::kInt8, w, in);
    std::vector<float> x(size_t(5) * in);
    for (size_t i = 0; i < x.size(); ++i) x[i] = rows[i / in % 2];
    const auto y = RunInt8(in, 17, 5, w, x);
    for (int r = 0; r < 5; ++r) {
      for (int c = 0; c < 17; ++c) {
        double sum = 0.0;
        for (int k = 0; k < in; ++k) sum += double(x[r * in + k]) * numbers[size_t(c) * in + k];
        ASSERT_NEAR(y[r * 17 + c], sum, 1e-6 * 127 * 127 * in)
            << large << " row " << r << " column " << c;
      }
    }
  }
}

// If weights are limited below 127, the products of two groups are added in 16 bits where their
// weights of one sign add up to at most 128 (cpu::QuantizedGemmArgs::order). Here they add up to
// 128 or to 129, of either sign, which differs among strips and groups. Rows have the largest
// numbers.
TEST_P(ExactSums, WhereProductsOfTwoGroupsJustFitAndWhereTheyDoNot) {
  const int in = 256;
  const int out = 16 * 6 + 5;
  const auto limit = static_cast<float>(limit_);
  std::mt19937 random(1);
  std::vector<float> w(size_t(out) * in);
  for (int c = 0; c < out; ++c) {
    float* const column = w.data() + size_t(c) * in;
    const int over = c / 16 == 0 ? 2 : c / 16 == 1 ? 3 : 2 + static_cast<int>(random() % 2);
    for (int pair = 0; pair < in; pair += 8) {
      const float sign = random() % 2 == 0 ? 1.0F : -1.0F;
      const int at = pair + static_cast<int>(random() % 2) * 2;
      column[at] = column[at + 1] = sign * limit;
      column[at + 4] = sign * static_cast<float>(over);
      column[at + 5] = c % 3 == 0 ? -sign * limit : 0.0F;
    }
  }
  const int64_t rows = 13;
  std::vector<float> x(size_t(rows) * in);
  for (size_t i = 0; i < x.size(); ++i) {
    const bool above = i < size_t(in) || (i >= size_t(in) * 2 && random() % 2 == 0);
    x[i] = above ? 127.0F : -127.0F;
  }
  ExpectExactSums(in, out, rows, w, x);
}

// Sums of 4,096 of the largest products reach 66 million. That is beyond f32's exact integers, but
// f32 holds multiples of 4,096.
TEST_P(ExactSums, OfTheLongestRows) {
  const int in = 4096;
  const auto limit = static_cast<float>(limit_);
  const std::vector<float> w(size_t(17) * in, -limit);
  const std::vector<float> x(size_t(35) * in, 127.0F);
  for (const float sum : RunInt8(in, 17, 35, w, x)) ASSERT_EQ(sum, -127.0F * limit * 4096.0F);
}

INSTANTIATE_TEST_SUITE_P(Cpu, ExactSums, ::testing::ValuesIn(cpu::SupportedIsas()), IsaTestName);

// Skips the baseline, which scales with a multiplication and an addition where the other
// instruction sets use one operation for both. Skips AVX2 alone, whose weights have a lower limit.
TEST(Int8, HasTheSameBitsOnEveryInstructionSet) {
  const auto w = RandomFloats(size_t(300) * 70, 1);
  const auto x = RandomFloats(size_t(37) * 300, 2);
  std::vector<float> first;
  for (const cpu::Isa isa : cpu::SupportedIsas()) {
    if (isa == cpu::Isa::kBaseline || isa == cpu::Isa::kAvx2) continue;
    const WithIsa with(isa);
    EXPECT_EQ(cpu::QuantizedKernels().weight_limit, cpu::kRowLimit) << cpu::IsaName(isa);
    const auto y = RunInt8(300, 70, 37, w, x);
    if (first.empty()) first = y;
    EXPECT_TRUE(SameBits(first.data(), y.data(), y.size())) << cpu::IsaName(isa);
  }
}

}  // namespace
}  // namespace dragoman::kernels
