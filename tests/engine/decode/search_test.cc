// Tests the beam step through the production decoding batch with scripted models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/decode/decoding_batch.h"
#include "engine/schedule/segment.h"
#include "kernels/search/partials.h"
#include "tests/engine/support/reference_search.h"
#include "tests/engine/support/scripted_model.h"
#include "tests/engine/support/scripts.h"
#include "tests/kernels/search/slot_harness.h"

namespace dragoman::engine {
namespace {

using testing::ReferenceHypothesis;
using testing::Script;
using testing::ScriptedModel;

constexpr int kMaxPositions = 40;

// A batch with a scripted model and a pool of `self_pages` self pages.
class Harness {
 public:
  explicit Harness(Script script, int max_rows = 64, int self_pages = 4096,
                   const std::vector<int32_t>& banned = {})
      : model_(std::move(script)) {
    memory_ = *KvMemory::Create(model_.kv_layout(), self_pages, 64);
    BatchConfig config;
    config.max_rows = max_rows;
    config.max_positions = kMaxPositions;
    config.vocabulary = 64;
    std::vector<std::vector<int32_t>> phrases;
    for (const int32_t token : banned) phrases.push_back({token});
    forbidden_ = ForbiddenTable(phrases);
    batch_ =
        std::make_unique<DecodingBatch>(config, memory_.get(), model_.CreateDecoder(1, max_rows));
  }

  // `prefix` must outlive the batch.
  int Admit(const kernels::SearchOptions& options, const std::vector<int32_t>& source,
            const std::vector<int32_t>& prefix = {}) {
    divisors_.push_back(std::make_unique<std::vector<float>>(
        LengthDivisors(options.max_tokens, options.length_penalty)));
    kernels::SegmentRules rules;
    rules.divisor = divisors_.back()->data();
    rules.forbidden = forbidden_.automaton();
    rules.prefix = prefix.data();
    rules.prefix_length = static_cast<int32_t>(prefix.size());
    return batch_->Admit({options, rules, static_cast<int32_t>(source.size()),
                          testing::EncodeScripted(source, memory_.get()), false});
  }

  // Steps all segments until segment `number` has ended. Returns its result and releases it.
  std::vector<DecodedHypothesis> Decode(int number) {
    while (batch_->status(number) == kernels::SlotStatus::kRunning) {
      EXPECT_TRUE(batch_->Step({}).ok());
    }
    std::vector<DecodedHypothesis> result = batch_->Result(number);
    batch_->Release(number);
    return result;
  }

  DecodingBatch& batch() { return *batch_; }

 private:
  ScriptedModel model_;
  std::unique_ptr<KvMemory> memory_;
  std::unique_ptr<DecodingBatch> batch_;
  std::vector<std::unique_ptr<std::vector<float>>> divisors_;
  ForbiddenTable forbidden_;
};

void ExpectEqual(const std::vector<DecodedHypothesis>& found,
                 const std::vector<ReferenceHypothesis>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].tokens, expected[i].tokens) << "rank " << i;
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-4) << "rank " << i;
    EXPECT_NEAR(found[i].log_prob, expected[i].log_prob, 1e-4) << "rank " << i;
    double sum = 0;
    for (const float x : found[i].token_log_probs) sum += static_cast<double>(x);
    EXPECT_NEAR(sum, expected[i].log_prob, 1e-4) << "token scores of rank " << i;
  }
}

TEST(Search, EqualsThePlainReferenceOnRandomModels) {
  int cases = 0;
  int at_limit = 0;
  for (const int beam : {1, 2, 3, 4, 7, 12}) {
    for (const kernels::StopRule stop :
         {kernels::StopRule::kFirstK, kernels::StopRule::kHeuristic, kernels::StopRule::kNever}) {
      for (const kernels::ForcedEos forced :
           {kernels::ForcedEos::kModel, kernels::ForcedEos::kZero, kernels::ForcedEos::kNone}) {
        for (const float penalty : {0.0F, 0.6F, 1.0F, 1.4F}) {
          for (const bool renormalize : {false, true}) {
            const int vocabulary = 6 + cases % 20;
            const std::vector<int32_t> banned = {vocabulary - 1};
            kernels::SearchOptions o;
            o.beam = beam;
            o.num_alternatives = beam;
            o.max_tokens = 3 + cases % 17;
            o.min_tokens = cases % 3;
            o.stop_rule = stop;
            o.forced_eos = forced;
            o.length_penalty = penalty;
            o.renormalize = renormalize;
            o.patience = stop == kernels::StopRule::kFirstK && cases % 2 == 1 ? 2.0F : 1.0F;
            const Script script = testing::RandomScript(vocabulary);
            const std::vector<int32_t> source = {cases, 2 + cases % 11};
            Harness harness(script, 64, 4096, banned);
            const auto found = harness.Decode(harness.Admit(o, source));
            SCOPED_TRACE("case " + std::to_string(cases));
            ExpectEqual(found, testing::ReferenceSearch(script, source, o, banned));
            for (const DecodedHypothesis& h : found) {
              const bool full = static_cast<int>(h.tokens.size()) == o.max_tokens;
              EXPECT_EQ(h.reason == kernels::FinishReason::kLength, full);
              at_limit += full ? 1 : 0;
            }
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_EQ(cases, 432);
  EXPECT_GT(at_limit, 100);
}

TEST(Search, GreedyChoosesTheSameWithoutANormaliser) {
  for (int seed = 0; seed < 200; ++seed) {
    kernels::SearchOptions o;
    o.max_tokens = 20;
    Harness with(testing::RandomScript(9));
    const auto a = with.Decode(with.Admit(o, {seed, 8}));
    o.need_log_probs = false;
    Harness without(testing::RandomScript(9));
    const auto b = without.Decode(without.Admit(o, {seed, 8}));
    ASSERT_EQ(a.size(), 1U);
    ASSERT_EQ(b.size(), 1U);
    EXPECT_EQ(a[0].tokens, b[0].tokens) << seed;
  }
}

TEST(Search, TiesGoToTheLowerParentThenTheLowerToken) {
  const Script flat = [](std::span<const int32_t>, std::span<const int32_t> prefix) {
    // Tokens 1 to 3 are equally likely, and EOS is possible only after two tokens.
    return std::vector<float>{prefix.size() < 2 ? -INFINITY : 5.0F, 0.0F, 0.0F, 0.0F};
  };
  kernels::SearchOptions o;
  o.beam = 3;
  o.num_alternatives = 3;
  o.max_tokens = 8;
  Harness harness(flat);
  const auto found = harness.Decode(harness.Admit(o, {1}));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].tokens, (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(found[1].tokens, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(found[2].tokens, (std::vector<int32_t>{1, 3}));
}

TEST(Search, NoOutputWhenEveryTokenIsImpossible) {
  const Script nothing = [](std::span<const int32_t>, std::span<const int32_t>) {
    return std::vector<float>{-INFINITY, -INFINITY, 1.0F};
  };
  kernels::SearchOptions o;
  o.beam = 2;
  o.max_tokens = 8;
  Harness harness(nothing, 64, 64, {2});
  EXPECT_TRUE(harness.Decode(harness.Admit(o, {1})).empty());
}

// Searches with the beam step in a single slot, one position per step.
std::vector<kernels::FinishedHypothesis> OneByOne(const Script& script,
                                                  const std::vector<int32_t>& source,
                                                  const kernels::SearchOptions& o,
                                                  const std::vector<int32_t>& prefix) {
  const std::vector<float> divisor = LengthDivisors(o.max_tokens, o.length_penalty);
  kernels::SegmentRules rules;
  rules.divisor = divisor.data();
  rules.prefix = prefix.data();
  rules.prefix_length = static_cast<int32_t>(prefix.size());
  testing::SlotHarness<uint8_t> slot(o, rules, 64, 0);
  slot.Run([&](std::span<const int32_t> tokens) { return script(source, tokens); });
  std::vector<kernels::FinishedHypothesis> done;
  for (int e = 0; e < o.beam; ++e) {
    if (slot.view.Finished(e).status == kernels::EntryStatus::kDone)
      done.push_back(slot.view.Finished(e));
  }
  std::stable_sort(done.begin(), done.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  return done;
}

TEST(Search, AForcedPrefixGoesSeveralPositionsAtATimeAndGivesTheSame) {
  for (const int beam : {1, 2, 4, 8}) {
    for (const int forced : {1, 2, 7, 10, 31, 32, 36}) {
      const Script script = testing::RandomScript(12);
      const std::vector<int32_t> source = {beam, 4 + forced};
      std::vector<int32_t> prefix;
      for (int i = 0; i < forced; ++i) prefix.push_back(2 + (i * 7 + beam) % 9);
      kernels::SearchOptions o;
      o.beam = o.num_alternatives = beam;
      o.max_tokens = kMaxPositions - 2;
      Harness harness(script);
      const int number = harness.Admit(o, source, prefix);
      // A step covers as many of the positions 0 .. forced as the beam has rows, but not beyond the
      // end of a page.
      int steps = 0;
      int expected_steps = 0;
      for (int p = 0; p <= forced; ++expected_steps) {
        p +=
            std::min({beam, forced + 1 - p, kernels::kPagePositions - p % kernels::kPagePositions});
      }
      while (harness.batch().DecodedTokens(number) <= forced &&
             harness.batch().status(number) == kernels::SlotStatus::kRunning) {
        ASSERT_TRUE(harness.batch().Step({}).ok());
        ++steps;
      }
      EXPECT_EQ(steps, expected_steps) << beam << " " << forced;
      const auto found = harness.Decode(number);
      const auto expected = OneByOne(script, source, o, prefix);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_GE(found[i].tokens.size(), prefix.size());
        EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), found[i].tokens.begin()));
        EXPECT_EQ(found[i].score, expected[i].score);
        EXPECT_EQ(found[i].log_prob, expected[i].log_prob);
      }
    }
  }
}

TEST(Search, ANanFailsItsSlotAlone) {
  const Script script = [](std::span<const int32_t> source, std::span<const int32_t> prefix) {
    std::vector<float> logits = testing::RandomScript(8)(source, prefix);
    if (source[0] == 7 && prefix.size() == 2) logits[3] = NAN;
    return logits;
  };
  kernels::SearchOptions o;
  o.beam = 3;
  o.max_tokens = 12;
  o.min_tokens = 4;
  Harness alone(script);
  const auto expected = alone.Decode(alone.Admit(o, {5, 6}));
  Harness harness(script);
  const int bad = harness.Admit(o, {7, 6});
  const int good = harness.Admit(o, {5, 6});
  const auto found = harness.Decode(good);
  EXPECT_EQ(harness.batch().status(bad), kernels::SlotStatus::kBadNumber);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(found[0].tokens, expected[0].tokens);
  EXPECT_EQ(found[0].score, expected[0].score);
}

TEST(Search, PausesForWantOfRowsAndPagesAndGivesTheSame) {
  kernels::SearchOptions o;
  o.beam = 6;
  o.num_alternatives = 6;
  o.max_tokens = 38;
  o.stop_rule = kernels::StopRule::kNever;
  const Script script = testing::RandomScript(12);
  std::vector<std::vector<DecodedHypothesis>> expected;
  for (int seed = 0; seed < 4; ++seed) {
    Harness alone(script);
    expected.push_back(alone.Decode(alone.Admit(o, {seed, 35})));
  }
  // 12 rows have 24 lanes, so all four segments occupy slots, but only two run in a step. The worst
  // case of one segment, 6 lanes with 39 positions, takes 12 pages.
  Harness harness(script, 12, 18);
  std::vector<int> numbers;
  for (int seed = 0; seed < 4; ++seed) {
    ASSERT_TRUE(harness.batch().HasRoomFor(o, {}));
    numbers.push_back(harness.Admit(o, {seed, 35}));
  }
  for (int seed = 0; seed < 4; ++seed) {
    const auto found = harness.Decode(numbers[static_cast<size_t>(seed)]);
    const auto& wanted = expected[static_cast<size_t>(seed)];
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].tokens, wanted[i].tokens);
      EXPECT_EQ(found[i].score, wanted[i].score);
    }
  }
  EXPECT_EQ(harness.batch().self_pages_used(), 0);
}

TEST(Search, ARefusedAdmissionWouldBreakTheRuleOfPages) {
  kernels::SearchOptions o;
  o.beam = 6;
  o.max_tokens = 38;
  Harness harness(testing::RandomScript(12), 64, 12);
  kernels::SearchOptions wider = o;
  wider.beam = 7;
  EXPECT_TRUE(harness.batch().HasRoomFor(o, {}));
  EXPECT_FALSE(harness.batch().HasRoomFor(wider, {}));
  harness.Admit(o, {1, 35});
  EXPECT_TRUE(harness.batch().HasRoomFor(o, {}));
  EXPECT_FALSE(harness.batch().HasRoomFor(wider, {}));
}

TEST(Partials, SettledTokensGrowAndBeginTheResult) {
  int reported_early = 0;
  for (int seed = 0; seed < 200; ++seed) {
    kernels::SearchOptions o;
    o.beam = 4;
    o.max_tokens = 30;
    Harness harness(testing::RandomScript(10));
    const int number = harness.Admit(o, {seed, 20});
    std::vector<std::vector<int32_t>> seen;
    int32_t settled = 0;
    while (harness.batch().status(number) == kernels::SlotStatus::kRunning) {
      ASSERT_TRUE(harness.batch().Step({}).ok());
      if (harness.batch().status(number) != kernels::SlotStatus::kRunning) break;
      const kernels::SlotView& slot = harness.batch().slot(number);
      const int32_t now = kernels::SettledTokens(kernels::SingleThread(), slot, settled);
      ASSERT_GE(now, settled);
      settled = now;
      std::vector<int32_t> prefix;
      prefix.reserve(static_cast<size_t>(now));
      for (int32_t i = 0; i < now; ++i) prefix.push_back(slot.Token(0, i));
      seen.push_back(prefix);
    }
    const std::vector<int32_t> best = harness.batch().Result(number)[0].tokens;
    for (const std::vector<int32_t>& prefix : seen) {
      ASSERT_LE(prefix.size(), best.size());
      EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), best.begin())) << seed;
    }
    if (settled > 0) ++reported_early;
  }
  EXPECT_GT(reported_early, 100);
}

}  // namespace
}  // namespace dragoman::engine
