// The CPU's executor as a whole: what it holds.
#include "engine/decode/cpu_model.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <utility>

#include "engine/model/model_source.h"

namespace dragoman {
namespace {

int64_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

class CpuModel : public ::testing::TestWithParam<ComputeType> {};

// Of the weights that came, what is left is packed: nothing is there twice.
TEST_P(CpuModel, LetsGoOfWeightsAsItPacksThem) {
  auto loaded = LoadModel(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const int64_t before = BytesInUse();
  if (before == 0) GTEST_SKIP() << "skipped: this allocator does not count";
  int64_t floats = 0;
  for (const auto& weight : loaded->weights) floats += static_cast<int64_t>(weight.size());
  const auto model =
      CreateCpuModel(loaded->program, std::exchange(loaded->weights, {}), GetParam());
  ASSERT_TRUE(model.ok()) << model.status();
  const int64_t came = floats * static_cast<int64_t>(sizeof(float));
  const int64_t held = BytesInUse() - (before - came);
  // The two tables are rounded up to large pages.
  EXPECT_LE(held, (*model)->weight_bytes() + (int64_t{4} << 20));
  EXPECT_GE(held, (*model)->weight_bytes() * 95 / 100);
}

INSTANTIATE_TEST_SUITE_P(Types, CpuModel,
                         ::testing::Values(ComputeType::kFloat32, ComputeType::kBFloat16,
                                           ComputeType::kInt8),
                         [](const auto& info) { return std::string(ComputeTypeName(info.param)); });

}  // namespace
}  // namespace dragoman
