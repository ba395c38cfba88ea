// Observes which attention memory a step writes. K and V of cross-attention are written once per
// segment, whatever its beam. A step writes one position of self-attention K and V for each row and
// moves nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "engine/decode/cpu_model.h"
#include "engine/decode/decoding_batch.h"
#include "engine/model/layouts/model_source.h"
#include "engine/schedule/segment.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

constexpr int32_t kSelfPages = 64;
constexpr int32_t kCrossPages = 16;

class MemoryTraffic : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    auto loaded = ExpectOk(LoadModel(DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-a"));
    spec_ = loaded->spec;
    model_ = *CreateCpuModel(loaded->program, *loaded->weights);
    memory_ = *KvMemory::Create(model_->kv_layout(), kSelfPages, kCrossPages);
    BatchConfig config;
    config.max_rows = 64;
    config.max_positions = spec_.shape.max_positions + 1;
    config.vocabulary = spec_.shape.target_vocab;
    config.start_token = spec_.tokens.decoder_start;
    batch_ = std::make_unique<DecodingBatch>(config, memory_.get(), model_->CreateDecoder(1, 64));
  }

  size_t Floats() const {
    return static_cast<size_t>(memory_->layout().ElementsPerPage()) * (kSelfPages + kCrossPages);
  }
  std::vector<float> Snapshot() const {
    const auto* pool = static_cast<const float*>(memory_->pool());
    return {pool, pool + Floats()};
  }

  // Encodes a source. Returns its pages.
  CrossPages Encode(const std::vector<int32_t>& source) {
    CrossPages cross(
        memory_.get(),
        memory_->TakeCross(static_cast<int32_t>(kernels::KvLayout::PagesFor(source.size()))));
    const std::vector<int32_t>& pages = cross.pages();
    const int32_t offsets[] = {0, static_cast<int32_t>(source.size())};
    const int32_t page_offsets[] = {0, static_cast<int32_t>(pages.size())};
    EXPECT_TRUE(
        model_->CreateEncoder(1)
            ->Encode({source.data(), offsets, 1, page_offsets, pages.data(), memory_->pool()})
            .ok());
    return cross;
  }

  ModelSpec spec_;
  std::shared_ptr<const StepModel> model_;
  std::unique_ptr<KvMemory> memory_;
  std::unique_ptr<DecodingBatch> batch_;
};

TEST_P(MemoryTraffic, AStepWritesOnePositionPerRowAndMovesNothing) {
  const int beam = GetParam();
  std::vector<int32_t> source;
  for (int i = 0; i < 40; ++i) source.push_back(3 + i * 7 % (spec_.shape.source_vocab - 3));
  source.push_back(spec_.tokens.eos);
  CrossPages cross = Encode(source);
  EXPECT_EQ(cross.pages().size(), 2U);  // for 41 positions, independent of the beam

  kernels::SearchOptions o;
  o.beam = beam;
  o.num_alternatives = beam;
  o.max_tokens = 40;
  o.min_tokens = 38;
  o.eos = spec_.tokens.eos;
  const std::vector<float> divisor = LengthDivisors(o.max_tokens, 1.0F);
  kernels::SegmentRules rules;
  rules.divisor = divisor.data();
  const int slot =
      batch_->Admit({o, rules, static_cast<int32_t>(source.size()), std::move(cross), false});

  const kernels::KvLayout layout = memory_->layout();
  const int64_t page_floats = layout.ElementsPerPage();
  int reorders = 0;
  for (int step = 0; batch_->status(slot) == kernels::SlotStatus::kRunning; ++step) {
    const std::vector<float> before = Snapshot();
    const auto stepped = batch_->Step({});
    ASSERT_TRUE(stepped.ok());
    const auto* const pool = static_cast<const float*>(memory_->pool());
    std::set<std::pair<int64_t, int64_t>> written;  // page, position
    for (size_t i = 0; i < Floats(); ++i) {
      if (pool[i] == before[i]) continue;
      const int64_t page = static_cast<int64_t>(i) / page_floats;
      ASSERT_LT(page, kSelfPages) << "cross-attention memory changed in step " << step;
      const int64_t row = static_cast<int64_t>(i) % page_floats / layout.width();
      written.insert({page, row % kernels::kPagePositions});
    }
    EXPECT_EQ(written.size(), static_cast<size_t>(stepped->rows)) << "step " << step;
    for (const auto& [page, position] : written)
      EXPECT_EQ(position, step % kernels::kPagePositions);
    if (batch_->status(slot) != kernels::SlotStatus::kRunning) break;
    const kernels::SlotView& view = batch_->slot(slot);
    for (int lane = 0; lane < view.state->live; ++lane) {
      if (view.Writer(lane, step) != lane) ++reorders;
    }
  }
  EXPECT_GT(reorders, beam > 1 ? 10 : -1) << "the search never reordered: nothing was shown";
  EXPECT_EQ(memory_->cross_pages_free(), kCrossPages - 2);
  batch_->Release(slot);
  EXPECT_EQ(memory_->cross_pages_free(), kCrossPages);
}

INSTANTIATE_TEST_SUITE_P(Beams, MemoryTraffic, ::testing::Values(1, 4, 12));

}  // namespace
}  // namespace dragoman::engine
