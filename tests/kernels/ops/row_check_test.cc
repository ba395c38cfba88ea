// Tests of FillRandom and CountDifferent, on a device and emulated.
#include "kernels/cuda/row_check.h"

#include <set>

#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using RowCheckTest = OnOpDevice;

TEST_P(RowCheckTest, NumbersAreSpreadOverTheirRange) {
  const OpDevice device = GetParam();
  const auto fill = DRAGOMAN_LAUNCHER(device, FillRandom);
  const size_t n = 3001;
  const OpNumbers x(device, std::vector<float>(n + 8, 7.0F));
  EXPECT_LAUNCHED(fill(kTestStream, device.type, int64_t{n}, x.data()));
  std::vector<float> found = x.Download();
  for (size_t i = n; i < found.size(); ++i) EXPECT_EQ(found[i], 7.0F);
  found.resize(n);
  double sum = 0.0;
  double squares = 0.0;
  for (const float value : found) {
    ASSERT_GE(value, -1.0F);
    ASSERT_LE(value, 1.0F);
    sum += value;
    squares += double(value) * value;
  }
  // Uniform numbers have mean 0 and variance 1/3. The test allows five standard errors.
  EXPECT_NEAR(sum / n, 0.0, 5 * std::sqrt(1.0 / 3.0 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3.0, 5 * std::sqrt(4.0 / 45.0 / n));
  EXPECT_GT(std::set<float>(found.begin(), found.end()).size(), 200U);
  const OpNumbers again(device, std::vector<float>(n, 0.0F));
  EXPECT_LAUNCHED(fill(kTestStream, device.type, int64_t{n}, again.data()));
  EXPECT_EQ(again.Download(), found);
}

TEST_P(RowCheckTest, CountsWhatDiffersInTheRows) {
  const OpDevice device = GetParam();
  const auto count = DRAGOMAN_LAUNCHER(device, CountDifferent);
  const int64_t rows = 5;
  const int64_t n = 299;
  const int64_t stride = 304;
  const int bytes = static_cast<int>(ElementBytes(device.type));
  std::vector<float> values(rows * stride, 1.0F);
  const OpNumbers a(device, values);
  const auto different = [&] {
    const OpNumbers b(device, values);
    const OpArray<uint32_t> found(device, {1000});
    EXPECT_LAUNCHED(count(kTestStream, bytes, a.data(), b.data(), rows, n, stride, found.data()));
    return found.Download()[0] - 1000;
  };
  EXPECT_EQ(different(), 0U);
  values[n] = 2.0F;                  // after the first row
  values[rows * stride - 1] = 2.0F;  // after the last row
  EXPECT_EQ(different(), 0U);
  values[0] = 2.0F;
  values[3 * stride + n - 1] = 2.0F;
  EXPECT_EQ(different(), 2U);
  for (int64_t i = 0; i < n; ++i) values[4 * stride + i] = -1.0F;
  EXPECT_EQ(different(), 2U + n);
}

// Compares bits, not values: zeros of different signs differ, and a NaN equals itself.
TEST_P(RowCheckTest, ComparesBits) {
  const OpDevice device = GetParam();
  const auto count = DRAGOMAN_LAUNCHER(device, CountDifferent);
  const OpNumbers a(device, {0.0F, NAN, 1.0F});
  const OpNumbers b(device, {-0.0F, NAN, 1.0F});
  const OpArray<uint32_t> found(device, {0});
  EXPECT_LAUNCHED(count(kTestStream, static_cast<int>(ElementBytes(device.type)), a.data(),
                        b.data(), 1, 3, 3, found.data()));
  EXPECT_EQ(found.Download()[0], 1U);
}

DRAGOMAN_FOR_LAUNCH_DEVICES(RowCheckTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
