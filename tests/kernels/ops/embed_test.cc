// Tests of embedding on the CPU, on a device and emulated.
#include "kernels/ops/embed.h"

#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using EmbedTest = OnOpDevice;
class EmbedLaunchTest : public OnOpDevice {};  // for what the CPU does not have

TEST_P(EmbedTest, ScalesAndAddsThePosition) {
  const OpDevice device = GetParam();
  const int d = 72;
  const int64_t rows = 11;
  const float scale = 1.5F;
  const auto table = Rounded(RandomFloats(size_t{30} * d, 1), device.type);
  const auto positions = RandomFloats(size_t{9} * d, 2);
  const std::vector<int32_t> token = {3, 29, -1, 0, 7, 7, -1, 12, 1, 2, 28};
  const std::vector<int32_t> position = {0, 8, 3, 1, 1, 2, 0, 4, 5, 6, 7};
  for (const bool with_positions : {false, true}) {
    std::vector<double> expected;
    for (size_t r = 0; r < size_t(rows); ++r) {
      for (int i = 0; i < d; ++i) {
        const double x = token[r] < 0 ? 0.0 : table[size_t(token[r]) * d + i];
        const double p = with_positions ? positions[size_t(position[r]) * d + i] : 0.0;
        expected.push_back(scale * x + p);
      }
    }
    const OpNumbers w(device, table);
    const OpArray<float> p(device, positions);
    const OpArray<int32_t> ids(device, token);
    const OpArray<int32_t> places(device, position);
    const OpNumbers y(device, std::vector<float>(rows * d, 7.0F));
    const float* added = with_positions ? p.data() : nullptr;
    if (device.launches()) {
      const auto embed = DRAGOMAN_LAUNCHER(device, EmbedTokens);
      EXPECT_LAUNCHED(embed(kTestStream, device.type, w.data(), added, scale, ids.data(),
                            places.data(), rows, nullptr, d, y.data()));
    } else {
      OpContext context(device.threads, 1);
      EmbedTokens(context, FloatEmbedding(static_cast<const float*>(w.data()), d), added, scale,
                  ids.data(), places.data(), rows, static_cast<float*>(y.data()));
    }
    EXPECT_LT(WorstError(y.Download(), expected), 2 * device.unit());
  }
}

// transformers adds no position to the <pad> of M2M-100.
TEST_P(EmbedTest, TheUnplacedTokenHasNoPosition) {
  const OpDevice device = GetParam();
  const int d = 8;
  const auto table = Rounded(RandomFloats(size_t{4} * d, 1), device.type);
  const auto positions = RandomFloats(size_t{3} * d, 2);
  const std::vector<int32_t> token = {1, 2, 1, -1};
  const std::vector<int32_t> position = {0, 1, 2, 2};
  constexpr int32_t kUnplaced = 1;
  std::vector<double> expected;
  for (size_t r = 0; r < token.size(); ++r) {
    for (int i = 0; i < d; ++i) {
      const double x = token[r] < 0 ? 0.0 : table[size_t(token[r]) * d + i];
      const double p = token[r] == kUnplaced ? 0.0 : positions[size_t(position[r]) * d + i];
      expected.push_back(x + p);
    }
  }
  const OpNumbers w(device, table);
  const OpArray<float> p(device, positions);
  const OpArray<int32_t> ids(device, token);
  const OpArray<int32_t> places(device, position);
  const OpNumbers y(device, std::vector<float>(token.size() * d, 7.0F));
  const PositionTable placed(p.data(), kUnplaced);
  if (device.launches()) {
    const auto embed = DRAGOMAN_LAUNCHER(device, EmbedTokens);
    EXPECT_LAUNCHED(embed(kTestStream, device.type, w.data(), placed, 1.0F, ids.data(),
                          places.data(), 4, nullptr, d, y.data()));
  } else {
    OpContext context(device.threads, 1);
    EmbedTokens(context, FloatEmbedding(static_cast<const float*>(w.data()), d), placed, 1.0F,
                ids.data(), places.data(), 4, static_cast<float*>(y.data()));
  }
  EXPECT_LT(WorstError(y.Download(), expected), 2 * device.unit());
}

TEST_P(EmbedLaunchTest, RowsBeyondTheCountStayAsTheyWere) {
  const OpDevice device = GetParam();
  const int d = 8;
  const OpNumbers w(device, RandomFloats(size_t{4} * d, 1));
  const OpArray<int32_t> ids(device, {1, 2, 3, 1});
  const OpArray<int32_t> count(device, {3});
  const OpNumbers y(device, std::vector<float>(size_t{4} * d, 7.0F));
  const auto embed = DRAGOMAN_LAUNCHER(device, EmbedTokens);
  EXPECT_LAUNCHED(embed(kTestStream, device.type, w.data(), nullptr, 1.0F, ids.data(), ids.data(),
                        4, count.data(), d, y.data()));
  const std::vector<float> found = y.Download();
  for (int i = 0; i < d; ++i) EXPECT_EQ(found[size_t(3 * d + i)], 7.0F);
  EXPECT_NE(found[size_t(2 * d)], 7.0F);
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(EmbedTest);
DRAGOMAN_FOR_LAUNCH_DEVICES(EmbedLaunchTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
