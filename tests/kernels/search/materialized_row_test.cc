// Tests the cost of rows with materialized logits (kernels/search/materialized_row.h) by counting.
#include "kernels/search/materialized_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "kernels/search/host_memory.h"
#include "kernels/search/materialized_row_cpu.h"
#include "tests/kernels/search/counting_group.h"

namespace dragoman::kernels {
namespace {

using testing::CountingGroup;

constexpr int kWideVocabulary = 8000;
constexpr std::array<int32_t, 4> kLanes = {0, 1, 2, 3};

// A view that counts how often a token of the hypothesis is looked up.
struct CountingView : SlotView {
  int64_t* lookups = nullptr;

  int32_t Token(int lane, int index) const {
    ++*lookups;
    return SlotView::Token(lane, index);
  }
};

struct Cost {
  CountingGroup::Counts group;
  int64_t lookups = 0;
  int32_t count = 0;
};

// Returns the cost of one row after `length` tokens.
Cost CostOf(const SearchOptions& options, int length) {
  constexpr size_t kStride = 600;
  LaneMemory<uint8_t> lanes(kLanes.size(), kStride);
  RowMemory rows(1, kMaxBeam, MaxRowMasks(kStride, 1), kWideVocabulary);
  StepMemory<uint8_t> memory(kMaxBeam, kStride, kWideVocabulary);
  SlotState state;
  const std::vector<float> divisors(kStride, 1.0F);
  SegmentRules rules;
  rules.divisor = divisors.data();
  Cost cost;
  CountingView view;
  view.state = &state;
  view.lanes = kLanes.data();
  view.arrays = lanes.arrays();
  view.lookups = &cost.lookups;
  StartSlot(view, options, rules, kWideVocabulary - 1);
  std::mt19937 random(1);
  for (int i = 0; i < length; ++i) {
    ++state.length;
    view.arrays.tokens[view.At(0, state.length)] =
        static_cast<int32_t>(random() % (kWideVocabulary - 1));
  }
  rows.Prepare(0, view, 0, view.state->length);
  const LogitRequest& request = rows.requests()[0];
  std::normal_distribution<float> normal(0.0F, 2.5F);
  for (int i = 0; i < kWideVocabulary; ++i) request.logits[i] = normal(random);
  LogitSummary& summary = rows.summaries()[0];
  summary.normaliser = {10.0F, 1.0F};
  cost.lookups = 0;
  FoldMaterializedRow(CountingGroup(&cost.group), view, 0, request, kWideVocabulary,
                      memory.materialized(), summary);
  cost.count = summary.count;
  return cost;
}

SearchOptions Options(int beam) {
  SearchOptions o;
  o.beam = beam;
  o.max_tokens = 512;
  return o;
}

TEST(MaterializedRow, ADrawDoesNotCostMoreForMoreTokens) {
  for (const int top_k : {0, 50, 1'000'000}) {
    SearchOptions o = Options(1);
    o.temperature = 3.0F;
    o.sampling = {.enabled = true, .top_k = top_k};
    const Cost cost = CostOf(o, 5);
    EXPECT_EQ(cost.count, 1);
    EXPECT_LE(cost.group.meetings, 100) << "top_k " << top_k;
  }
}

TEST(MaterializedRow, APenaltyLooksAtEachTokenOnce) {
  for (const bool of_logits : {false, true}) {
    SearchOptions o = Options(4);
    o.repetition_penalty = 1.3F;
    o.penalise_logits = of_logits;
    const Cost cost = CostOf(o, 500);
    EXPECT_EQ(cost.count, 4);
    EXPECT_LE(cost.lookups, 500);
  }
}

// The host's version is the same code compiled for wider registers. It must give the same bits.
TEST(MaterializedRow, IsTheSameBitsForEveryInstructionSet) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.0F, 3.0F);
  constexpr int kWords = 5001;
  const std::vector<float> divisors(64, 1.0F);
  SegmentRules rules;
  rules.divisor = divisors.data();
  for (int round = 0; round < 60; ++round) {
    SearchOptions o = Options(4);
    o.max_tokens = 40;
    o.repetition_penalty = round % 3 == 0 ? 1.0F : 1.3F;
    o.penalise_logits = round % 2 == 0;
    o.renormalize = round % 5 == 0;
    o.sampling.enabled = round % 4 == 0 || o.repetition_penalty == 1.0F;
    o.sampling.top_k = round % 8 == 0 ? 100 : 0;
    o.sampling.top_p = round % 12 == 0 ? 0.9F : 1.0F;
    o.sampling.seed = random();
    std::vector<float> logits(kWords);
    for (float& x : logits) x = normal(random);
    std::vector<TokenScore> found[2];
    LogSum normalisers[2];
    for (const int host : {0, 1}) {
      LaneMemory<uint8_t> lanes(kLanes.size(), 64);
      RowMemory rows(1, kMaxBeam, MaxRowMasks(64, 1), kWords);
      StepMemory<uint8_t> memory(kMaxBeam, 64, kWords);
      SlotState state;
      const SlotView view{&state, kLanes.data(), lanes.arrays()};
      StartSlot(view, o, rules, kWords - 1);
      for (const int32_t token : {3, 5, 3, 4000}) {
        view.arrays.tokens[view.At(0, ++state.length)] = token;
      }
      rows.Prepare(0, view, 0, view.state->length);
      const LogitRequest& request = rows.requests()[0];
      std::copy(logits.begin(), logits.end(), request.logits);
      LogitSummary& summary = rows.summaries()[0];
      summary.normaliser = {10.0F, 1.0F};
      if (host != 0) {
        FoldMaterializedRowOnHost(view, 0, request, kWords, memory.materialized(), summary);
      } else {
        FoldMaterializedRow(SingleThread(), view, 0, request, kWords, memory.materialized(),
                            summary);
      }
      found[host].assign(summary.top, summary.top + summary.count);
      normalisers[host] = summary.normaliser;
    }
    ASSERT_EQ(found[0].size(), found[1].size());
    for (size_t i = 0; i < found[0].size(); ++i) {
      EXPECT_EQ(found[0][i].token, found[1][i].token) << "round " << round;
      EXPECT_EQ(found[0][i].score, found[1][i].score) << "round " << round;
    }
    EXPECT_EQ(normalisers[0].max, normalisers[1].max) << "round " << round;
    EXPECT_EQ(normalisers[0].sum, normalisers[1].sum) << "round " << round;
  }
}

TEST(MaterializedRow, ThePenaltyFallsOnEveryDistinctTokenOnce) {
  constexpr int kWords = 20;
  LaneMemory<uint8_t> lanes(kLanes.size(), 16);
  RowMemory rows(1, kMaxBeam, MaxRowMasks(16, 1), kWords);
  StepMemory<uint8_t> memory(kMaxBeam, 16, kWords);
  const std::vector<float> divisors(16, 1.0F);
  SegmentRules rules;
  rules.divisor = divisors.data();
  SearchOptions o = Options(4);
  o.max_tokens = 10;
  o.repetition_penalty = 2.0F;
  SlotState state;
  const SlotView view{&state, kLanes.data(), lanes.arrays()};
  StartSlot(view, o, rules, kWords - 1);
  for (const int32_t token : {3, 5, 3, 3}) {
    view.arrays.tokens[view.At(0, ++state.length)] = token;
  }
  rows.Prepare(0, view, 0, view.state->length);
  const LogitRequest& request = rows.requests()[0];
  for (int i = 0; i < kWords; ++i) request.logits[i] = -10.0F;
  request.logits[3] = 2.0F;
  request.logits[5] = 1.5F;
  request.logits[7] = 1.0F;
  request.logits[8] = -1.5F;
  LogitSummary& summary = rows.summaries()[0];
  summary.normaliser = {2.5F, 1.0F};  // log-probs -0.5, -1.0, -1.5, -4.0
  FoldMaterializedRow(SingleThread(), view, 0, request, kWords, memory.materialized(), summary);
  ASSERT_EQ(summary.count, 4);
  const TokenScore expected[] = {{-1.0F, 3}, {-1.5F, 7}, {-2.0F, 5}, {-4.0F, 8}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(summary.top[i].token, expected[i].token);
    EXPECT_EQ(summary.top[i].score, expected[i].score);
  }
}

}  // namespace
}  // namespace dragoman::kernels
