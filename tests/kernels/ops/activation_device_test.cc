// Tests of in-place activations: the CPU's loops, on a device, and emulated.
#include <bit>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/ops/activation_cuda.h"
#include "tests/kernels/ops/activation_reference.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using ActivationDeviceTest = OnOpDevice;
class ActivationLaunchTest : public OnOpDevice {};  // for what the CPU does not have

// Returns the activations to test. The CPU's loop omits those that the CPU's products apply
// themselves (IsOfProduct).
std::vector<Activation> Activations(const OpDevice& device) {
  std::vector<Activation> all(std::begin(kAllActivations), std::end(kAllActivations));
  if (!device.cuda && !device.emulated) std::erase_if(all, IsOfProduct);
  return all;
}

void Apply(const OpDevice& device, Activation activation, int64_t rows, const int32_t* count, int n,
           const OpNumbers& x) {
  if (device.launches()) {
    const auto activate = DRAGOMAN_LAUNCHER(device, Activate);
    EXPECT_LAUNCHED(activate(kTestStream, device.type, activation, rows, count, n, x.data()));
    return;
  }
  cpu::Kernels().activate(activation, static_cast<float*>(x.data()), rows * n);
}

TEST_P(ActivationDeviceTest, AgreesWithDouble) {
  const OpDevice device = GetParam();
  const int64_t rows = 37;
  for (const Activation activation : Activations(device)) {
    for (const int n : {8, 72, 2048}) {
      const auto x = Rounded(RandomFloats(rows * n, 1, 4.0F), device.type);
      std::vector<float> with_border = x;
      with_border.resize(x.size() + n, 7.0F);
      std::vector<double> expected;
      expected.reserve(x.size());
      for (const float value : x) expected.push_back(ActivationReference(activation, value));
      const OpNumbers y(device, with_border);
      Apply(device, activation, rows, nullptr, n, y);
      std::vector<float> found = y.Download();
      for (size_t i = x.size(); i < found.size(); ++i) ASSERT_EQ(found[i], 7.0F);
      found.resize(x.size());
      EXPECT_LT(WorstError(found, expected), 2e-6 + device.unit())
          << static_cast<int>(activation) << ", " << n;
    }
  }
}

TEST_P(ActivationDeviceTest, FarValuesAndNan) {
  const OpDevice device = GetParam();
  for (const Activation activation : {Activation::kGelu, Activation::kSwish}) {
    const OpNumbers x(device, {-30000.0F, -90.0F, 0.0F, 90.0F, 30000.0F, NAN, -1.0F, 1.0F});
    Apply(device, activation, 1, nullptr, 8, x);
    const std::vector<float> y = x.Download();
    EXPECT_NEAR(y[0], 0.0F, 1e-30);
    EXPECT_NEAR(y[1], 0.0F, 1e-30);
    EXPECT_EQ(y[2], 0.0F);
    EXPECT_EQ(y[3], 90.0F);
    EXPECT_NEAR(y[4], 30000.0F, 30000.0 * device.unit());
    EXPECT_TRUE(std::isnan(y[5]));
    EXPECT_LT(y[6], 0.0F);
    EXPECT_GT(y[7], 0.5F);
  }
}

TEST_P(ActivationDeviceTest, NanStaysNan) {
  const OpDevice device = GetParam();
  for (const Activation activation : Activations(device)) {
    const OpNumbers x(device, {NAN, 0.5F, NAN, -0.5F, 3.0F, -3.0F, 0.0F, NAN});
    Apply(device, activation, 1, nullptr, 8, x);
    const std::vector<float> y = x.Download();
    for (const size_t i : {0, 2, 7}) {
      EXPECT_TRUE(std::isnan(y[i])) << static_cast<int>(activation);
    }
    for (const size_t i : {1, 3, 4, 5, 6}) {
      EXPECT_FALSE(std::isnan(y[i])) << static_cast<int>(activation);
    }
  }
}

TEST_P(ActivationDeviceTest, FarValuesAreThoseOfTheDefinition) {
  const OpDevice device = GetParam();
  for (const Activation activation : Activations(device)) {
    const std::vector<float> far = {-200.0F, -100.0F, -50.0F, -20.0F, 20.0F, 50.0F, 100.0F, 200.0F};
    const OpNumbers x(device, far);
    Apply(device, activation, 1, nullptr, 8, x);
    const std::vector<float> y = x.Download();
    for (size_t i = 0; i < far.size(); ++i) {
      const double expected = ActivationReference(activation, far[i]);
      EXPECT_NEAR(y[i], expected, 1e-6 + std::abs(expected) * (2e-6 + device.unit()))
          << static_cast<int>(activation) << " of " << far[i];
    }
  }
}

TEST_P(ActivationLaunchTest, RowsBeyondTheCountStayAsTheyWere) {
  const OpDevice device = GetParam();
  const int n = 24;
  const OpNumbers x(device, std::vector<float>(size_t{9} * n, -3.0F));
  const OpArray<int32_t> count(device, {4});
  Apply(device, Activation::kRelu, 9, count.data(), n, x);
  const std::vector<float> y = x.Download();
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i < size_t{4} * n ? 0.0F : -3.0F) << i;
}

// Returns one ulp of a 16-bit number near `x`. In bfloat16 it is at least 2^-118, because the
// approximations replace 2^-126 by 0.
double UnitAt(ComputeType type, double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const bool half = type == ComputeType::kFloat16;
  return std::ldexp(1.0, std::max(exponent - (half ? 11 : 8), half ? -24 : -118));
}

// The kernels approximate exp and division for these activations. Exact rounding has an error of at
// most half an ulp.
TEST_P(ActivationLaunchTest, EveryNumberOf16BitsIsRoundedAlmostExactly) {
  const OpDevice device = GetParam();
  if (device.type == ComputeType::kFloat32) GTEST_SKIP() << "for types of 16 bits";
  std::vector<float> all;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto number = static_cast<uint16_t>(bits);
    const float x = device.type == ComputeType::kFloat16
                        ? static_cast<float>(std::bit_cast<_Float16>(number))
                        : std::bit_cast<float>(bits << 16);
    if (std::isfinite(x)) all.push_back(x);
  }
  const int n = 256;  // divides the number of finite values of both types
  const auto rows = static_cast<int64_t>(all.size()) / n;
  ASSERT_EQ(all.size(), static_cast<size_t>(rows * n));
  for (const Activation activation :
       {Activation::kSwish, Activation::kSigmoid, Activation::kQuickGelu, Activation::kGeluTanh,
        Activation::kMish}) {
    const OpNumbers x(device, all);
    Apply(device, activation, rows, nullptr, n, x);
    const std::vector<float> y = x.Download();
    for (size_t i = 0; i < all.size(); ++i) {
      const double expected = ActivationReference(activation, all[i]);
      const double error = std::abs(y[i] - expected) / UnitAt(device.type, expected);
      ASSERT_LT(error, 0.503) << static_cast<int>(activation) << " of " << all[i];
    }
  }
}

TEST_P(ActivationLaunchTest, InfinityStaysItself) {
  const OpDevice device = GetParam();
  for (const Activation activation :
       {Activation::kSwish, Activation::kQuickGelu, Activation::kGeluTanh, Activation::kMish}) {
    const OpNumbers x(device, std::vector<float>(8, INFINITY));
    Apply(device, activation, 1, nullptr, 8, x);
    for (const float y : x.Download()) EXPECT_EQ(y, INFINITY) << static_cast<int>(activation);
  }
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(ActivationDeviceTest);
DRAGOMAN_FOR_LAUNCH_DEVICES(ActivationLaunchTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
