// Compares ensembles with their definition: every case of fixtures/ensembles.jsonl.gz, with all
// cases of an ensemble in one running batch. Token lists must be equal at every rank, and scores
// within 1e-4 of those in float64.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/decode/cpu_model.h"
#include "engine/decode/ensemble_model.h"
#include "engine/network/ensemble_program.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

// Loads the first member and replaces its network by that of all members.
void LoadEnsemble(const json& ensemble, kernels::ComputeType type, Place place, ParityModel* out) {
  std::vector<engine::EnsembleNetwork> networks;
  for (size_t m = 0; m < ensemble["members"].size(); ++m) {
    ParityModel member;
    ASSERT_NO_FATAL_FAILURE(
        LoadParityModel(ensemble["members"][m].get<std::string>(), Place::kCpu, &member));
    networks.push_back(
        {member.loaded->program, member.loaded->weights, ensemble["weights"][m].get<double>()});
    if (m == 0) *out = std::move(member);
  }
  const kernels::MeanKind mean = ensemble["mean"] == "probability"
                                     ? kernels::MeanKind::kProbability
                                     : kernels::MeanKind::kLogProbability;
  out->loaded->spec.is_ensemble = true;
  if (place == Place::kCuda) {
    auto joined = engine::JoinPrograms(networks, mean);
    if (absl::IsUnimplemented(joined.status())) GTEST_SKIP() << joined.status().message();
    ASSERT_TRUE(joined.ok()) << joined.status();
    out->loaded->program = *std::move(joined);
    out->loaded->weights = std::make_shared<const engine::JoinedWeights>(networks);
    out->place = place;
    return;
  }
  auto model = ExpectOk(engine::CreateCpuEnsemble(std::move(networks), mean, type, 2));
  out->ensemble = *std::move(model);
}

std::vector<const json*> CasesOf(const Fixture& fixture, size_t ensemble) {
  std::vector<const json*> cases;
  for (const json& one : fixture.cases) {
    if (one["ensemble"] == ensemble) cases.push_back(&one);
  }
  return cases;
}

// The index of the fixture's ensemble of tiny-a3 and tiny-a, whose members have the same width.
constexpr size_t kOneWidth = 3;

// Calls `body` with each of the fixture's ensembles, in float32, and its cases.
void ForEachEnsemble(
    const Fixture& fixture,
    const std::function<void(const ParityModel&, const std::vector<const json*>&)>& body) {
  for (size_t e = 0; e < fixture.header["ensembles"].size(); ++e) {
    ParityModel model;
    ASSERT_NO_FATAL_FAILURE(LoadEnsemble(fixture.header["ensembles"][e],
                                         kernels::ComputeType::kFloat32, Place::kCpu, &model));
    body(model, CasesOf(fixture, e));
  }
}

// Decodes all cases in one running batch and compares the results.
void ExpectTheDefinitions(const ParityModel& model, const std::vector<const json*>& cases,
                          Differences* differences) {
  std::vector<std::unique_ptr<engine::Segment>> segments;
  for (const json* const one : cases) {
    const Asked asked = segments.size() % 2 == 0 ? Asked::kByRequest : Asked::kByCheckpoint;
    segments.push_back(HfSegment(*one, model.spec(), asked));
    ASSERT_NE(segments.back(), nullptr);
  }
  const auto results = Decode(model, std::move(segments), model.spec().tokens.decoder_start);
  for (size_t i = 0; i < results.size(); ++i) {
    const double penalty = (*cases[i])["options"]["length_penalty"];
    EXPECT_TRUE(Equal(*cases[i], results[i], penalty, differences))
        << Describe(*cases[i], results[i]);
  }
}

TEST(Ensembles, EveryCaseEqualsItsDefinition) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("ensembles", &fixture));
  for (const char* kind : {"plain", "ngram", "penalty", "min_length", "words", "prefix"}) {
    EXPECT_GE(fixture.header["kept_by_kind"][kind].get<int>(), 20) << kind;
  }
  Differences differences;
  size_t searched = 0;
  ForEachEnsemble(fixture, [&](const ParityModel& model, const std::vector<const json*>& cases) {
    ASSERT_GE(cases.size(), 60U);
    ExpectTheDefinitions(model, cases, &differences);
    searched += cases.size();
  });
  EXPECT_EQ(searched, fixture.cases.size());
  std::cout << searched << " cases; largest difference of a score " << differences.score
            << ", of a token's " << differences.token_score << "\n";
}

// Runs on a GPU the ensemble whose members have the same width.
class EnsemblesOnCuda : public OnPlace {};

TEST_P(EnsemblesOnCuda, EveryCaseEqualsItsDefinition) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("ensembles", &fixture));
  ParityModel model;
  const size_t e = kOneWidth;
  ASSERT_NO_FATAL_FAILURE(LoadEnsemble(fixture.header["ensembles"][e],
                                       kernels::ComputeType::kFloat32, GetParam().place, &model));
  if (IsSkipped()) return;
  Differences differences;
  ExpectTheDefinitions(model, CasesOf(fixture, e), &differences);
}

INSTANTIATE_TEST_SUITE_P(Cuda, EnsemblesOnCuda,
                         ::testing::Values(ParityCase{"ensembles", Place::kCuda}), ParityCaseName);

// Greedy search without scores takes a fast path that finds tokens only. They must be the same.
TEST(Ensembles, GreedyTokensAreTheSameWithoutScores) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("ensembles", &fixture));
  size_t searched = 0;
  ForEachEnsemble(fixture, [&](const ParityModel& model, std::vector<const json*> cases) {
    std::erase_if(cases, [](const json* one) { return (*one)["options"]["num_beams"] != 1; });
    std::vector<std::unique_ptr<engine::Segment>> segments;
    for (const json* const one : cases) {
      segments.push_back(HfSegment(*one, model.spec(), Asked::kByRequest, /*scores=*/false));
    }
    const auto results = Decode(model, std::move(segments), model.spec().tokens.decoder_start);
    for (size_t i = 0; i < results.size(); ++i) {
      ASSERT_EQ(results[i].size(), 1U);
      EXPECT_EQ(json(results[i][0].tokens), (*cases[i])["nbest"][0]["tokens"]) << (*cases[i])["id"];
    }
    searched += results.size();
  });
  EXPECT_GE(searched, 60U);
}

// An ensemble of copies of one member must equal that member, in every type of the CPU. bfloat16
// and int8 have their own formats of K and V, and a page holds the K and V of three members.
TEST(Ensembles, SeveralTimesTheSameMemberIsThatMember) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("tiny-a", &fixture));
  fixture.cases.resize(80);
  const auto decode = [&](const ParityModel& model) {
    std::vector<std::unique_ptr<engine::Segment>> segments;
    for (const json& one : fixture.cases) {
      segments.push_back(HfSegment(one, model.spec(), Asked::kByRequest));
    }
    return Decode(model, std::move(segments), model.spec().tokens.decoder_start);
  };
  for (const kernels::ComputeType type :
       {kernels::ComputeType::kFloat32, kernels::ComputeType::kBFloat16,
        kernels::ComputeType::kInt8}) {
    for (const char* directory : {"tests/data/models/tiny-a", "tests/data/models/tiny-a3"}) {
      ParityModel one;
      ASSERT_NO_FATAL_FAILURE(LoadParityModel(directory, Place::kCpu, &one));
      one.ensemble = *engine::CreateCpuModel(one.loaded->program, *one.loaded->weights, type);
      const auto expected = decode(one);
      for (const char* mean : {"probability", "log-probability"}) {
        ParityModel model;
        ASSERT_NO_FATAL_FAILURE(LoadEnsemble({{"members", {directory, directory, directory}},
                                              {"weights", {1, 2, 0.5}},
                                              {"mean", mean}},
                                             type, Place::kCpu, &model));
        const auto found = decode(model);
        for (size_t i = 0; i < found.size(); ++i) {
          ASSERT_EQ(found[i].size(), expected[i].size());
          EXPECT_EQ(found[i][0].tokens, expected[i][0].tokens)
              << kernels::ComputeTypeName(type) << mean;
          EXPECT_NEAR(found[i][0].score, expected[i][0].score, 1e-4)
              << kernels::ComputeTypeName(type) << " " << mean;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dragoman::parity
