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

// The plan of the memory is made before there is an encoder or a decoder: it counts what they take.
TEST_P(CpuModel, HoldsTheWorkspacesThatWerePlanned) {
  auto loaded = LoadModel(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const auto model = *CreateCpuModel(loaded->program, std::move(loaded->weights), GetParam(), 3);
  for (const int threads : {1, 3}) {
    for (const int rows : {1, 16, 256}) {
      const int64_t before = BytesInUse();
      const std::unique_ptr<Encoder> encoder = model->CreateEncoder(threads);
      const std::unique_ptr<Decoder> decoder = model->CreateDecoder(threads, rows);
      const int64_t held = BytesInUse() - before;
      const int64_t planned = model->workspace_bytes(threads, rows);
      EXPECT_EQ(encoder->workspace_bytes() + decoder->workspace_bytes(), planned)
          << threads << " threads, " << rows << " rows";
      if (before == 0) continue;  // this allocator does not count
      // The objects themselves, and the allocator's own words.
      EXPECT_GE(held, planned);
      EXPECT_LE(held, planned + (int64_t{16} << 10)) << threads << " threads, " << rows << " rows";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CpuModel,
                         ::testing::Values(ComputeType::kFloat32, ComputeType::kBFloat16,
                                           ComputeType::kInt8),
                         [](const auto& info) { return std::string(ComputeTypeName(info.param)); });

}  // namespace
}  // namespace dragoman
