// The search gives the same with a group of one and with a group of many: one slot at a time,
// step by step. Of whole batches: batch_step_test.cc; of their plans: plan_group_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/decode/phrase_tables.h"
#include "tests/kernels/search/host_thread_group.h"
#include "tests/kernels/search/slot_harness.h"

namespace dragoman::kernels {
namespace {

using testing::HostThreadGroup;
using testing::RunGroup;
using testing::SlotHarness;

constexpr int kVocabulary = 20;
constexpr int kMaxTokens = 12;

std::vector<float> Divisors() {
  std::vector<float> divisors(kMaxTokens + 2);
  for (size_t i = 0; i < divisors.size(); ++i) divisors[i] = std::sqrt(static_cast<float>(i));
  return divisors;
}

// Logits by the prefix, of which equal ones make ties.
std::vector<float> Logits(unsigned seed, std::span<const int32_t> prefix) {
  for (const int32_t token : prefix) seed = seed * 31 + static_cast<unsigned>(token) + 1;
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> level(0, 6);
  std::vector<float> logits(kVocabulary);
  for (float& x : logits) x = 0.5F * static_cast<float>(level(random));
  return logits;
}

void ExpectEqual(const testing::SlotHarness<uint8_t>& a, const testing::SlotHarness<uint8_t>& b) {
  ASSERT_EQ(a.state.status, b.state.status);
  ASSERT_EQ(a.state.live, b.state.live);
  ASSERT_EQ(a.state.length, b.state.length);
  ASSERT_EQ(a.state.finished, b.state.finished);
  ASSERT_EQ(a.state.waiting, b.state.waiting);
  ASSERT_EQ(a.state.finished_total, b.state.finished_total);
  ASSERT_EQ(a.state.expansions, b.state.expansions);
  for (int lane = 0; lane < a.state.live; ++lane) {
    EXPECT_EQ(a.Prefix(lane), b.Prefix(lane));
    EXPECT_EQ(a.view.LogProbOf(lane), b.view.LogProbOf(lane));
    EXPECT_EQ(a.view.RankOf(lane), b.view.RankOf(lane));
    EXPECT_EQ(a.view.Forbidden(lane), b.view.Forbidden(lane));
    EXPECT_EQ(Bank(a.view.Constraints(lane)), Bank(b.view.Constraints(lane)));
  }
  const auto found = a.Results();
  const auto expected = b.Results();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].tokens, expected[i].tokens);
    EXPECT_EQ(found[i].score, expected[i].score);
    EXPECT_EQ(found[i].log_prob, expected[i].log_prob);
    EXPECT_EQ(found[i].unmet, expected[i].unmet);
  }
}

// Steps one slot by one member and its twin by thirty-two, until both are over.
void ExpectGroupsAgree(const SearchOptions& options, const SegmentRules& rules) {
  testing::SlotHarness<uint8_t> solo(options, rules, kVocabulary, kVocabulary - 1);
  testing::SlotHarness<uint8_t> group(options, rules, kVocabulary, kVocabulary - 1);
  const auto next = [](std::span<const int32_t> prefix) { return Logits(7, prefix); };
  int steps = 0;
  while (solo.running()) {
    solo.Fold(next);
    group.Fold(next);
    solo.Decide(SingleThread());
    testing::RunGroup(32, [&](const HostThreadGroup& t) { group.Decide(t); });
    ExpectEqual(solo, group);
    if (::testing::Test::HasFatalFailure()) return;
    ++steps;
  }
  EXPECT_GT(steps, 1);
}

SearchOptions Options(int beam, ForcedEos forced) {
  SearchOptions o;
  o.beam = beam;
  o.num_alternatives = beam;
  o.max_tokens = kMaxTokens;
  o.min_tokens = 2;
  o.forced_eos = forced;
  o.stop_rule = StopRule::kNever;
  return o;
}

constexpr ForcedEos kForcedEos[] = {ForcedEos::kModel, ForcedEos::kZero, ForcedEos::kNone};

TEST(ThreadGroup, BeamStepIsTheSameForOneAndThirtyTwo) {
  const std::vector<float> divisors = Divisors();
  SegmentRules rules;
  rules.divisor = divisors.data();
  for (const int beam : {1, 3, 8}) {
    for (const ForcedEos forced : kForcedEos) {
      for (const Finalisation finalisation :
           {Finalisation::kImmediate, Finalisation::kOnBeam, Finalisation::kKeep}) {
        SearchOptions o = Options(beam, forced);
        o.finalisation = finalisation;
        ExpectGroupsAgree(o, rules);
        o.prune = 1.5F;
        o.max_candidates = 2;
        o.no_repeat_ngram = 2;
        ExpectGroupsAgree(o, rules);
      }
    }
  }
}

TEST(ThreadGroup, ConstraintsAreTheSameForOneAndThirtyTwo) {
  const std::vector<float> divisors = Divisors();
  const std::vector<std::vector<int32_t>> phrases = {{3, 4}, {3, 4, 5}, {9}, {9}};
  engine::WordEdgeTable edges(kVocabulary);
  for (int32_t token = 1; token < kVocabulary; ++token) {
    edges.MarkOpen(token);
    if (token % 2 == 0) edges.MarkContinues(token);
  }
  const engine::ConstraintTable required(phrases);
  const engine::ConstraintTable words(phrases, &edges);
  const engine::ForbiddenTable forbidden({{2}, {1, 3}, {3, 6, 1}});
  SegmentRules rules;
  rules.divisor = divisors.data();
  rules.forbidden = forbidden.automaton();
  for (const int beam : {1, 3, 8}) {
    for (const ForcedEos forced : kForcedEos) {
      for (const Allocation allocation : {Allocation::kStripe, Allocation::kBanks}) {
        SearchOptions o = Options(beam, forced);
        o.constraint_allocation = allocation;
        o.constraint_prune = 20.0F;
        rules.constraints = required.set();
        ExpectGroupsAgree(o, rules);
        o.word_edges = true;
        rules.constraints = words.set();
        ExpectGroupsAgree(o, rules);
      }
    }
  }
}

TEST(ThreadGroup, MaterializedRowsAreTheSameForOneAndThirtyTwo) {
  const std::vector<float> divisors = Divisors();
  SegmentRules rules;
  rules.divisor = divisors.data();
  for (const bool renormalize : {false, true}) {
    SearchOptions o = Options(4, ForcedEos::kNone);
    o.renormalize = renormalize;
    o.repetition_penalty = 1.3F;
    ExpectGroupsAgree(o, rules);
    o.sampling.enabled = true;
    o.temperature = 0.8F;
    ExpectGroupsAgree(o, rules);
    o.sampling.top_k = 5;
    ExpectGroupsAgree(o, rules);
    o.sampling.top_p = 0.7F;
    ExpectGroupsAgree(o, rules);
    o.sampling.top_k = 0;
    ExpectGroupsAgree(o, rules);
  }
}

}  // namespace
}  // namespace dragoman::kernels
