// Norms, gates and embedding.
#include <memory>

#include "kernels/base/activation.h"
#include "kernels/cpu/isa.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/gate.h"
#include "kernels/ops/row_norm.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using LayerNormTest = PerIsa;

TEST_P(LayerNormTest, AgreesWithDouble) {
  const int64_t rows = 5;
  for (const int d : {1, 3, 16, 17, 31, 64, 100, 512}) {
    for (const bool with_residual : {false, true}) {
      const auto x = RandomFloats(rows * d, 1, 3.0F);
      const auto residual = RandomFloats(rows * d, 2);
      const auto gamma = RandomFloats(d, 3);
      const auto beta = RandomFloats(d, 4);
      const float epsilon = 1e-5F;
      std::vector<float> y(rows * d);
      OpContext context;
      AddLayerNorm(context, x.data(), with_residual ? residual.data() : nullptr, gamma.data(),
                   beta.data(), epsilon, rows, d, y.data());
      std::vector<double> expected;
      for (int64_t r = 0; r < rows; ++r) {
        std::vector<double> z(d);
        double mean = 0.0;
        double variance = 0.0;
        for (int i = 0; i < d; ++i) {
          z[i] = double(x[r * d + i]) + (with_residual ? residual[r * d + i] : 0.0F);
          mean += z[i] / d;
        }
        for (int i = 0; i < d; ++i) variance += (z[i] - mean) * (z[i] - mean) / d;
        for (int i = 0; i < d; ++i) {
          expected.push_back((z[i] - mean) / std::sqrt(variance + epsilon) * gamma[i] + beta[i]);
        }
      }
      EXPECT_LT(WorstError(y, expected), 3e-6) << d;
    }
  }
}

TEST_P(LayerNormTest, RowsAreBitEqualInAnyCompanyAndInPlace) {
  for (const int d : {20, 256}) {
    const int64_t most = 130;
    const auto x = RandomFloats(most * d, 1);
    const auto residual = RandomFloats(most * d, 2);
    const auto gamma = RandomFloats(d, 3);
    const auto beta = RandomFloats(d, 4);
    OpContext one;
    std::vector<float> alone(most * d);
    for (int64_t r = 0; r < most; ++r) {
      AddLayerNorm(one, x.data() + r * d, residual.data() + r * d, gamma.data(), beta.data(), 1e-5F,
                   1, d, alone.data() + r * d);
    }
    for (const int threads : kThreadCounts) {
      OpContext context(threads, 1);
      for (int64_t rows = 1; rows <= most; rows += 9) {
        std::vector<float> y(residual.begin(), residual.begin() + rows * d);
        AddLayerNorm(context, x.data(), y.data(), gamma.data(), beta.data(), 1e-5F, rows, d,
                     y.data());
        ASSERT_TRUE(SameBits(y.data(), alone.data(), y.size())) << rows;
        y.assign(x.begin(), x.begin() + rows * d);
        AddLayerNorm(context, y.data(), residual.data(), gamma.data(), beta.data(), 1e-5F, rows, d,
                     y.data());
        ASSERT_TRUE(SameBits(y.data(), alone.data(), y.size())) << rows;
      }
    }
  }
}

TEST_P(LayerNormTest, KeepsTheSumForThoseWhoGoOnWithIt) {
  const int64_t rows = 5;
  for (const int d : {3, 17, 64, 100}) {
    const auto x = RandomFloats(rows * d, 1);
    const auto residual = RandomFloats(rows * d, 2);
    const auto gamma = RandomFloats(d, 3);
    OpContext context;
    std::vector<float> expected(rows * d);
    AddLayerNorm(context, x.data(), residual.data(), gamma.data(), gamma.data(), 1e-5F, rows, d,
                 expected.data());
    std::vector<float> sums(rows * d);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = x[i] + residual[i];
    // Apart, and in the place of either operand.
    for (const int place : {0, 1, 2}) {
      std::vector<float> a = x;
      std::vector<float> b = residual;
      std::vector<float> apart(rows * d);
      std::vector<float>& sum = place == 0 ? apart : place == 1 ? a : b;
      std::vector<float> y(rows * d);
      AddLayerNorm(context, a.data(), b.data(), gamma.data(), gamma.data(), 1e-5F, rows, d,
                   y.data(), sum.data());
      EXPECT_TRUE(SameBits(y.data(), expected.data(), y.size())) << d;
      EXPECT_TRUE(SameBits(sum.data(), sums.data(), sums.size())) << d;
    }
  }
}

DRAGOMAN_FOR_EVERY_ISA(LayerNormTest);

using RmsNormTest = PerIsa;

TEST_P(RmsNormTest, AgreesWithDouble) {
  const int64_t rows = 5;
  for (const int d : {1, 3, 16, 17, 31, 64, 100, 512}) {
    for (const bool with_residual : {false, true}) {
      const auto x = RandomFloats(rows * d, 1, 3.0F);
      const auto residual = RandomFloats(rows * d, 2);
      const auto gamma = RandomFloats(d, 3);
      const float epsilon = 1e-3F;
      std::vector<float> y(rows * d);
      std::vector<float> sum(rows * d);
      OpContext context;
      AddRmsNorm(context, x.data(), with_residual ? residual.data() : nullptr, gamma.data(),
                 epsilon, rows, d, y.data(), sum.data());
      std::vector<double> expected;
      for (int64_t r = 0; r < rows; ++r) {
        double mean = 0.0;
        for (int64_t i = r * d; i < (r + 1) * d; ++i) {
          const float z = x[i] + (with_residual ? residual[i] : 0.0F);
          EXPECT_EQ(sum[i], z);
          mean += double(z) * z / d;
        }
        for (int i = 0; i < d; ++i) {
          expected.push_back(sum[r * d + i] / std::sqrt(mean + epsilon) * gamma[i]);
        }
      }
      EXPECT_LT(WorstError(y, expected), 3e-6) << d;
    }
  }
}

TEST_P(RmsNormTest, RowsAreBitEqualInAnyCompanyAndInPlace) {
  for (const int d : {20, 256}) {
    const int64_t most = 130;
    const auto x = RandomFloats(most * d, 1);
    const auto residual = RandomFloats(most * d, 2);
    const auto gamma = RandomFloats(d, 3);
    OpContext one;
    std::vector<float> alone(most * d);
    for (int64_t r = 0; r < most; ++r) {
      AddRmsNorm(one, x.data() + r * d, residual.data() + r * d, gamma.data(), 1e-6F, 1, d,
                 alone.data() + r * d);
    }
    for (const int threads : kThreadCounts) {
      OpContext context(threads, 1);
      for (int64_t rows = 1; rows <= most; rows += 9) {
        // y in the place of the residual, the sum in that of x; and the other way round.
        std::vector<float> a(x.begin(), x.begin() + rows * d);
        std::vector<float> b(residual.begin(), residual.begin() + rows * d);
        AddRmsNorm(context, a.data(), b.data(), gamma.data(), 1e-6F, rows, d, b.data(), a.data());
        ASSERT_TRUE(SameBits(b.data(), alone.data(), b.size())) << rows;
        a.assign(x.begin(), x.begin() + rows * d);
        b.assign(residual.begin(), residual.begin() + rows * d);
        AddRmsNorm(context, a.data(), b.data(), gamma.data(), 1e-6F, rows, d, a.data());
        ASSERT_TRUE(SameBits(a.data(), alone.data(), a.size())) << rows;
      }
    }
  }
}

DRAGOMAN_FOR_EVERY_ISA(RmsNormTest);

using GateTest = PerIsa;

TEST_P(GateTest, IsTheActivationOfOneHalfTimesTheOther) {
  const int64_t rows = 6;
  for (const int n : {1, 15, 16, 40, 257}) {
    const auto x = RandomFloats(rows * 2 * n, 1, 2.0F);
    for (const Activation activation : kAllActivations) {
      std::vector<float> expected;
      for (int64_t r = 0; r < rows; ++r) {
        std::vector<float> a(x.begin() + 2 * r * n, x.begin() + (2 * r + 1) * n);
        cpu::Kernels().activate(activation, a.data(), n);
        for (int i = 0; i < n; ++i) {
          const float y = activation == Activation::kRelu ? std::max(a[i], 0.0F) : a[i];
          expected.push_back(y * x[(2 * r + 1) * n + i]);
        }
      }
      for (const int threads : kThreadCounts) {
        OpContext context(threads, 1);
        std::vector<float> y(rows * n);
        GateRows(context, activation, x.data(), rows, n, y.data());
        ASSERT_TRUE(SameBits(y.data(), expected.data(), y.size()))
            << n << ", activation " << static_cast<int>(activation);
      }
    }
  }
}

TEST_P(GateTest, ANanStaysOne) {
  const std::vector<float> x = {NAN, 1.0F, 2.0F, NAN};
  for (const Activation activation : kAllActivations) {
    OpContext context;
    std::vector<float> y(2);
    GateRows(context, activation, x.data(), 1, 2, y.data());
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1])) << static_cast<int>(activation);
  }
}

DRAGOMAN_FOR_EVERY_ISA(GateTest);

using EmbedTest = PerIsaAndType;

// Quantized tables hold what products would take of their rows.
TEST_P(EmbedTest, ScalesAndAddsPositions) {
  const int d = 21;
  const auto table = RandomFloats(7 * d, 1);
  const auto held = AsOperand(type(), table, d);
  const auto positions = RandomFloats(4 * d, 2);
  const std::vector<int32_t> token = {6, 0, -1, 3, 3};
  const std::vector<int32_t> position = {3, 0, 2, 1, 1};
  for (const int threads : kThreadCounts) {
    std::unique_ptr<QuantizedEmbedding> quantized;
    if (type() != ComputeType::kFloat32) {
      OpContext packing(threads, 1);
      quantized = std::make_unique<QuantizedEmbedding>(packing, type(),
                                                       RowsInMemory(table.data(), d), 7, d);
    }
    const FloatEmbedding wide(table.data(), d);
    const EmbeddingTable& view = quantized ? static_cast<const EmbeddingTable&>(*quantized) : wide;
    for (const bool with_positions : {true, false}) {
      OpContext context(threads, 1);
      std::vector<float> y(5 * d);
      EmbedTokens(context, view, with_positions ? positions.data() : nullptr, 4.5F, token.data(),
                  position.data(), 5, y.data());
      for (int r = 0; r < 5; ++r) {
        for (int i = 0; i < d; ++i) {
          const float embedded = token[r] < 0 ? 0.0F : held[token[r] * d + i] * 4.5F;
          const float added = with_positions ? positions[position[r] * d + i] : 0.0F;
          EXPECT_EQ(y[r * d + i], embedded + added);
        }
      }
    }
  }
}

DRAGOMAN_FOR_EVERY_ISA_AND_TYPE(EmbedTest);

}  // namespace
}  // namespace dragoman::kernels
