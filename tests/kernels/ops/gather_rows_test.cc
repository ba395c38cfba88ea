// Tests of copying listed rows to consecutive rows, on a device and emulated.
#include "kernels/ops/gather_rows.h"

#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using GatherRowsTest = OnOpDevice;

// The count says that seven rows are listed. A launch for nine rows from number 2 on takes numbers
// 2 to 6 and must leave its other rows unchanged.
TEST_P(GatherRowsTest, TakesThoseOfTheListAndLeavesTheRest) {
  const OpDevice device = GetParam();
  constexpr int kWidth = 72;
  constexpr int64_t kFirst = 2;
  constexpr int64_t kLaunched = 9;
  const std::vector<int32_t> listed = {19, 0, 3, 4, 11, 2, 17, 5, 6, 7, 8, 9};
  const auto x = Rounded(RandomFloats(size_t{20} * kWidth, 1), device.type);
  const OpNumbers from(device, x);
  const OpNumbers to(device, std::vector<float>(kLaunched * kWidth, 7.0F));
  const OpArray<int32_t> rows(device, listed);
  const OpArray<int32_t> count(device, {7});
  const auto gather = DRAGOMAN_LAUNCHER(device, GatherRows);
  EXPECT_LAUNCHED(gather(kTestStream, device.type, from.data(),
                         {rows.data(), count.data(), static_cast<int64_t>(listed.size())}, kFirst,
                         kLaunched, kWidth, to.data()));
  const std::vector<float> found = to.Download();
  for (int64_t i = 0; i < kLaunched; ++i) {
    for (int j = 0; j < kWidth; ++j) {
      const auto row = static_cast<size_t>(listed[static_cast<size_t>(kFirst + i)]);
      const float expected = kFirst + i < 7 ? x[row * kWidth + static_cast<size_t>(j)] : 7.0F;
      ASSERT_EQ(found[static_cast<size_t>(i * kWidth + j)], expected) << i << " " << j;
    }
  }
}

DRAGOMAN_FOR_LAUNCH_DEVICES(GatherRowsTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
