// The production beam step against the reference decoders, on random cases over every combination
// of options that decoding.md a.7 allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/decode/phrase_tables.h"
#include "engine/schedule/segment.h"
#include "tests/engine/support/random_case.h"
#include "tests/kernels/decide/slot_bench.h"
#include "tests/oracle/production_backend.h"
#include "tests/oracle/reference_backend.h"

namespace dragoman::testing {
namespace {

ForcedEos ToForcedEos(ReferenceForcedEos forced) {
  switch (forced) {
    case ReferenceForcedEos::kModel:
      return ForcedEos::kModel;
    case ReferenceForcedEos::kZero:
      return ForcedEos::kZero;
    case ReferenceForcedEos::kNone:
      break;
  }
  return ForcedEos::kNone;
}

StopRule ToStopRule(ReferenceStop stop) {
  switch (stop) {
    case ReferenceStop::kFirstK:
      return StopRule::kFirstK;
    case ReferenceStop::kHeuristic:
      return StopRule::kHeuristic;
    case ReferenceStop::kNever:
      return StopRule::kNever;
    case ReferenceStop::kAllBeams:
      break;
  }
  return StopRule::kAllBeams;
}

SearchOptions ToSearchOptions(const RandomCase& c) {
  const ReferenceOptions& r = c.options;
  SearchOptions o;
  o.beam = r.beam;
  o.max_tokens = r.max_tokens;
  o.min_tokens = r.min_tokens;
  o.eos = RandomCase::kEos;
  o.stop_rule = ToStopRule(r.stop);
  o.forced_eos = ToForcedEos(r.forced_eos);
  o.penalty = r.norm == ReferenceNorm::kGnmt ? LengthPenalty::kGnmt : LengthPenalty::kPower;
  o.length_penalty = static_cast<float>(r.length_penalty);
  o.patience = static_cast<float>(r.patience);
  o.renormalize = r.renormalize;
  o.prune = static_cast<float>(r.delta);
  if (r.relative > 0) o.prune = std::min(o.prune, static_cast<float>(-std::log(r.relative)));
  o.max_candidates = r.max_candidates;
  o.constraint_prune = static_cast<float>(r.constraint_prune);
  o.allocation =
      r.allocation == ReferenceAllocation::kBanks ? Allocation::kBanks : Allocation::kStripe;
  o.no_repeat_ngram = r.no_repeat_ngram;
  o.repetition_penalty = static_cast<float>(r.repetition_penalty);
  o.penalise_start = r.repetition_start_token >= 0;
  o.penalise_logits = r.repetition_on_logits;
  o.temperature = static_cast<float>(r.temperature);
  o.eos_penalty = static_cast<float>(r.eos_penalty);
  switch (c.method) {
    case ReferenceMethod::kOnBeam:
      o.finalisation = Finalisation::kOnBeam;
      break;
    case ReferenceMethod::kKeep:
    case ReferenceMethod::kConstrained:
      o.finalisation = Finalisation::kKeep;
      if (r.stop_at_first_complete) {
        o.stop_rule = StopRule::kFirstK;
        o.patience = 1.0F / static_cast<float>(o.beam);
      }
      break;
    case ReferenceMethod::kImmediate:
      break;
    case ReferenceMethod::kSampling:
      o.beam = c.sampling.alternatives;
      o.sampling.enabled = true;
      o.sampling.top_k = c.sampling.top_k;
      o.sampling.top_p = static_cast<float>(c.sampling.top_p);
      o.sampling.seed = c.sampling.seed;
      o.sampling.ordinal = static_cast<int32_t>(c.sampling.ordinal);
      break;
  }
  o.num_hypotheses = o.beam;
  return o;
}

void ExpectProductionAgrees(const RandomCase& c) {
  const SearchOptions options = ToSearchOptions(c);
  const std::vector<float> divisor =
      LengthDivisors(options.max_tokens, options.length_penalty, options.penalty);
  const ConstraintTable constraints(c.options.phrases);
  std::vector<std::vector<int32_t>> phrases = c.options.forbidden;
  for (const int32_t id : c.options.banned) phrases.push_back({id});
  const ForbiddenTable forbidden(phrases, c.options.excluded);
  SegmentRules rules;
  rules.divisor = divisor.data();
  rules.prefix = c.options.forced_prefix.data();
  rules.prefix_length = static_cast<int32_t>(c.options.forced_prefix.size());
  rules.constraints = constraints.set();
  rules.forbidden = forbidden.automaton();
  rules.excluded = forbidden.excluded();
  SlotBench<uint8_t> bench(options, rules, c.vocabulary, c.pad());
  const int steps =
      bench.Run([&](std::span<const int32_t> prefix) { return c.script({}, prefix); });

  const ReferenceResult& expected = c.expected;
  const auto found = bench.Results();
  bool met = true;
  ASSERT_EQ(found.size(), expected.nbest.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].tokens, expected.nbest[i].tokens) << "rank " << i;
    EXPECT_EQ(found[i].has_eos, expected.nbest[i].has_eos) << "rank " << i;
    EXPECT_NEAR(found[i].log_prob, expected.nbest[i].log_prob, 2e-4) << "rank " << i;
    EXPECT_NEAR(found[i].score, expected.nbest[i].score, 2e-4) << "rank " << i;
    met = met && !found[i].unmet;
  }
  EXPECT_EQ(met, expected.constraints_met);
  if (c.method == ReferenceMethod::kSampling) return;  // one draw after the other there
  EXPECT_EQ(steps, expected.steps);
  EXPECT_EQ(bench.state.expansions - bench.state.noop_expansions, expected.expansions);
  EXPECT_EQ(bench.state.noop_expansions, expected.noop_expansions);
}

class Differential : public ::testing::TestWithParam<ReferenceMethod> {};

TEST_P(Differential, ProductionGivesWhatTheReferenceGives) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const RandomCase c = MakeRandomCase(seed, GetParam());
    SCOPED_TRACE(c.ToString());
    ExpectProductionAgrees(c);
  }
}

std::string MethodName(const ::testing::TestParamInfo<ReferenceMethod>& info) {
  constexpr const char* kNames[] = {"OnBeam", "Immediate", "Keep", "Constrained", "Sampling"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Methods, Differential,
                         ::testing::Values(ReferenceMethod::kOnBeam, ReferenceMethod::kImmediate,
                                           ReferenceMethod::kKeep, ReferenceMethod::kConstrained,
                                           ReferenceMethod::kSampling),
                         MethodName);

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int32_t Below(int32_t n) { return static_cast<int32_t>(engine_() % static_cast<uint64_t>(n)); }
  TokenList Tokens(int32_t length, int32_t alphabet) {
    TokenList tokens(static_cast<size_t>(length));
    for (int32_t& token : tokens) token = Below(alphabet);
    return tokens;
  }
  // Not empty, of a small alphabet: they overlap, and repeat.
  std::vector<TokenList> Phrases(int32_t count, int32_t longest, int32_t alphabet) {
    std::vector<TokenList> phrases(static_cast<size_t>(count));
    for (TokenList& phrase : phrases) phrase = Tokens(1 + Below(longest), alphabet);
    return phrases;
  }

 private:
  std::mt19937_64 engine_;
};

TEST(DifferentialParts, ConstraintStates) {
  Random random(1);
  oracle::ReferenceBackend reference;
  oracle::ProductionBackend production;
  for (int round = 0; round < 5000; ++round) {
    const int32_t alphabet = 2 + random.Below(4);
    const auto phrases = random.Phrases(1 + random.Below(6), 5, alphabet);
    const TokenList tokens = random.Tokens(20, alphabet);
    const auto expected = *reference.ConstraintStates(phrases, tokens);
    const auto found = *production.ConstraintStates(phrases, tokens);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].bank, expected[i].bank) << "round " << round << " token " << i;
      ASSERT_EQ(found[i].finished, expected[i].finished) << "round " << round << " token " << i;
      ASSERT_EQ(found[i].allowed, expected[i].allowed) << "round " << round << " token " << i;
    }
  }
}

TEST(DifferentialParts, Allocations) {
  Random random(2);
  oracle::ReferenceBackend reference;
  oracle::ProductionBackend production;
  for (int round = 0; round < 5000; ++round) {
    const int32_t k = 1 + random.Below(20);
    const int32_t tokens = random.Below(12);
    const TokenList counts = random.Tokens(tokens + 1, 1 + random.Below(12));
    ASSERT_EQ(*production.BankAllocation(k, tokens, counts),
              *reference.BankAllocation(k, tokens, counts))
        << "round " << round;
    std::vector<oracle::StripeCandidate> candidates(1 + static_cast<size_t>(random.Below(30)));
    int32_t id = 0;
    for (oracle::StripeCandidate& c : candidates) {
      // Scores of few values: many are equal, and the earlier candidate goes first.
      c = {random.Below(tokens + 1), -0.5 * random.Below(6), id++};
    }
    ASSERT_EQ(*production.StripeSelect(k, candidates), *reference.StripeSelect(k, candidates))
        << "round " << round;
  }
}

TEST(DifferentialParts, Bans) {
  Random random(3);
  oracle::ReferenceBackend reference;
  oracle::ProductionBackend production;
  for (int round = 0; round < 5000; ++round) {
    const int32_t alphabet = 1 + random.Below(5);
    const TokenList history = random.Tokens(random.Below(20), alphabet);
    const auto avoid = random.Phrases(random.Below(8), 4, alphabet);
    ASSERT_EQ(*production.AvoidForbidden(avoid, history, alphabet),
              *reference.AvoidForbidden(avoid, history, alphabet))
        << "round " << round;
    const int32_t n = random.Below(6);
    ASSERT_EQ(*production.NoRepeatNgram(history, n), *reference.NoRepeatNgram(history, n))
        << "round " << round;
  }
}

}  // namespace
}  // namespace dragoman::testing
