// Tests of the gate of a feed-forward layer on the CPU, on a device and emulated.
#include "kernels/ops/gate.h"
#include "tests/kernels/ops/activation_reference.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using GateDeviceTest = OnOpDevice;
class GateLaunchTest : public OnOpDevice {};  // for what the CPU does not have

// The CPU ignores `count`.
void Apply(const OpDevice& device, Activation activation, const OpNumbers& x, int64_t rows,
           const int32_t* count, int n, const OpNumbers& y) {
  if (device.launches()) {
    const auto gate = DRAGOMAN_LAUNCHER(device, GateRows);
    EXPECT_LAUNCHED(gate(kTestStream, device.type, activation, x.data(), rows, count, n, y.data()));
    return;
  }
  OpContext context(device.threads, 1);
  GateRows(context, activation, static_cast<const float*>(x.data()), rows, n,
           static_cast<float*>(y.data()));
}

TEST_P(GateDeviceTest, AgreesWithDouble) {
  const OpDevice device = GetParam();
  const int64_t rows = 37;
  for (const Activation activation : kAllActivations) {
    std::vector<int> widths = {8, 72, 1024};
    if (!device.launches()) widths.insert(widths.end(), {1, 15, 16, 40, 257});
    for (const int n : widths) {
      const auto x = Rounded(RandomFloats(rows * 2 * n, 1, 2.0F), device.type);
      std::vector<double> expected;
      for (int64_t r = 0; r < rows; ++r) {
        for (int i = 0; i < n; ++i) {
          expected.push_back(ActivationReference(activation, x[2 * r * n + i]) *
                             x[(2 * r + 1) * n + i]);
        }
      }
      const OpNumbers at_x(device, x);
      // The row after y must stay unchanged, which detects writes outside of y.
      const OpNumbers y(device, std::vector<float>((rows + 1) * n, 7.0F));
      Apply(device, activation, at_x, rows, nullptr, n, y);
      std::vector<float> found = y.Download();
      for (int i = 0; i < n; ++i) ASSERT_EQ(found[size_t(rows * n + i)], 7.0F);
      found.resize(size_t(rows * n));
      EXPECT_LT(WorstError(found, expected), 4e-6 + device.unit())
          << static_cast<int>(activation) << ", " << n;
    }
  }
}

TEST_P(GateDeviceTest, ANanStaysOne) {
  const OpDevice device = GetParam();
  std::vector<float> numbers(16, 1.0F);
  numbers[0] = numbers[8 + 1] = NAN;  // in either half
  const OpNumbers x(device, numbers);
  const OpNumbers y(device, std::vector<float>(8));
  for (const Activation activation : kAllActivations) {
    Apply(device, activation, x, 1, nullptr, 8, y);
    const std::vector<float> found = y.Download();
    EXPECT_TRUE(std::isnan(found[0]) && std::isnan(found[1])) << static_cast<int>(activation);
  }
}

TEST_P(GateLaunchTest, RowsBeyondTheCountStayAsTheyWere) {
  const OpDevice device = GetParam();
  constexpr int kWidth = 72;
  for (const int here : {0, 3, 5}) {
    const OpNumbers x(device, RandomFloats(size_t{5} * 2 * kWidth, 1));
    const OpNumbers y(device, std::vector<float>(size_t{5} * kWidth, 7.0F));
    const OpArray<int32_t> count(device, {here});
    Apply(device, Activation::kGeluTanh, x, 5, count.data(), kWidth, y);
    const std::vector<float> found = y.Download();
    for (int i = 0; i < 5 * kWidth; ++i) {
      ASSERT_EQ(found[size_t(i)] == 7.0F, i / kWidth >= here) << i << " of " << here;
    }
  }
}

TEST_P(GateLaunchTest, OtherWidthsAreRefused) {
  const OpDevice device = GetParam();
  const auto gate = DRAGOMAN_LAUNCHER(device, GateRows);
  for (const int n : {-8, 0, 12}) {
    EXPECT_NE(gate(kTestStream, device.type, Activation::kRelu, nullptr, 1, nullptr, n, nullptr),
              cuda::Error::kNone);
  }
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(GateDeviceTest);
DRAGOMAN_FOR_LAUNCH_DEVICES(GateLaunchTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
