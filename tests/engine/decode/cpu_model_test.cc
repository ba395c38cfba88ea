// Compares the memory that a CPU model, its encoders and its decoders hold with the planned memory.
#include "engine/decode/cpu_model.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/decode/ensemble_model.h"
#include "engine/decode/packed_program.h"
#include "engine/decode/word_selections.h"
#include "engine/model/layouts/model_source.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

int64_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

class CpuModel : public ::testing::TestWithParam<kernels::ComputeType> {};

// A CPU model holds the planned bytes of weights: no weight is stored twice.
TEST_P(CpuModel, HoldsTheWeightsThatWerePlanned) {
  auto loaded = ExpectOk(LoadModel(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en"));
  const int64_t before = BytesInUse();
  if (before == 0) GTEST_SKIP() << "skipped: this allocator does not count";
  const auto model = ExpectOk(CreateCpuModel(loaded->program, *loaded->weights, GetParam()));
  EXPECT_EQ((*model)->weight_bytes(), CpuWeightBytes(loaded->program, GetParam()));
  const int64_t held = BytesInUse() - before;
  // The embedding table is rounded up to large pages.
  EXPECT_LE(held, (*model)->weight_bytes() + (int64_t{4} << 20));
  EXPECT_GE(held, (*model)->weight_bytes() * 95 / 100);
}

// Memory is planned before an encoder or a decoder exists. The plan must equal what they allocate.
TEST_P(CpuModel, HoldsTheWorkspacesThatWerePlanned) {
  auto loaded = ExpectOk(LoadModel(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en"));
  const auto model = *CreateCpuModel(loaded->program, *loaded->weights, GetParam(), 3);
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
      // The rest are the objects themselves and the allocator's headers.
      EXPECT_GE(held, planned);
      EXPECT_LE(held, planned + (int64_t{16} << 10)) << threads << " threads, " << rows << " rows";
    }
  }
}

// Selections of output words count as workspace. A model that selects no words must not plan any.
TEST_P(CpuModel, HoldsTheSelectionsThatWerePlanned) {
  auto loaded = ExpectOk(LoadModel(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en"));
  const auto model =
      *CreateCpuModel(loaded->program, *loaded->weights, GetParam(), 1, nullptr, true);
  const auto plain = *CreateCpuModel(loaded->program, *loaded->weights, GetParam(), 1);
  for (const int rows : {1, 64}) {
    const std::unique_ptr<Encoder> encoder = model->CreateEncoder(1);
    const std::unique_ptr<Decoder> decoder = model->CreateDecoder(1, rows);
    const int64_t planned = model->workspace_bytes(1, rows);
    EXPECT_EQ(encoder->workspace_bytes() + decoder->workspace_bytes(), planned);
    EXPECT_EQ(planned - plain->workspace_bytes(1, rows),
              WordSelections::BytesOf(GetParam(), loaded->spec.shape.d_model,
                                      loaded->spec.shape.target_vocab, rows));
    EXPECT_TRUE(decoder->HasRoomFor(loaded->spec.shape.target_vocab));
  }
}

TEST_P(CpuModel, OfAnEnsembleHoldsTheWorkspacesThatWerePlanned) {
  std::vector<EnsembleNetwork> networks;
  int64_t weights = 0;
  int64_t page = 0;
  for (const char* name : {"tiny-a", "tiny-a2", "tiny-a3"}) {
    auto loaded =
        ExpectOk(LoadModel(std::string(DRAGOMAN_SOURCE_DIR "/tests/data/models/") + name));
    const auto alone = *CreateCpuModel(loaded->program, *loaded->weights, GetParam());
    weights += alone->weight_bytes();
    page += (alone->kv_layout().HostPageBytes() + 63) / 64 * 64;
    networks.push_back({loaded->program, std::move(loaded->weights), 1.0});
  }
  for (const kernels::MeanKind mean :
       {kernels::MeanKind::kProbability, kernels::MeanKind::kLogProbability}) {
    const auto model = *CreateCpuEnsemble(networks, mean, GetParam(), 3);
    EXPECT_EQ(model->weight_bytes(), weights);
    EXPECT_EQ(model->kv_layout().HostPageBytes(), page);
    for (const int threads : {1, 3}) {
      for (const int rows : {1, 16, 256}) {
        const std::unique_ptr<Encoder> encoder = model->CreateEncoder(threads);
        const std::unique_ptr<Decoder> decoder = model->CreateDecoder(threads, rows);
        EXPECT_EQ(encoder->workspace_bytes() + decoder->workspace_bytes(),
                  model->workspace_bytes(threads, rows))
            << threads << " threads, " << rows << " rows";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CpuModel,
                         ::testing::Values(kernels::ComputeType::kFloat32,
                                           kernels::ComputeType::kBFloat16,
                                           kernels::ComputeType::kInt8),
                         [](const auto& info) {
                           return std::string(kernels::ComputeTypeName(info.param));
                         });

}  // namespace
}  // namespace dragoman::engine
