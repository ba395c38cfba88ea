// Checks the reference decoders by methods that do not use them: known answers, enumeration of all
// outputs, and counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/support/reference_constraints.h"
#include "tests/engine/support/reference_decode.h"
#include "tests/engine/support/reference_scores.h"

namespace dragoman::testing {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr int32_t kEos = 0;

// A model with random logits for every prefix. EOS is token 0.
ReferenceModel RandomModel(int vocabulary, uint64_t seed) {
  return {kEos, [=](std::span<const int32_t> prefix) {
            std::seed_seq words{
                static_cast<uint32_t>(seed), static_cast<uint32_t>(prefix.size()),
                static_cast<uint32_t>(std::accumulate(
                    prefix.begin(), prefix.end(), 7, [](int a, int32_t b) { return a * 31 + b; }))};
            std::mt19937 engine(words);
            std::uniform_real_distribution<double> logit(0, 3);
            std::vector<double> logits(static_cast<size_t>(vocabulary));
            for (double& x : logits) x = logit(engine);
            return logits;
          }};
}

// Enumerates all possible outputs, best score first.
std::vector<ReferenceHypothesis> AllOutputs(const ReferenceModel& model,
                                            const ReferenceOptions& o) {
  std::vector<ReferenceHypothesis> all;
  const std::function<void(const ReferenceHypothesis&)> extend = [&](const ReferenceHypothesis& h) {
    const std::vector<double> scores = StepScores(model, o, h.tokens);
    for (size_t t = 0; t < scores.size(); ++t) {
      if (scores[t] == kNegInf) continue;
      ReferenceHypothesis next = h;
      next.log_prob += scores[t];
      if (t == kEos) {
        next.score =
            next.log_prob / std::pow(static_cast<double>(h.tokens.size() + 1), o.length_penalty);
        all.push_back(next);
      } else {
        next.tokens.push_back(static_cast<int32_t>(t));
        extend(next);
      }
    }
  };
  extend({});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  return all;
}

TEST(ReferencePhilox, GivesTheKnownAnswersOfRandom123) {
  EXPECT_THAT(Philox4x32({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(
      Philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(
      Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

// If the beam can hold all hypotheses, a search prunes nothing. So all searches find all outputs.
TEST(ReferenceSearches, FindAllOutputsWithABeamThatHoldsThem) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const ReferenceModel model = RandomModel(4, seed);
    ReferenceOptions o;
    o.beam = 500;
    o.max_tokens = 4;
    o.length_penalty = seed % 2 == 0 ? 1 : 0.6;
    o.no_repeat_ngram = seed % 3 == 0 ? 2 : 0;
    if (seed % 5 == 0) o.forbidden = {{1, 2}, {3, 3, 1}};
    o.min_tokens = static_cast<int32_t>(seed % 3);
    o.stop = ReferenceStop::kNever;
    const auto all = AllOutputs(model, o);
    ASSERT_GT(all.size(), 20U);
    for (const ReferenceMethod method :
         {ReferenceMethod::kOnBeam, ReferenceMethod::kImmediate, ReferenceMethod::kKeep}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " method " +
                   std::to_string(static_cast<int>(method)));
      const ReferenceResult result = ReferenceDecode(model, method, o);
      ASSERT_EQ(result.nbest.size(), all.size());
      for (size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(result.nbest[i].tokens, all[i].tokens);
        EXPECT_NEAR(result.nbest[i].score, all[i].score, 1e-12);
        EXPECT_TRUE(result.nbest[i].has_eos);
      }
    }
  }
}

TEST(ReferenceDba, FindsTheConstrainedOptimumWithABeamThatHoldsEverything) {
  const std::vector<std::vector<TokenList>> constraints = {
      {{1}}, {{1, 2}}, {{2}, {2}}, {{1, 2}, {3}}, {{1}, {1, 2}}, {{3, kEos}}, {{2}, {1, kEos}}};
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const ReferenceModel model = RandomModel(4, seed);
    for (const auto& phrases : constraints) {
      for (const auto allocation : {ReferenceAllocation::kBanks, ReferenceAllocation::kStripe}) {
        ReferenceOptions o;
        o.beam = 1000;
        o.max_tokens = 4;
        o.phrases = phrases;
        o.allocation = allocation;
        const ReferenceResult best = ExhaustiveConstrained(model, o);
        const ReferenceResult found = ReferenceDba(model, o);
        ASSERT_FALSE(best.nbest.empty());
        EXPECT_TRUE(found.constraints_met);
        EXPECT_EQ(found.nbest.at(0).tokens, best.nbest.at(0).tokens);
        EXPECT_NEAR(found.nbest.at(0).score, best.nbest.at(0).score, 1e-12);
      }
    }
  }
}

TEST(ReferenceDba, ReportsTheBestOfTheHighestBankWhenNothingMeetsTheConstraints) {
  ReferenceOptions o;
  o.beam = 3;
  o.max_tokens = 4;
  o.phrases = {{1, 2}};
  o.forbidden = {{1, 2}};  // so no output can contain the phrase
  const ReferenceResult result = ReferenceDba(RandomModel(4, 1), o);
  EXPECT_FALSE(result.constraints_met);
  ASSERT_EQ(result.nbest.size(), 1U);
  EXPECT_EQ(result.nbest[0].tokens.size(), 4U);
  EXPECT_EQ(result.nbest[0].tokens.back(), 1);  // the partial match is in the highest bank reached
  EXPECT_FALSE(result.nbest[0].has_eos);
}

// Reports whether the tokens contain all phrases at disjoint positions.
bool Satisfied(const TokenList& tokens, std::vector<TokenList> phrases, std::vector<bool> used) {
  if (phrases.empty()) return true;
  const TokenList phrase = phrases.back();
  phrases.pop_back();
  for (size_t i = 0; i + phrase.size() <= tokens.size(); ++i) {
    std::vector<bool> with = used;
    bool fits = true;
    for (size_t j = 0; j < phrase.size(); ++j) {
      fits = fits && !used[i + j] && tokens[i + j] == phrase[j];
      with[i + j] = true;
    }
    if (fits && Satisfied(tokens, phrases, with)) return true;
  }
  return false;
}

TEST(ReferenceConstraints, AreFinishedOnlyWhereThePhrasesAre) {
  std::mt19937 engine(7);
  const auto random = [&](int32_t below) {
    return static_cast<int32_t>(engine() % static_cast<unsigned>(below));
  };
  const auto size = [&](int32_t least, int32_t below) {
    const int32_t n = least + random(below);
    return static_cast<size_t>(n);
  };
  int satisfiable = 0;
  int missed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<TokenList> phrases(size(1, 3));
    for (TokenList& phrase : phrases) {
      phrase.resize(size(1, 3));
      for (int32_t& token : phrase) token = 1 + random(3);
    }
    TokenList tokens(size(0, 12));
    for (int32_t& token : tokens) token = 1 + random(3);
    ReferenceConstraints state(phrases);
    int32_t most = 0;
    for (const TokenList& phrase : phrases) most += static_cast<int32_t>(phrase.size());
    for (const int32_t token : tokens) {
      const TokenList allowed = state.Allowed();
      const int32_t before = state.bank();
      state.Advance(token);
      const bool progress = std::find(allowed.begin(), allowed.end(), token) != allowed.end();
      if (progress) {
        ASSERT_EQ(state.bank(), before + 1);
      }
      ASSERT_LE(state.bank(), most);
    }
    const bool possible = Satisfied(tokens, phrases, std::vector<bool>(tokens.size(), false));
    if (state.finished()) {
      EXPECT_TRUE(possible);  // never finished without all phrases
      EXPECT_EQ(state.bank(), most);
    } else if (possible) {
      EXPECT_GT(phrases.size(), 1U);  // the state is exact for a single phrase
      ++missed;
    }
    satisfiable += possible ? 1 : 0;
  }
  EXPECT_GT(satisfiable, 4000);
  EXPECT_LT(missed * 100, satisfiable);  // it may miss rare sequences of several phrases
}

// Follows the text of SEARCH.md d.2.4 literally, pass by pass.
std::vector<int32_t> BankSlotsByPasses(int32_t k, const std::vector<int32_t>& counts) {
  const size_t banks = counts.size();
  int32_t total = 0;
  for (const int32_t count : counts) total += count;
  std::vector<int32_t> slots(banks, k / static_cast<int32_t>(banks));
  slots.back() += k % static_cast<int32_t>(banks);
  const auto usable = [&] {
    int32_t sum = 0;
    for (size_t b = 0; b < banks; ++b) sum += std::min(slots[b], counts[b]);
    return sum;
  };
  while (usable() < std::min(k, total)) {
    for (size_t b = banks; b-- > 0;) {
      const int32_t surplus = std::max(0, slots[b] - counts[b]);
      slots[b] -= surplus;
      slots[b == 0 ? banks - 1 : b - 1] += surplus;
    }
  }
  for (size_t b = 0; b < banks; ++b) slots[b] = std::min(slots[b], counts[b]);
  return slots;
}

TEST(ReferenceBankSlots, AreWhatPassingTheSurplusDownGives) {
  std::mt19937 engine(3);
  for (int round = 0; round < 20000; ++round) {
    const auto k = static_cast<int32_t>(1 + engine() % 12);
    std::vector<int32_t> counts(1 + engine() % 9);
    for (int32_t& count : counts) count = static_cast<int32_t>(engine() % 7);
    ASSERT_EQ(BankSlots(k, counts), BankSlotsByPasses(k, counts)) << "round " << round;
  }
}

ReferenceModel Fixed(std::vector<double> logits) {
  return {kEos, [logits = std::move(logits)](std::span<const int32_t>) { return logits; }};
}

std::vector<double> Logs(std::vector<double> probabilities) {
  for (double& p : probabilities) p = std::log(p);
  return probabilities;
}

TEST(ReferenceStepScores, ChangeTheScoresInTheStatedOrder) {
  const ReferenceModel model = Fixed(Logs({.1, .2, .3, .4}));
  const auto expect = [&](const ReferenceOptions& o, const TokenList& tokens,
                          const std::vector<double>& probabilities) {
    std::vector<double> found = StepScores(model, o, tokens);
    for (double& x : found) x = std::exp(x);
    EXPECT_THAT(found, Pointwise(::testing::DoubleNear(1e-12), probabilities));
  };
  ReferenceOptions o;
  expect(o, {1, 2}, {.1, .2, .3, .4});
  o.eos_penalty = .5;
  expect(o, {1}, {std::sqrt(.1), .2, .3, .4});
  o = {};
  o.repetition_penalty = 2;  // applied once for each id
  expect(o, {1, 1, 3}, {.1, .04, .3, .16});
  o.used_start_token = 2;
  expect(o, {1}, {.1, .04, .09, .4});
  o = {};
  o.temperature = .5;
  expect(o, {}, {1. / 30, 4. / 30, 9. / 30, 16. / 30});
  o = {};
  o.no_repeat_ngram = 2;
  o.forbidden = {{1, 2}};
  expect(o, {1, 3, 1}, {.1, .2, 0, 0});
  o.renormalize = true;
  expect(o, {1, 3, 1}, {1. / 3, 2. / 3, 0, 0});
  o = {};
  o.excluded = {3};
  o.banned = {2};
  expect(o, {}, {1. / 6, 2. / 6, 0, 0});
  o.min_tokens = 2;
  expect(o, {1}, {0, 2. / 6, 0, 0});
  expect(o, {1, 1}, {1. / 6, 2. / 6, 0, 0});
  o = {};
  o.forced_prefix = {1, 1};
  o.no_repeat_ngram = 1;
  expect(o, {1}, {0, .2, 0, 0});  // a forced token may be a banned one
  expect(o, {1, 1}, {.1, 0, .3, .4});
  o = {};
  o.max_tokens = 1;
  expect(o, {2}, {.1, 0, 0, 0});
  o.forced_eos = ReferenceForcedEos::kZero;
  expect(o, {2}, {1, 0, 0, 0});
  o = {};
  o.no_repeat_ngram = 1;
  const auto exempt = StepScores(model, o, {1, 2}, {.ngram_exempt = {2}, .eos_allowed = false});
  EXPECT_THAT(exempt,
              ElementsAre(kNegInf, kNegInf, DoubleEq(std::log(.3)), DoubleEq(std::log(.4))));
}

TEST(ReferenceStepScores, PenaliseLogitsOfBothSigns) {
  ReferenceOptions o;
  o.repetition_penalty = 2;
  o.repetition_on_logits = true;
  const std::vector<double> found = StepScores(Fixed({1, -1, 3}), o, {1, 2});
  EXPECT_THAT(found, Pointwise(::testing::DoubleNear(1e-12), LogSoftmax({1, -2, 1.5})));
}

TEST(ReferenceSampling, KeepsTheSmallestSetThatReachesP) {
  const std::vector<double> scores = Logs({.1, .2, .3, .4});
  GapMeter gap;
  ReferenceSampling s;
  s.top_k = 3;
  const auto ids = [](const Distribution& d) {
    std::vector<std::pair<int32_t, int>> rounded;
    for (const auto& [id, p] : d) rounded.emplace_back(id, static_cast<int>(std::lround(p * 900)));
    return rounded;
  };
  using Pairs = std::vector<std::pair<int32_t, int>>;
  EXPECT_EQ(ids(FilteredDistribution(scores, 1, s, &gap)), (Pairs{{3, 400}, {2, 300}, {1, 200}}));
  s.top_p = .45;  // counts after top_k: 4/9 is below .45
  EXPECT_EQ(ids(FilteredDistribution(scores, 1, s, &gap)), (Pairs{{3, 514}, {2, 386}}));
  s.top_p = .44;
  EXPECT_EQ(ids(FilteredDistribution(scores, 1, s, &gap)), (Pairs{{3, 900}}));
  s.top_p = 0;  // the set is never empty
  EXPECT_EQ(ids(FilteredDistribution(scores, 1, s, &gap)), (Pairs{{3, 900}}));
  s = {};
  EXPECT_EQ(ids(FilteredDistribution(scores, .5, s, &gap)),
            (Pairs{{3, 480}, {2, 270}, {1, 120}, {0, 30}}));
  s.top_k = 2;  // equal scores: lower ids are kept
  EXPECT_EQ(ids(FilteredDistribution(Logs({.25, .25, .25, .25}), 1, s, &gap)),
            (Pairs{{0, 450}, {1, 450}}));
}

TEST(ReferenceSampling, DrawsAsOftenAsTheModelSays) {
  const ReferenceModel model = Fixed(Logs({.1, .2, .3, .4}));
  ReferenceOptions o;
  o.max_tokens = 1;
  o.forced_eos = ReferenceForcedEos::kNone;
  ReferenceSampling s;
  s.seed = 20;
  s.alternatives = 20000;
  std::vector<int> counts(4);
  for (const ReferenceHypothesis& h : ReferenceSample(model, o, s).nbest) {
    ++counts[h.tokens.empty() ? 0 : static_cast<size_t>(h.tokens[0])];
  }
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(counts[i], 2000 * static_cast<int>(i + 1), 250) << i;  // 250 is more than 3.5 sigma
  }
}

}  // namespace
}  // namespace dragoman::testing
