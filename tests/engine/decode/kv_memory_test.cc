#include "engine/decode/kv_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "engine/decode/decoding_batch.h"
#include "engine/schedule/segment.h"
#include "tests/engine/support/scripted_model.h"

namespace dragoman::engine {
namespace {

// 786,432 bytes per page, as for a model of OPUS-MT's size.
constexpr kernels::KvLayout kLayout{6, 8, 64};

int64_t PageBytes() { return kLayout.ElementsPerPage() * static_cast<int64_t>(sizeof(float)); }

// Returns the number of bytes of the pool that are resident.
int64_t Resident(const KvMemory& memory) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto bytes = static_cast<size_t>(memory.bytes());
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  EXPECT_EQ(mincore(memory.pool(), bytes, pages.data()), 0);
  return static_cast<int64_t>(page) *
         std::count_if(pages.begin(), pages.end(), [](unsigned char c) { return (c & 1) != 0; });
}

void Touch(const KvMemory& memory, const std::vector<int32_t>& pages) {
  for (const int32_t page : pages) {
    std::memset(static_cast<char*>(memory.pool()) + page * PageBytes(), 1,
                static_cast<size_t>(PageBytes()));
  }
}

TEST(KvMemory, IsCommittedAsItIsUsed) {
  const auto memory = *KvMemory::Create(kLayout, 1000, 300);  // 1 GB
  EXPECT_EQ(Resident(*memory), 0);
  for (int round = 0; round < 50; ++round) {
    const std::vector<int32_t> first = memory->TakeCross(3);
    const std::vector<int32_t> second = memory->TakeCross(4);
    Touch(*memory, first);
    Touch(*memory, second);
    memory->GiveBackCross(first);
    memory->GiveBackCross(second);
  }
  // At most seven pages were in use at a time. A page of the operating system, at most 2 MiB, may
  // extend beyond both ends.
  constexpr int64_t kSystemPage = int64_t{2} << 20;
  EXPECT_GE(Resident(*memory), 7 * PageBytes());
  EXPECT_LE(Resident(*memory), 7 * PageBytes() + 2 * kSystemPage);
}

TEST(KvMemory, WhatTheSystemHasNotIsAnError) {
  const auto memory = KvMemory::Create(kLayout, 1 << 30, 1);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(memory.status().message().find("cannot be allocated"), absl::string_view::npos);
}

// A decoder that records the highest number of the pages that steps write to.
class PageWatcher final : public Decoder {
 public:
  PageWatcher(std::unique_ptr<Decoder> decoder, int lanes)
      : decoder_(std::move(decoder)), lanes_(lanes) {}
  absl::Status Step(const StepInput& input, kernels::LogitSummary* summaries) override {
    const int64_t entries = int64_t{lanes_} * input.self.pages_per_lane;
    pages_ = std::max(
        pages_, 1 + *std::max_element(input.self.lane_pages, input.self.lane_pages + entries));
    return decoder_->Step(input, summaries);
  }
  int32_t pages() const { return pages_; }

 private:
  const std::unique_ptr<Decoder> decoder_;
  const int lanes_;
  int32_t pages_ = 0;  // highest page number plus one
};

// The batch manages self pages itself. It must reuse free pages before it takes new ones.
TEST(KvMemory, ABatchTouchesNoMoreSelfPagesThanItHadInUse) {
  constexpr int kTokens = 100;  // four pages a lane
  // This script never produces EOS, so every hypothesis reaches the limit.
  testing::ScriptedModel model([](auto, auto prefix) {
    std::vector<float> logits(32, 0.0F);
    logits[8 + prefix.size() % 8] = 9.0F;
    return logits;
  });
  const auto memory = *KvMemory::Create(model.kv_layout(), 4000, 64);
  BatchConfig config;
  config.max_rows = 64;
  config.max_positions = 128;
  config.vocabulary = 32;
  auto decoder =
      std::make_unique<PageWatcher>(model.CreateDecoder(1, config.max_rows), config.lane_count());
  const PageWatcher& watcher = *decoder;
  DecodingBatch batch(config, memory.get(), std::move(decoder));
  for (int round = 0; round < 30; ++round) {
    kernels::SearchOptions search;
    search.beam = 4;
    search.max_tokens = kTokens;
    search.eos = 1;
    const std::vector<float> divisors = LengthDivisors(search.max_tokens, search.length_penalty);
    kernels::SegmentRules rules;
    rules.divisor = divisors.data();
    const std::vector<int32_t> source = {5, 6, 7};
    const int slot =
        batch.Admit({search, rules, 3, testing::EncodeScripted(source, memory.get()), false});
    while (batch.status(slot) == kernels::SlotStatus::kRunning) ASSERT_TRUE(batch.Step({}).ok());
    batch.Release(slot);
  }
  EXPECT_GE(watcher.pages(), 4);
  EXPECT_LE(watcher.pages(), 4 * 4);
  EXPECT_EQ(batch.self_pages_used(), 0);
}

// The size computed before a batch exists must match what the batch allocates.
TEST(DecodingBatch, TablesAreAsLargeAsWasPlanned) {
  testing::ScriptedModel model([](auto, auto) { return std::vector<float>(); });
  const auto memory = *KvMemory::Create(model.kv_layout(), 64, 64);
  for (const int rows : {1, 16, 256}) {
    BatchConfig config;
    config.max_rows = rows;
    config.max_positions = 512;
    config.vocabulary = 58'101;
    const DecodingBatch batch(config, memory.get(), model.CreateDecoder(1, rows));
    const auto planned = static_cast<double>(DecodingBatch::TableBytes(config));
    const auto made = static_cast<double>(batch.workspace_bytes());
    EXPECT_NEAR(planned, made, 0.1 * made + 2e6) << rows;
  }
}

}  // namespace
}  // namespace dragoman::engine
