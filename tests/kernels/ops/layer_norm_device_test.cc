// Residual and layer norm, on the CPU, on a device and emulated.
#include "kernels/ops/row_norm.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using LayerNormDeviceTest = OnOpDevice;
class LayerNormLaunchTest : public OnOpDevice {};  // what the CPU does not have

constexpr float kEpsilon = 1e-5F;

// x and residual may be y itself; `count` for a device only.
void Apply(const OpDevice& device, const void* x, const void* residual, const OpArray<float>& gamma,
           const OpArray<float>& beta, int64_t rows, const int32_t* count, int d, void* y,
           void* sum = nullptr) {
  if (device.launches()) {
    const auto add_layer_norm = DRAGOMAN_LAUNCHER(device, AddLayerNorm);
    EXPECT_LAUNCHED(add_layer_norm(kTestStream, device.type, x, residual, gamma.data(), beta.data(),
                                   kEpsilon, rows, count, d, y, sum));
    return;
  }
  OpContext context(device.threads, 1);
  AddLayerNorm(context, static_cast<const float*>(x), static_cast<const float*>(residual),
               gamma.data(), beta.data(), kEpsilon, rows, d, static_cast<float*>(y),
               static_cast<float*>(sum));
}

std::vector<double> Reference(const std::vector<float>& x, const std::vector<float>& residual,
                              const std::vector<float>& gamma, const std::vector<float>& beta,
                              int64_t rows, int d) {
  std::vector<double> expected;
  for (size_t r = 0; r < size_t(rows); ++r) {
    std::vector<double> z(d);
    double mean = 0.0;
    double variance = 0.0;
    for (size_t i = 0; i < z.size(); ++i) {
      z[i] = double(x[r * d + i]) + (residual.empty() ? 0.0F : residual[r * d + i]);
      mean += z[i] / d;
    }
    for (const double value : z) variance += (value - mean) * (value - mean) / d;
    for (size_t i = 0; i < z.size(); ++i) {
      expected.push_back((z[i] - mean) / std::sqrt(variance + kEpsilon) * gamma[i] + beta[i]);
    }
  }
  return expected;
}

TEST_P(LayerNormDeviceTest, AgreesWithDouble) {
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
      // A border that must stay as it is shows writes outside of y.
      const OpNumbers y(device, std::vector<float>((rows + 1) * d, 7.0F));
      Apply(device, at_x.data(), with_residual ? at_residual.data() : nullptr, at_gamma, at_beta,
            rows, nullptr, d, y.data());
      std::vector<float> found = y.Download();
      for (int i = 0; i < d; ++i) ASSERT_EQ(found[size_t(rows * d + i)], 7.0F);
      found.resize(rows * d);
      EXPECT_LT(WorstError(found, Reference(x, residual, gamma, beta, rows, d)),
                3e-6 + device.unit())
          << d;
    }
  }
}

// Two passes: a mean that is large beside the deviation does not drown it.
TEST_P(LayerNormDeviceTest, KeepsTheVarianceOfALargeMean) {
  const OpDevice device = GetParam();
  const int d = 512;
  std::vector<float> x = RandomFloats(d, 1, 0.25F);
  for (float& value : x) value += 20.0F;
  x = Rounded(x, device.type);
  const std::vector<float> gamma(d, 1.0F);
  const std::vector<float> beta(d, 0.0F);
  const OpNumbers at_x(device, x);
  const OpNumbers y(device, std::vector<float>(d));
  Apply(device, at_x.data(), nullptr, OpArray<float>(device, gamma), OpArray<float>(device, beta),
        1, nullptr, d, y.data());
  EXPECT_LT(WorstError(y.Download(), Reference(x, {}, gamma, beta, 1, d)), 2e-5 + device.unit());
}

TEST_P(LayerNormDeviceTest, RowsAreBitEqualInAnyCompanyAndInPlace) {
  const OpDevice device = GetParam();
  for (const int d : {256, 512, 1000, 2048}) {
    const int64_t most = 67;
    const auto x = RandomFloats(most * d, 1);
    const auto residual = RandomFloats(most * d, 2);
    const OpArray<float> gamma(device, RandomFloats(d, 3));
    const OpArray<float> beta(device, RandomFloats(d, 4));
    const OpNumbers at_x(device, x);
    const OpNumbers at_residual(device, residual);
    const OpNumbers alone(device, x);
    const int64_t row_bytes = d * ElementBytes(device.type);
    const auto row = [&](const OpNumbers& numbers, int64_t r) {
      return static_cast<uint8_t*>(numbers.data()) + r * row_bytes;
    };
    for (int64_t r = 0; r < most; ++r) {
      Apply(Alone(device), row(at_x, r), row(at_residual, r), gamma, beta, 1, nullptr, d,
            row(alone, r));
    }
    const std::vector<uint8_t> expected = alone.Bits();
    for (const int64_t rows : {int64_t{1}, int64_t{2}, int64_t{5}, int64_t{64}, most}) {
      const OpNumbers over_x(device, x);
      const OpNumbers over_residual(device, residual);
      Apply(device, over_x.data(), at_residual.data(), gamma, beta, rows, nullptr, d,
            over_x.data());
      Apply(device, at_x.data(), over_residual.data(), gamma, beta, rows, nullptr, d,
            over_residual.data());
      for (const OpNumbers* y : {&over_x, &over_residual}) {
        const std::vector<uint8_t> found = y->Bits();
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), size_t(rows * row_bytes)), 0)
            << d << ", " << rows << " rows";
      }
    }
  }
}

// The sum takes the residual's place, as in pre-norm layers, rounded to the type, and y is as
// without it. On the CPU it may also lie apart or take the place of x.
TEST_P(LayerNormDeviceTest, KeepsTheSumInTheResidualsPlace) {
  const OpDevice device = GetParam();
  const int64_t rows = 5;
  for (const int d : {64, 1000, 1024, 2048}) {
    const auto x = Rounded(RandomFloats(rows * d, 1), device.type);
    const auto residual = Rounded(RandomFloats(rows * d, 2), device.type);
    const OpArray<float> gamma(device, RandomFloats(d, 3));
    const OpNumbers at_x(device, x);
    const OpNumbers alone(device, x);
    const OpNumbers y(device, x);
    const OpNumbers sum(device, residual);
    Apply(device, at_x.data(), sum.data(), gamma, gamma, rows, nullptr, d, alone.data());
    Apply(device, at_x.data(), sum.data(), gamma, gamma, rows, nullptr, d, y.data(), sum.data());
    EXPECT_EQ(y.Bits(), alone.Bits()) << d;
    std::vector<float> expected(x.size());
    for (size_t i = 0; i < x.size(); ++i) expected[i] = x[i] + residual[i];
    EXPECT_EQ(sum.Download(), Rounded(expected, device.type)) << d;
    if (device.launches()) continue;
    const OpNumbers at_residual(device, residual);
    const OpNumbers apart(device, x);
    for (const OpNumbers* place : {&apart, &at_x}) {
      Apply(device, at_x.data(), at_residual.data(), gamma, gamma, rows, nullptr, d, y.data(),
            place->data());
      EXPECT_EQ(y.Bits(), alone.Bits()) << d;
      EXPECT_EQ(place->Download(), expected) << d;
    }
  }
}

TEST_P(LayerNormDeviceTest, NanStaysInItsRow) {
  const OpDevice device = GetParam();
  const int d = 64;
  auto x = RandomFloats(size_t{5} * d, 1);
  x[2 * d + 3] = NAN;
  const OpNumbers at_x(device, x);
  const OpArray<float> gamma(device, RandomFloats(d, 3));
  Apply(device, at_x.data(), nullptr, gamma, gamma, 5, nullptr, d, at_x.data());
  const std::vector<float> y = at_x.Download();
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / d == 2) << i;
}

TEST_P(LayerNormLaunchTest, OtherWidthsAreRefused) {
  const OpDevice device = GetParam();
  const auto add_layer_norm = DRAGOMAN_LAUNCHER(device, AddLayerNorm);
  for (const int d : {-8, 0, 12, 4104}) {
    EXPECT_NE(add_layer_norm(kTestStream, device.type, nullptr, nullptr, nullptr, nullptr, kEpsilon,
                             1, nullptr, d, nullptr, nullptr),
              cuda::Error::kNone)
        << d;
  }
}

TEST_P(LayerNormLaunchTest, RowsBeyondTheCountStayAsTheyWere) {
  const OpDevice device = GetParam();
  for (const int d : {64, 2048}) {
    const OpNumbers x(device, RandomFloats(size_t{6} * d, 1));
    const OpArray<float> gamma(device, RandomFloats(d, 3));
    const OpArray<int32_t> count(device, {5});
    const OpNumbers y(device, std::vector<float>(size_t{6} * d, 7.0F));
    const OpNumbers sum(device, std::vector<float>(size_t{6} * d, 7.0F));
    Apply(device, x.data(), nullptr, gamma, gamma, 6, count.data(), d, y.data(), sum.data());
    for (const OpNumbers* written : {&y, &sum}) {
      const std::vector<float> found = written->Download();
      for (int i = 0; i < d; ++i) ASSERT_EQ(found[size_t(5 * d + i)], 7.0F);
      EXPECT_NE(found[size_t(4 * d)], 7.0F);
    }
  }
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(LayerNormDeviceTest);
DRAGOMAN_FOR_LAUNCH_DEVICES(LayerNormLaunchTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
