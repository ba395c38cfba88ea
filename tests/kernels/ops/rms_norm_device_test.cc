// Residual and RMSNorm, on the CPU, on a device and emulated.
#include "kernels/ops/row_norm.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using RmsNormDeviceTest = OnOpDevice;
class RmsNormLaunchTest : public OnOpDevice {};  // what the CPU does not have

constexpr float kEpsilon = 1e-3F;

// x and residual may be y itself; `count` for a device only.
void Apply(const OpDevice& device, const void* x, const void* residual, const OpArray<float>& gamma,
           int64_t rows, const int32_t* count, int d, void* y, void* sum = nullptr) {
  if (device.launches()) {
    const auto add_rms_norm = DRAGOMAN_LAUNCHER(device, AddRmsNorm);
    EXPECT_LAUNCHED(add_rms_norm(kTestStream, device.type, x, residual, gamma.data(), kEpsilon,
                                 rows, count, d, y, sum));
    return;
  }
  OpContext context(device.threads, 1);
  AddRmsNorm(context, static_cast<const float*>(x), static_cast<const float*>(residual),
             gamma.data(), kEpsilon, rows, d, static_cast<float*>(y), static_cast<float*>(sum));
}

std::vector<double> Reference(const std::vector<float>& x, const std::vector<float>& residual,
                              const std::vector<float>& gamma, int64_t rows, int d) {
  std::vector<double> expected;
  for (size_t r = 0; r < size_t(rows); ++r) {
    std::vector<double> z(d);
    double mean = 0.0;
    for (size_t i = 0; i < z.size(); ++i) {
      z[i] = double(x[r * d + i]) + (residual.empty() ? 0.0F : residual[r * d + i]);
      mean += z[i] * z[i] / d;
    }
    for (size_t i = 0; i < z.size(); ++i) {
      expected.push_back(z[i] / std::sqrt(mean + kEpsilon) * gamma[i]);
    }
  }
  return expected;
}

TEST_P(RmsNormDeviceTest, AgreesWithDouble) {
  const OpDevice device = GetParam();
  const int64_t rows = 7;
  for (const int d : NormWidths(device)) {
    for (const bool with_residual : {false, true}) {
      const auto x = Rounded(RandomFloats(rows * d, 1, 3.0F), device.type);
      const auto residual =
          with_residual ? Rounded(RandomFloats(rows * d, 2), device.type) : std::vector<float>();
      const auto gamma = RandomFloats(d, 3);
      const OpNumbers at_x(device, x);
      const OpNumbers at_residual(device, residual);
      // A border that must stay as it is shows writes outside of y.
      const OpNumbers y(device, std::vector<float>((rows + 1) * d, 7.0F));
      Apply(device, at_x.data(), with_residual ? at_residual.data() : nullptr,
            OpArray<float>(device, gamma), rows, nullptr, d, y.data());
      std::vector<float> found = y.Download();
      for (int i = 0; i < d; ++i) ASSERT_EQ(found[size_t(rows * d + i)], 7.0F);
      found.resize(rows * d);
      EXPECT_LT(WorstError(found, Reference(x, residual, gamma, rows, d)), 3e-6 + device.unit())
          << d;
    }
  }
}

// In every batch; and as pre-norm layers do it: the sum takes the residual's place, rounded to the
// type, and y is as without it.
TEST_P(RmsNormDeviceTest, RowsAreBitEqualInAnyCompanyAndInPlace) {
  const OpDevice device = GetParam();
  for (const int d : {256, 512, 1000, 2048}) {
    const int64_t most = 67;
    const auto x = Rounded(RandomFloats(most * d, 1), device.type);
    const auto residual = Rounded(RandomFloats(most * d, 2), device.type);
    const OpArray<float> gamma(device, RandomFloats(d, 3));
    const OpNumbers at_x(device, x);
    const OpNumbers at_residual(device, residual);
    const OpNumbers alone(device, x);
    const int64_t row_bytes = d * ElementBytes(device.type);
    const auto row = [&](const OpNumbers& numbers, int64_t r) {
      return static_cast<uint8_t*>(numbers.data()) + r * row_bytes;
    };
    for (int64_t r = 0; r < most; ++r) {
      Apply(Alone(device), row(at_x, r), row(at_residual, r), gamma, 1, nullptr, d, row(alone, r));
    }
    const std::vector<uint8_t> expected = alone.Bits();
    std::vector<float> sums(x.size());
    for (size_t i = 0; i < x.size(); ++i) sums[i] = x[i] + residual[i];
    sums = Rounded(sums, device.type);
    for (const int64_t rows : {int64_t{1}, int64_t{2}, int64_t{5}, int64_t{64}, most}) {
      const OpNumbers over_x(device, x);
      const OpNumbers over_residual(device, residual);
      Apply(device, over_x.data(), over_residual.data(), gamma, rows, nullptr, d, over_x.data(),
            over_residual.data());
      const std::vector<uint8_t> found = over_x.Bits();
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), size_t(rows * row_bytes)), 0)
          << d << ", " << rows << " rows";
      const std::vector<float> kept = over_residual.Download();
      EXPECT_EQ(std::vector<float>(kept.begin(), kept.begin() + rows * d),
                std::vector<float>(sums.begin(), sums.begin() + rows * d))
          << d << ", " << rows << " rows";
      if (device.launches()) continue;
      // The other way round, and without the sum.
      const OpNumbers x_again(device, x);
      const OpNumbers residual_again(device, residual);
      Apply(device, x_again.data(), residual_again.data(), gamma, rows, nullptr, d,
            residual_again.data(), x_again.data());
      const OpNumbers no_sum(device, x);
      Apply(device, no_sum.data(), at_residual.data(), gamma, rows, nullptr, d, no_sum.data());
      for (const OpNumbers* y : {&residual_again, &no_sum}) {
        EXPECT_EQ(std::memcmp(y->data(), expected.data(), size_t(rows * row_bytes)), 0) << d;
      }
    }
  }
}

TEST_P(RmsNormDeviceTest, NanStaysInItsRow) {
  const OpDevice device = GetParam();
  const int d = 64;
  auto x = RandomFloats(size_t{5} * d, 1);
  x[2 * d + 3] = NAN;
  const OpNumbers at_x(device, x);
  const OpArray<float> gamma(device, RandomFloats(d, 3));
  Apply(device, at_x.data(), nullptr, gamma, 5, nullptr, d, at_x.data());
  const std::vector<float> y = at_x.Download();
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / d == 2) << i;
}

TEST_P(RmsNormLaunchTest, OtherWidthsAreRefused) {
  const OpDevice device = GetParam();
  const auto add_rms_norm = DRAGOMAN_LAUNCHER(device, AddRmsNorm);
  for (const int d : {-8, 0, 12, 4104}) {
    EXPECT_NE(add_rms_norm(kTestStream, device.type, nullptr, nullptr, nullptr, kEpsilon, 1,
                           nullptr, d, nullptr, nullptr),
              cuda::Error::kNone)
        << d;
  }
}

TEST_P(RmsNormLaunchTest, RowsBeyondTheCountStayAsTheyWere) {
  const OpDevice device = GetParam();
  for (const int d : {64, 768, 2048, 4096}) {
    for (const int here : {0, 1, 5}) {
      const OpNumbers x(device, RandomFloats(size_t{6} * d, 1));
      const OpArray<float> gamma(device, RandomFloats(d, 3));
      const OpArray<int32_t> count(device, {here});
      const OpNumbers y(device, std::vector<float>(size_t{6} * d, 7.0F));
      const OpNumbers sum(device, std::vector<float>(size_t{6} * d, 7.0F));
      Apply(device, x.data(), nullptr, gamma, 6, count.data(), d, y.data(), sum.data());
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

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(RmsNormDeviceTest);
DRAGOMAN_FOR_LAUNCH_DEVICES(RmsNormLaunchTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
