// Compares the production beam step with the reference decoders, on random cases with every
// combination of options that SEARCH.md a.7 allows.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/decode/phrase_tables.h"
#include "tests/engine/support/random_segment.h"
#include "tests/engine/support/reference_constraints.h"
#include "tests/kernels/search/slot_harness.h"
#include "tests/oracle/production_backend.h"
#include "tests/oracle/reference_backend.h"

namespace dragoman::testing {
namespace {

void ExpectProductionAgrees(const RandomCase& c) {
  const RandomSegment segment(c);
  SlotHarness<uint8_t> harness(segment.options, segment.Rules(), c.vocabulary, c.pad());
  const int steps =
      harness.Run([&](std::span<const int32_t> prefix) { return c.script({}, prefix); },
                  c.options.source_length);

  const ReferenceResult& expected = c.expected;
  const auto found = harness.Results();
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
  if (c.method == ReferenceMethod::kSampling) return;  // the reference makes one draw at a time
  EXPECT_EQ(steps, expected.steps);
  EXPECT_EQ(harness.state.expansions - harness.state.noop_expansions, expected.expansions);
  EXPECT_EQ(harness.state.noop_expansions, expected.noop_expansions);
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
  // Returns phrases that are not empty. With a small alphabet they overlap and repeat.
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

TEST(DifferentialParts, ConstraintStatesWithWordEdgesAndGates) {
  Random random(4);
  int taken_back = 0;
  for (int round = 0; round < 20000; ++round) {
    const int32_t alphabet = 2 + random.Below(4);
    const auto phrases = random.Phrases(1 + random.Below(6), 5, alphabet);
    ReferenceWordEdges edges;
    engine::WordEdgeTable table(alphabet);
    for (int32_t token = 0; token < alphabet; ++token) {
      if (random.Below(2) == 0) {
        edges.continuing.push_back(token);
        table.MarkContinues(token);
      }
      if (random.Below(3) != 0) {
        edges.open.push_back(token);
        table.MarkOpen(token);
      }
    }
    std::vector<ReferenceGate> gates;
    std::vector<engine::GatedPhrase> gated;
    for (const TokenList& phrase : phrases) {
      const int32_t begin = random.Below(4);
      gates.push_back({begin, begin + 1 + random.Below(2)});
      gated.push_back({phrase, gates.back().begin, gates.back().end});
    }
    const bool has_gates = random.Below(2) == 0;
    if (!has_gates) gates.clear();
    ReferenceConstraints expected(phrases, edges, gates);
    const engine::ConstraintTable constraints(gated, has_gates, &table);
    const kernels::ConstraintSet set = constraints.set();
    kernels::ConstraintState found = kernels::StartConstraints(set);
    for (const int32_t token : random.Tokens(20, alphabet)) {
      const int32_t before = kernels::Bank(found);
      const auto source = static_cast<uint16_t>(random.Below(5));
      found = kernels::Advance(set, found, token, source);
      expected.Advance(token, source);
      TokenList allowed;
      for (int32_t id = 0; id < alphabet; ++id) {
        if (kernels::MakesProgress(set, found, source, id)) allowed.push_back(id);
      }
      ASSERT_EQ(kernels::Bank(found), expected.bank()) << "round " << round;
      ASSERT_EQ(kernels::Finished(set, found), expected.finished()) << "round " << round;
      ASSERT_EQ(kernels::EndsInWord(set, found), expected.ends_in_word()) << "round " << round;
      ASSERT_EQ(allowed, expected.Allowed(source)) << "round " << round;
      taken_back += kernels::Bank(found) < before ? 1 : 0;
    }
  }
  EXPECT_GT(taken_back, 20000);
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
      // Few different scores, so many are equal. Among equal scores the earlier candidate goes
      // first.
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
