// Checks how a device's memory is divided, and the error when it does not suffice.
#include "engine/decode/cuda/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/decode/cuda/step_mailboxes.h"
#include "engine/decode/device_batch.h"
#include "engine/model/families/family.h"
#include "tests/engine/network/opus_base.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kGiB = int64_t{1} << 30;

// Returns a request for OPUS-MT base in float16 on a GPU with `device_gib` GiB.
MemoryRequest Base(int64_t device_gib) {
  MemoryRequest r;
  r.device_bytes = device_gib * kGiB;
  r.free_bytes = r.device_bytes - kGiB / 2;
  r.multiprocessors = 132;
  r.program = OpusBase();
  r.type = kernels::ComputeType::kFloat16;
  r.weight_bytes = 150 << 20;
  r.encoder_tokens = EncoderTokens(r.program);
  if (JoinsCrossLayers(r.program, r.type, r.device_bytes)) {
    JoinCrossLayers(r.program.kv.layers, &r.program);
  }
  r.fused = true;
  r.fused_bytes = 8 << 20;
  r.batch.max_rows = 4096;
  r.batch.max_positions = 513;
  r.batch.vocabulary = 58101;
  r.longest_source = 16;
  r.default_beam = 4;
  return r;
}

// Returns a request for a GPU whose memory other processes use as well.
MemoryRequest Small() {
  MemoryRequest r = Base(2);
  r.free_bytes = kGiB;
  return r;
}

int64_t PageBytes(const MemoryRequest& r) {
  return kernels::KvLayout{6, 8, 64}.ElementsPerPage() * kernels::ElementBytes(r.type);
}

TEST(MemoryPlan, GivesWhatIsLeftToThePages) {
  const MemoryRequest r = Base(80);
  const auto plan = ExpectOk(PlanMemory(r));
  const int64_t budget = 72 * kGiB - kGiB / 2;
  EXPECT_LE(plan->total, budget);
  EXPECT_GT(plan->total, budget - 2 * PageBytes(r));
  EXPECT_NEAR(plan->pages.self_pages, 4.0 * plan->pages.cross_pages, 8);
  EXPECT_EQ(plan->limits.self_pages, plan->pages.self_pages);
  EXPECT_EQ(plan->limits.max_rows, 4096);
  EXPECT_EQ(plan->limits.lanes, 8 * 4096);
  int64_t sum = 0;
  for (const MemoryLine& line : plan->lines) sum += line.bytes;
  EXPECT_EQ(sum, plan->total);
  EXPECT_THAT(MemoryText(*plan), AllOf(HasSubstr("weights, float16: 150.0 MiB"),
                                       HasSubstr("K/V in"), HasSubstr("in all")));
}

// The largest model that users run on such GPUs fits in float16. So GPUs need no int8 weights to
// save memory (kernels/README.md, "Every card").
TEST(MemoryPlan, ThreeBillionParametersFitASmallCardInSixteenBits) {
  struct Card {
    double usable_gib;  // of 16, 24 and 80 GB, as drivers report them
    int rows;
  };
  for (const Card card : {Card{14.6, 256}, Card{22.0, 1024}, Card{79.1, 4096}}) {
    ModelSpec spec;
    spec.shape = {2048, 24, 24, 16, 16, 8192, 8192, 256206, 256206, 512};  // NLLB-3.3B's
    MemoryRequest r = Base(16);
    r.program = FindFamily("marian")->make(spec)->program;
    r.device_bytes = static_cast<int64_t>(card.usable_gib * static_cast<double>(kGiB));
    r.free_bytes = r.device_bytes - kGiB / 2;
    r.weight_bytes = 2 * ParameterCount(r.program);
    r.encoder_tokens = EncoderTokens(r.program);
    r.batch.max_rows = card.rows;
    r.batch.vocabulary = 256206;
    const auto plan = ExpectOk(PlanMemory(r));
    // One and a half pages of 32 positions for each row.
    EXPECT_GE(plan->pages.self_pages, card.rows * 3 / 2);
    EXPECT_LT(r.weight_bytes, r.device_bytes / 2);
  }
}

// The number of workspaces for beam steps grows with the GPU. Each takes half a megabyte.
TEST(MemoryPlan, ALargeCardHasMoreBeamStepsAtATime) {
  const auto workspaces = [](int64_t gib, int multiprocessors, int max_rows) {
    MemoryRequest r = Base(gib);
    r.multiprocessors = multiprocessors;
    r.batch.max_rows = max_rows;
    return BatchLimitsOf(r).workspaces;
  };
  EXPECT_EQ(workspaces(141, 132, 4096), 8 * 132);
  EXPECT_EQ(workspaces(80, 132, 4096), 8 * 132);
  EXPECT_EQ(workspaces(80, 132, 600), 600);
  EXPECT_EQ(workspaces(24, 58, 4096), 4 * 58);
  EXPECT_EQ(workspaces(40, 108, 4096), 4 * 108);
  EXPECT_EQ(workspaces(24, 58, 100), 100);
}

TEST(MemoryPlan, CountsTheTablesOfTheBatchAsTheyAre) {
  const auto plan = ExpectOk(PlanMemory(Base(80)));
  kernels::BatchTables tables;
  EXPECT_EQ(plan->lines[1].bytes, kernels::CarveBatch(plan->limits, nullptr, &tables));
}

TEST(MemoryPlan, TakesASizeOfPagesThatWasAskedFor) {
  MemoryRequest r = Base(80);
  r.kv_bytes = 2 * kGiB;
  const auto plan = ExpectOk(PlanMemory(r));
  const int64_t pages = int64_t{plan->pages.self_pages} + plan->pages.cross_pages;
  EXPECT_LE(pages * PageBytes(r), r.kv_bytes);
  EXPECT_GT((pages + 1) * PageBytes(r), r.kv_bytes);
  r.kv_bytes = 100 * kGiB;
  const auto refused = PlanMemory(r);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(refused.status().message()),
      AllOf(HasSubstr("K/V pages at least: 100.00 GiB"), HasSubstr("--kv-memory-mb (102400)")));
}

TEST(MemoryPlan, RefusesLineByLineAndSaysWhatToLower) {
  const auto plan = PlanMemory(Small());
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string text(plan.status().message());
  EXPECT_THAT(text, AllOf(HasSubstr("found 819.2 MiB (0.90 of 2.00 GiB less 1.00 GiB"),
                          HasSubstr("\n  weights, float16: 150.0 MiB"),
                          HasSubstr("\n  batch tables of 4096 rows, 32768 lanes, 513 positions: "),
                          HasSubstr("\n  logits of 512 rows, f32: 113.5 MiB"),
                          HasSubstr("\n  fused output layer: 8.0 MiB"),
                          HasSubstr("\n  decoder activations: "),
                          HasSubstr("\n  encoder activations of 8192 tokens: "),
                          HasSubstr("\n  K/V pages at least: ")));
  EXPECT_THAT(text,
              AllOf(HasSubstr("Lower --max-rows (4096)"), HasSubstr("--device-memory-fraction"),
                    Not(HasSubstr("lanes of the schedule")), Not(HasSubstr("--kv-memory-mb")),
                    Not(HasSubstr("float16 or"))));
}

TEST(MemoryPlan, LowerSettingsFitWhereHigherOnesDoNot) {
  MemoryRequest r = Small();
  r.batch.max_rows = 256;
  const auto plan = ExpectOk(PlanMemory(r));
  EXPECT_GE(plan->pages.self_pages, 4 * 2);
  EXPECT_GE(plan->pages.cross_pages, 32);
}

TEST(MemoryPlan, WithoutAFusedLayerEveryRowIsMaterialized) {
  MemoryRequest r = Base(80);
  r.type = kernels::ComputeType::kFloat32;
  r.fused = false;
  const auto plan = ExpectOk(PlanMemory(r));
  EXPECT_EQ(plan->limits.materialized_rows, 4096);
  EXPECT_LE(plan->limits.materialized_workspaces, 512);
  r.fused = true;
  EXPECT_EQ(PlanMemory(r)->limits.materialized_rows, 512);
}

TEST(MemoryPlan, OneProductForAllLayersWhereItsBufferIsSmall) {
  EXPECT_TRUE(JoinsCrossLayers(OpusBase(), kernels::ComputeType::kFloat16, 80 * kGiB));
  EXPECT_FALSE(JoinsCrossLayers(OpusBase(), kernels::ComputeType::kFloat16, 2 * kGiB));
}

TEST(MemoryPlan, TheBatchHasWhatItNeeds) {
  for (const int max_rows : {1, 5, 256, 4096}) {
    MemoryRequest r = Base(80);
    r.batch.max_rows = max_rows;
    for (const bool fused : {true, false}) {
      r.fused = fused;
      const auto plan = ExpectOk(PlanMemory(r));
      const DeviceNeeds needs = NeedsOf(plan->limits);
      EXPECT_GE(plan->limits.rules_words, needs.rules_words);
      EXPECT_GE(plan->limits.materialized_rows, needs.materialized_rows);
      EXPECT_GE(plan->limits.workspaces, 1);
      EXPECT_GE(plan->limits.materialized_workspaces, 1);
      kernels::StepMailbox mailbox;
      CarveMailbox(plan->limits, nullptr, &mailbox);
      EXPECT_GE(mailbox.command_capacity, needs.command_words);
      EXPECT_GE(mailbox.output_capacity, needs.output_words);
    }
  }
}

}  // namespace
}  // namespace dragoman::engine
