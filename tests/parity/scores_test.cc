// Compares the scores of given translations with transformers in float64: every pair of
// scores.jsonl.gz, through the complete engine in float32. The log-probability of a token may differ
// by 1e-5 in the mean. A single one may differ by 2e-4, because models with random weights have
// large logits, or by 2e-5 for the trained model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/create_engine.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/fakes.h"
#include "tests/parity/family_list.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

struct Scored {
  const char* model;
  const char* source = "";
  const char* target = "";
  float most = 2e-4F;  // the largest difference of a token
};

void PrintTo(const Scored& which, std::ostream* out) { *out << which.model; }

class GivenTranslations : public ::testing::TestWithParam<Scored> {
 protected:
  static std::string Directory() {
    const std::string model = GetParam().model;
    return model == "de-en" ? DRAGOMAN_SOURCE_DIR "/deploy/models/de-en" : kModels + model;
  }
};

TEST_P(GivenTranslations, HaveTheLogProbsOfTransformers) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("scores", &fixture));
  engine::TranslationJob job;
  job.source_language = GetParam().source;
  job.target_language = GetParam().target;
  job.decoding.profile = engine::Profile::kHf;
  job.returns.token_scores = true;
  std::vector<std::vector<float>> expected;
  for (const json& one : fixture.cases) {
    if (one["model"] != GetParam().model) continue;
    job.contents.push_back(fixture.header["sources"][one["pair"].get<size_t>()]);
    job.targets.push_back(fixture.header["targets"][one["pair"].get<size_t>()]);
    expected.push_back(one["scores"].get<std::vector<float>>());
  }
  ASSERT_GE(expected.size(), 25U);

  testing::FakeClock clock;
  testing::CountingObserver observer;
  engine::EngineConfig config;
  config.max_rows = 64;
  const auto engine = ExpectOk(engine::CreateEngine(Directory(), config, &clock, &observer));
  const auto sink = std::make_shared<testing::CollectingSink>();
  const engine::Admission admission = (*engine)->Translate(job, sink);
  ASSERT_TRUE(admission.status.ok()) << admission.status;
  ASSERT_TRUE(sink->Wait().ok());
  const std::vector<engine::ItemResult> items = sink->items();
  ASSERT_EQ(items.size(), expected.size());
  float worst = 0;
  double sum = 0;
  size_t tokens = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    ASSERT_TRUE(items[i].status.ok()) << items[i].status;
    const engine::Hypothesis& found = items[i].hypotheses.at(0);
    // A token of the target language, or a first token that every output has, is not scored.
    const size_t first = found.token_scores.size() - expected[i].size();
    ASSERT_LE(first, 1U) << job.contents[i];
    for (size_t t = 0; t < expected[i].size(); ++t) {
      const float difference = std::abs(found.token_scores[first + t] - expected[i][t]);
      worst = std::max(worst, difference);
      EXPECT_LE(difference, GetParam().most)
          << job.contents[i] << " | " << job.targets[i] << ", token " << t;
      sum += difference;
    }
    tokens += expected[i].size();
  }
  EXPECT_LE(sum, 1e-5 * static_cast<double>(tokens));
  std::cout << GetParam().model << ": " << items.size() << " pairs, " << tokens
            << " tokens, difference " << sum / static_cast<double>(tokens) << " in the mean, "
            << worst << " at most\n";
}

INSTANTIATE_TEST_SUITE_P(Models, GivenTranslations,
                         ::testing::Values(Scored{"de-en", "", "", 2e-5F}, Scored{"tiny-a"},
                                           Scored{"tiny-b"}, Scored{"tiny-m2m", "de", "en"},
                                           Scored{"tiny-nllb", "de", "en"},
                                           Scored{"tiny-mbart", "de", "en"}, Scored{"tiny-bart"},
                                           Scored{"tiny-pegasus"}, Scored{"tiny-t5", "en", "de"},
                                           Scored{"tiny-madlad", "", "de"}),
                         [](const auto& info) {
                           std::string name = info.param.model;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace dragoman::parity
