// Tests of a residual and LayerNorm or RMSNorm, on the CPU, on a device and emulated.
#include "kernels/ops/row_norm.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using RowNormDeviceTest = OnOpDevice;
class RowNormLaunchTest : public OnOpDevice {};  // for what the CPU does not have

enum class Norm { kLayer, kRms };
constexpr Norm kNorms[] = {Norm::kLayer, Norm::kRms};

constexpr float EpsilonOf(Norm norm) { return norm == Norm::kLayer ? 1e-5F : 1e-3F; }

cuda::Error Launch(const OpDevice& device, Norm norm, const void* x, const void* residual,
                   const float* gamma, const float* beta, int64_t rows, const int32_t* count, int d,
                   void* y, void* sum) {
  if (norm == Norm::kLayer) {
    const auto add_layer_norm = DRAGOMAN_LAUNCHER(device, AddLayerNorm);
    return add_layer_norm(kTestStream, device.type, x, residual, gamma, beta, EpsilonOf(norm), rows,
                          count, d, y, sum);
  }
  const auto add_rms_norm = DRAGOMAN_LAUNCHER(device, AddRmsNorm);
  return add_rms_norm(kTestStream, device.type, x, residual, gamma, EpsilonOf(norm), rows, count, d,
                      y, sum);
}

// x and residual may be y itself. The CPU ignores `count`. RMSNorm has no beta.
void Apply(const OpDevice& device, Norm norm, const void* x, const void* residual,
           const OpArray<float>& gamma, const OpArray<float>& beta, int64_t rows,
           const int32_t* count, int d, void* y, void* sum = nullptr) {
  if (device.launches()) {
    EXPECT_LAUNCHED(
        Launch(device, norm, x, residual, gamma.data(), beta.data(), rows, count, d, y, sum));
    return;
  }
  OpContext context(device.threads, 1);
  const auto* const from = static_cast<const float*>(x);
  const auto* const more = static_cast<const float*>(residual);
  auto* const to = static_cast<float*>(y);
  auto* const sums = static_cast<float*>(sum);
  if (norm == Norm::kLayer) {
    AddLayerNorm(context, from, more, gamma.data(), beta.data(), EpsilonOf(norm), rows, d, to,
                 sums);
  } else {
    AddRmsNorm(context, from, more, gamma.data(), EpsilonOf(norm), rows, d, to, sums);
  }
}

std::vector<double> Reference(Norm norm, const std::vector<float>& x,
                              const std::vector<float>& residual, const std::vector<float>& gamma,
                              const std::vector<float>& beta, int64_t rows, int d) {
  std::vector<double> expected;
  const bool is_layer = norm == Norm::kLayer;
  for (size_t r = 0; r < size_t(rows); ++r) {
    std::vector<double> z(d);
    double mean = 0.0;  // stays 0 for RMSNorm
    double variance = 0.0;
    for (size_t i = 0; i < z.size(); ++i) {
      z[i] = double(x[r * d + i]) + (residual.empty() ? 0.0F : residual[r * d + i]);
      if (is_layer) mean += z[i] / d;
    }
    for (const double value : z) variance += (value - mean) * (value - mean) / d;
    for (size_t i = 0; i < z.size(); ++i) {
      expected.push_back((z[i] - mean) / std::sqrt(variance + EpsilonOf(norm)) * gamma[i] +
                         (is_layer ? beta[i] : 0.0F));
    }
  }
  return expected;
}

TEST_P(RowNormDeviceTest, AgreesWithDouble) {
  const OpDevice device = GetParam();
  const int64_t rows = 7;
  for (const int d : NormWidths(device)) {
    for (const bool with_residual : {false, true}) {
      const auto x = Rounded(RandomFloats(rows * d, 1, 3.0F), device.type);
      const auto residual =
          with_residual ? Rounded(RandomFloats(rows * d, 2), device.type) : std::vector<float>();
      const auto gamma = RandomFloats(d, 3);
      const auto beta = RandomFloats(d, 4);
      const OpNumbers at_x(device, x);
      const OpNumbers at_residual(device, residual);
      const OpArray<float> at_gamma(device, gamma);
      const OpArray<float> at_beta(device, beta);
      // The row after y must stay unchanged, which detects writes outside of y.
      const OpNumbers y(device, std::vector<float>((rows + 1) * d, 7.0F));
      for (const Norm norm : kNorms) {
        Apply(device, norm, at_x.data(), with_residual ? at_residual.data() : nullptr, at_gamma,
              at_beta, rows, nullptr, d, y.data());
        std::vector<float> found = y.Download();
        for (int i = 0; i < d; ++i) ASSERT_EQ(found[size_t(rows * d + i)], 7.0F);
        found.resize(rows * d);
        EXPECT_LT(WorstError(found, Reference(norm, x, residual, gamma, beta, rows, d)),
                  3e-6 + device.unit())
            << d;
      }
    }
  }
}

// The kernels compute the variance in a second pass, so a large mean does not make it inaccurate.
TEST_P(RowNormDeviceTest, KeepsTheVarianceOfALargeMean) {
  const OpDevice device = GetParam();
  const int d = 512;
  std::vector<float> x = RandomFloats(d, 1, 0.25F);
  for (float& value : x) value += 20.0F;
  x = Rounded(x, device.type);
  const std::vector<float> gamma(d, 1.0F);
  const std::vector<float> beta(d, 0.0F);
  const OpNumbers at_x(device, x);
  const OpNumbers y(device, std::vector<float>(d));
  Apply(device, Norm::kLayer, at_x.data(), nullptr, OpArray<float>(device, gamma),
        OpArray<float>(device, beta), 1, nullptr, d, y.data());
  EXPECT_LT(WorstError(y.Download(), Reference(Norm::kLayer, x, {}, gamma, beta, 1, d)),
            2e-5 + device.unit());
}

TEST_P(RowNormDeviceTest, RowsAreBitEqualInAnyCompanyAndInPlace) {
  const OpDevice device = GetParam();
  for (const int d : {256, 512, 1000, 2048}) {
    const int64_t most = 67;
    const auto x = RandomFloats(most * d, 1);
    const auto residual = RandomFloats(most * d, 2);
    const OpArray<float> gamma(device, RandomFloats(d, 3));
    const OpArray<float> beta(device, RandomFloats(d, 4));
    const OpNumbers at_x(device, x);
    const OpNumbers at_residual(device, residual);
    const int64_t row_bytes = d * ElementBytes(device.type);
    const auto row = [&](const OpNumbers& numbers, int64_t r) {
      return static_cast<uint8_t*>(numbers.data()) + r * row_bytes;
    };
    for (const Norm norm : kNorms) {
      const OpNumbers alone(device, x);
      for (int64_t r = 0; r < most; ++r) {
        Apply(Alone(device), norm, row(at_x, r), row(at_residual, r), gamma, beta, 1, nullptr, d,
              row(alone, r));
      }
      const std::vector<uint8_t> expected = alone.Bits();
      for (const int64_t rows : {int64_t{1}, int64_t{2}, int64_t{5}, int64_t{64}, most}) {
        const OpNumbers over_x(device, x);
        const OpNumbers over_residual(device, residual);
        Apply(device, norm, over_x.data(), at_residual.data(), gamma, beta, rows, nullptr, d,
              over_x.data());
        Apply(device, norm, at_x.data(), over_residual.data(), gamma, beta, rows, nullptr, d,
              over_residual.data());
        for (const OpNumbers* y : {&over_x, &over_residual}) {
          const std::vector<uint8_t> found = y->Bits();
          EXPECT_EQ(std::memcmp(found.data(), expected.data(), size_t(rows * row_bytes)), 0)
              << d << ", " << rows << " rows";
        }
      }
    }
  }
}

// The sum, rounded to the type, replaces the residual, as in pre-norm layers. y must be the same as
// without the sum. On the CPU the sum may also go to separate memory or replace x.
TEST_P(RowNormDeviceTest, KeepsTheSumInTheResidualsPlace) {
  const OpDevice device = GetParam();
  const int64_t rows = 5;
  for (const int d : {64, 1000, 1024, 2048}) {
    const auto x = Rounded(RandomFloats(rows * d, 1), device.type);
    const auto residual = Rounded(RandomFloats(rows * d, 2), device.type);
    const OpArray<float> gamma(device, RandomFloats(d, 3));
    std::vector<float> expected(x.size());
    for (size_t i = 0; i < x.size(); ++i) expected[i] = x[i] + residual[i];
    for (const Norm norm : kNorms) {
      const OpNumbers at_x(device, x);
      const OpNumbers alone(device, x);
      const OpNumbers y(device, x);
      const OpNumbers sum(device, residual);
      Apply(device, norm, at_x.data(), sum.data(), gamma, gamma, rows, nullptr, d, alone.data());
      Apply(device, norm, at_x.data(), sum.data(), gamma, gamma, rows, nullptr, d, y.data(),
            sum.data());
      EXPECT_EQ(y.Bits(), alone.Bits()) << d;
      EXPECT_EQ(sum.Download(), Rounded(expected, device.type)) << d;
      if (device.launches()) continue;
      const OpNumbers at_residual(device, residual);
      const OpNumbers apart(device, x);
      for (const OpNumbers* place : {&apart, &at_x}) {
        Apply(device, norm, at_x.data(), at_residual.data(), gamma, gamma, rows, nullptr, d,
              y.data(), place->data());
        EXPECT_EQ(y.Bits(), alone.Bits()) << d;
        EXPECT_EQ(place->Download(), expected) << d;
      }
    }
  }
}

TEST_P(RowNormDeviceTest, NanStaysInItsRow) {
  const OpDevice device = GetParam();
  const int d = 64;
  auto x = RandomFloats(size_t{5} * d, 1);
  x[2 * d + 3] = NAN;
  const OpArray<float> gamma(device, RandomFloats(d, 3));
  for (const Norm norm : kNorms) {
    const OpNumbers at_x(device, x);
    Apply(device, norm, at_x.data(), nullptr, gamma, gamma, 5, nullptr, d, at_x.data());
    const std::vector<float> y = at_x.Download();
    for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / d == 2) << i;
  }
}

TEST_P(RowNormLaunchTest, OtherWidthsAreRefused) {
  for (const Norm norm : kNorms) {
    for (const int d : {-8, 0, 12, 4104}) {
      EXPECT_NE(Launch(GetParam(), norm, nullptr, nullptr, nullptr, nullptr, 1, nullptr, d, nullptr,
                       nullptr),
                cuda::Error::kNone)
          << d;
    }
  }
}

TEST_P(RowNormLaunchTest, RowsBeyondTheCountStayAsTheyWere) {
  const OpDevice device = GetParam();
  for (const int d : {64, 768, 2048, 4096}) {
    const OpNumbers x(device, RandomFloats(size_t{6} * d, 1));
    const OpArray<float> gamma(device, RandomFloats(d, 3));
    for (const int here : {0, 1, 5}) {
      const OpArray<int32_t> count(device, {here});
      for (const Norm norm : kNorms) {
        const OpNumbers y(device, std::vector<float>(size_t{6} * d, 7.0F));
        const OpNumbers sum(device, std::vector<float>(size_t{6} * d, 7.0F));
        Apply(device, norm, x.data(), nullptr, gamma, gamma, 6, count.data(), d, y.data(),
              sum.data());
        for (const OpNumbers* written : {&y, &sum}) {
          const std::vector<float> found = written->Download();
          for (int r = 0; r < 6; ++r) {
            const auto first = found.begin() + std::ptrdiff_t{r} * d;
            const bool untouched = std::all_of(first, first + d, [](float v) { return v == 7.0F; });
            EXPECT_EQ(untouched, r >= here) << d << ", row " << r << " of " << here;
          }
        }
      }
    }
  }
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(RowNormDeviceTest);
DRAGOMAN_FOR_LAUNCH_DEVICES(RowNormLaunchTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
