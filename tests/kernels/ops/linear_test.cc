#include "kernels/ops/linear.h"

#include <numeric>

#include "tests/kernels/ops/activation_reference.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman {
namespace {

struct Shape {
  int in;
  int out;
};

using LinearTest = PerIsa;

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
        const auto linear =
            Linear::Create(w.data(), with_bias ? b.data() : nullptr, s.in, s.out, activation);
        OpContext context;
        // A border that must stay as it is shows writes outside of y.
        std::vector<float> y(rows * s.out + 64, 123.0F);
        linear->Run(context, x.data(), rows, y.data());
        for (size_t i = rows * s.out; i < y.size(); ++i) ASSERT_EQ(y[i], 123.0F);
        y.resize(rows * s.out);
        std::vector<double> expected(y.size());
        for (int64_t r = 0; r < rows; ++r) {
          for (int c = 0; c < s.out; ++c) {
            double sum = with_bias ? b[c] : 0.0;
            for (int k = 0; k < s.in; ++k) sum += double(x[r * s.in + k]) * w[c * s.in + k];
            expected[r * s.out + c] = ActivationReference(activation, sum);
          }
        }
        EXPECT_LT(WorstError(y, expected), 5e-6) << s.in << "x" << s.out;
      }
    }
  }
}

// The promise: a row alone, and the same row anywhere among any number of others.
TEST_P(LinearTest, RowsAreBitEqualInAnyCompany) {
  for (const Shape s : {Shape{64, 96}, {1024, 56}, {33, 7}, {256, 131}}) {
    const int64_t most = 300;
    const auto w = RandomFloats(size_t(s.in) * s.out, 1, 0.05F);
    const auto b = RandomFloats(s.out, 2);
    const auto x = RandomFloats(most * s.in, 3);
    const auto linear = Linear::Create(w.data(), b.data(), s.in, s.out, Activation::kGelu);
    OpContext one(1);
    std::vector<float> alone(most * s.out);
    for (int64_t r = 0; r < most; ++r) {
      linear->Run(one, x.data() + r * s.in, 1, alone.data() + r * s.out);
    }
    for (const int threads : kThreadCounts) {
      OpContext context(threads, 1);
      for (int64_t rows = 1; rows <= most; rows += threads == 1 && rows < 140 ? 1 : 29) {
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
  const auto linear = Linear::Create(w.data(), nullptr, 3, 4);
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
    const auto linear = Linear::Create(w.data(), nullptr, 64, 50, activation);
    x[3 * 64 + 5] = NAN;
    OpContext context;
    std::vector<float> y(9 * 50);
    linear->Run(context, x.data(), 9, y.data());
    for (int i = 0; i < 9 * 50; ++i) EXPECT_EQ(std::isnan(y[i]), i / 50 == 3) << i;
  }
}

DRAGOMAN_FOR_EVERY_ISA(LinearTest);

}  // namespace
}  // namespace dragoman
