// Families besides MarianMT through a whole engine, in every compute type: requests of every
// decoding method give in one batch, bit for bit, what they give alone, and languages are those of
// the request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/create_engine.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"

namespace dragoman {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A small model, and its tokens of German, English and French.
struct Model {
  const char* name = "";
  const char* german = "";
  const char* english = "";
  const char* french = "";
};
constexpr Model kM2m = {"tiny-m2m", "de", "__en__", "__fr__"};
constexpr Model kNllb = {"tiny-nllb", "deu_Latn", "eng_Latn", "fra_Latn"};
constexpr Model kMbart = {"tiny-mbart", "de_DE", "en_XX", "fr_XX"};

struct Case {
  Model model;
  ComputeType compute_type = ComputeType::kFloat32;
};

class Families : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    EngineConfig config;
    config.devices.compute_type = GetParam().compute_type;
    config.max_rows = 48;
    auto engine =
        CreateEngine(std::string(DRAGOMAN_SOURCE_DIR "/tests/data/models/") + GetParam().model.name,
                     config, &clock_, &observer_);
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = std::move(*engine);
  }

  TranslationJob Job(const std::string& source, const std::string& target) {
    TranslationJob job;
    job.contents = {"Die Katze schläft am liebsten auf dem Drucker."};
    job.source_language = source;
    job.target_language = target;
    job.returns.tokens = true;
    return job;
  }

  Hypothesis Translate(TranslationJob job) {
    const auto results = testing::TranslateAlone(*engine_, {std::move(job)});
    EXPECT_TRUE(results.at(0).status.ok()) << results[0].status;
    return results[0].hypotheses.at(0);
  }

  std::string Refusal(TranslationJob job) {
    return engine_->Submit(std::move(job), std::make_shared<testing::CollectingSink>())
        .status.ToString();
  }

  testing::FakeClock clock_;
  testing::CountingObserver observer_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(Families, EveryMethodGivesInCompanyWhatItGivesAlone) {
  testing::MixedRequests requests(22);
  std::vector<TranslationJob> jobs;
  const char* const targets[] = {"en", "fr", "zh-Hans"};
  for (size_t i = 0; i < 150; ++i) {
    int kind = 0;
    jobs.push_back(requests.Next(&kind));
    jobs.back().source_language = "de";
    jobs.back().target_language = targets[i % 3];
  }
  const auto alone = testing::TranslateAlone(*engine_, jobs);
  const auto found = testing::TranslateTogether(*engine_, jobs, testing::Shuffled(jobs.size(), 1));
  size_t translated = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_TRUE(alone[i].status.ok()) << alone[i].status;
    EXPECT_TRUE(testing::SameToTheBit(found[i], alone[i])) << i << ": " << jobs[i].contents[0];
    if (!alone[i].hypotheses.empty() && !alone[i].hypotheses[0].text.empty()) ++translated;
  }
  EXPECT_GE(translated, jobs.size() / 2);  // the weights are random
}

TEST_P(Families, TheTargetIsTheFirstTokenAndNotInTheText) {
  const Model& model = GetParam().model;
  for (const auto& [target, token] :
       {std::pair("en", model.english), std::pair("fr", model.french),
        std::pair("en-GB", model.english), std::pair(model.french, model.french)}) {
    // Languages may be said as the model says them; M2M-100's have underscores around the code.
    const std::string said = std::string(target).starts_with("__") ? "fr" : target;
    const Hypothesis found = Translate(Job(model.german, said));
    ASSERT_FALSE(found.tokens.empty());
    EXPECT_EQ(found.tokens[0], token);
    EXPECT_THAT(found.text, Not(HasSubstr(token)));
  }
  // Another source is another translation, as is another target.
  EXPECT_NE(Translate(Job("de", "en")).tokens, Translate(Job("fr", "en")).tokens);
  EXPECT_NE(Translate(Job("de", "en")).tokens, Translate(Job("de", "zh-Hans")).tokens);
}

TEST_P(Families, APrefixStandsBehindTheLanguage) {
  TranslationJob job = Job("de", "en");
  job.target_prefixes = {"The cat"};
  const Hypothesis found = Translate(job);
  EXPECT_THAT(found.text, StartsWith("The cat"));
  EXPECT_EQ(found.tokens.at(0), GetParam().model.english);
}

TEST_P(Families, ALanguageThatIsNotSaidIsRefusedByName) {
  EXPECT_THAT(Refusal(Job("", "en")), HasSubstr("source_language_code is missing"));
  EXPECT_THAT(Refusal(Job("de", "")), HasSubstr("target_language_code is missing"));
  EXPECT_THAT(Refusal(Job("de", "xx")), HasSubstr("'xx' is not one of the model's"));
}

INSTANTIATE_TEST_SUITE_P(
    Models, Families,
    ::testing::Values(Case{kM2m, ComputeType::kFloat32}, Case{kM2m, ComputeType::kInt8},
                      Case{kMbart, ComputeType::kFloat32}, Case{kMbart, ComputeType::kInt8},
                      Case{kNllb, ComputeType::kFloat32}, Case{kNllb, ComputeType::kBFloat16},
                      Case{kNllb, ComputeType::kInt8}),
    [](const auto& info) {
      std::string name =
          std::string(info.param.model.name) + "_" + ComputeTypeName(info.param.compute_type);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace dragoman
