// Tests model families other than MarianMT in a complete engine, in every compute type. A request
// gives bit for bit the same result in a batch of requests of every decoding method as alone, and
// is translated into the language that it asks for.
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
#include "tests/support/expect_ok.h"

namespace dragoman {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A small model and the tokens by which it names German, English and French.
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
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;

  std::string name() const { return model.name; }
};

// A model that is told the languages by its source text or by tokens around it. `source` and
// `targets` are languages that it knows; "" where the model names none.
struct Prompted {
  const char* model = "";
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  const char* source = "";
  std::vector<std::string> targets;
  size_t longest = std::string::npos;  // maximum bytes of a text in one segment

  std::string name() const { return model; }
};

class FamilyTest {
 protected:
  void Create(const std::string& model, kernels::ComputeType compute_type) {
    engine::EngineConfig config;
    config.devices.compute_type = compute_type;
    config.max_rows = 48;
    auto engine = ExpectOk(engine::CreateEngine(DRAGOMAN_SOURCE_DIR "/tests/data/models/" + model,
                                                config, &clock_, &observer_));
    engine_ = std::move(*engine);
  }

  // Makes requests of every decoding method, with the targets in turn, and checks that a batch does
  // not change their results.
  void ExpectTheSameInCompanyAndAlone(const std::string& source,
                                      const std::vector<std::string>& targets,
                                      size_t longest = std::string::npos) {
    std::vector<engine::TranslationJob> jobs = testing::MixedJobs(150, 22);
    for (size_t i = 0; i < jobs.size(); ++i) {
      std::string& text = jobs[i].contents[0];
      if (text.size() > longest) text.resize(text.rfind(' ', longest));
      jobs[i].source_language = source;
      jobs[i].target_language = targets[i % targets.size()];
    }
    const auto alone = testing::ExpectTheSameInCompany(*engine_, jobs);
    EXPECT_GE(testing::CountTexts(alone), jobs.size() / 2);  // not all: the weights are random
  }

  engine::TranslationJob Job(const std::string& source, const std::string& target) {
    engine::TranslationJob job;
    job.contents = {"Die Katze schläft am liebsten auf dem Drucker."};
    job.source_language = source;
    job.target_language = target;
    job.returns.tokens = true;
    return job;
  }

  engine::Hypothesis Translate(engine::TranslationJob job) {
    const auto results = testing::TranslateAlone(*engine_, {std::move(job)});
    EXPECT_TRUE(results.at(0).status.ok()) << results[0].status;
    return results[0].hypotheses.at(0);
  }

  std::string Refusal(engine::TranslationJob job) {
    return engine_->Translate(std::move(job), std::make_shared<testing::CollectingSink>())
        .status.ToString();
  }

  testing::FakeClock clock_;
  testing::CountingObserver observer_;
  std::unique_ptr<engine::Engine> engine_;
};

class Families : public FamilyTest, public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override { Create(GetParam().name(), GetParam().compute_type); }
};

TEST_P(Families, EveryMethodGivesInCompanyWhatItGivesAlone) {
  ExpectTheSameInCompanyAndAlone("de", {"en", "fr", "zh-Hans"});
}

TEST_P(Families, TheTargetIsTheFirstTokenAndNotInTheText) {
  const Model& model = GetParam().model;
  for (const auto& [target, token] :
       {std::pair("en", model.english), std::pair("fr", model.french),
        std::pair("en-GB", model.english), std::pair(model.french, model.french)}) {
    // A request may name a language as the model spells it. M2M-100 writes two underscores on both
    // sides of the code.
    const std::string said = std::string(target).starts_with("__") ? "fr" : target;
    const engine::Hypothesis found = Translate(Job(model.german, said));
    ASSERT_FALSE(found.tokens.empty());
    EXPECT_EQ(found.tokens[0], token);
    EXPECT_THAT(found.text, Not(HasSubstr(token)));
  }
  // A different source or target language changes the translation.
  EXPECT_NE(Translate(Job("de", "en")).tokens, Translate(Job("fr", "en")).tokens);
  EXPECT_NE(Translate(Job("de", "en")).tokens, Translate(Job("de", "zh-Hans")).tokens);
}

TEST_P(Families, APrefixStandsBehindTheLanguage) {
  engine::TranslationJob job = Job("de", "en");
  job.target_prefixes = {"The cat"};
  const engine::Hypothesis found = Translate(job);
  EXPECT_THAT(found.text, StartsWith("The cat"));
  EXPECT_EQ(found.tokens.at(0), GetParam().model.english);
}

TEST_P(Families, ALanguageThatIsNotSaidIsRefusedByName) {
  EXPECT_THAT(Refusal(Job("", "en")), HasSubstr("source_language_code is missing"));
  EXPECT_THAT(Refusal(Job("de", "")), HasSubstr("target_language_code is missing"));
  EXPECT_THAT(Refusal(Job("de", "xx")), HasSubstr("'xx' is not one of the model's"));
}

class PromptedFamilies : public FamilyTest, public ::testing::TestWithParam<Prompted> {
 protected:
  void SetUp() override { Create(GetParam().name(), GetParam().compute_type); }
  engine::TranslationJob JobTo(const std::string& target) {
    engine::TranslationJob job = Job(GetParam().source, target);
    job.contents = {"Der alte Mann fütterte die Enten im Park."};  // every model has these words
    return job;
  }
};

TEST_P(PromptedFamilies, EveryMethodGivesInCompanyWhatItGivesAlone) {
  ExpectTheSameInCompanyAndAlone(GetParam().source, GetParam().targets, GetParam().longest);
}

TEST_P(PromptedFamilies, ATargetIsAnotherTranslation) {
  const std::vector<std::string>& targets = GetParam().targets;
  const auto first = Translate(JobTo(targets.front())).tokens;
  EXPECT_FALSE(first.empty());
  if (targets.size() > 1) {
    EXPECT_NE(first, Translate(JobTo(targets[1])).tokens);
  }
}

TEST_P(PromptedFamilies, AlignmentIsWithTheTextAndNotWithThePrompt) {
  engine::TranslationJob job = JobTo(GetParam().targets.front());
  job.returns.alignment = true;
  job.decoding.min_output_tokens = 12;  // enough tokens that some have text
  const auto size = static_cast<int64_t>(job.contents[0].size());
  const engine::Hypothesis found = Translate(std::move(job));
  EXPECT_FALSE(found.alignment.empty());
  for (const engine::AlignmentLink& link : found.alignment) {
    EXPECT_LE(link.source.begin, link.source.end);
    EXPECT_LE(link.source.end, size);
  }
}

TEST_P(PromptedFamilies, ALongTextHasThePromptInEveryPart) {
  engine::TranslationJob job = JobTo(GetParam().targets.front());
  std::string& text = job.contents[0];
  while (text.size() < 1500) text += " und noch einmal: " + text;
  job.split = engine::SplitMode::kNone;  // so the text is cut at the model's maximum length
  EXPECT_FALSE(Translate(std::move(job)).tokens.empty());
}

TEST_P(PromptedFamilies, ALanguageThatIsNotTheModelsIsRefusedByName) {
  const bool has_languages = !GetParam().targets.front().empty();
  EXPECT_THAT(Refusal(JobTo("xx")),
              HasSubstr(has_languages ? "'xx' is not one of the model's"
                                      : "cannot be chosen: the model does not name its languages"));
}

class T5Family : public FamilyTest, public ::testing::Test {};

// A T5 model is told the languages by plain words, so a user may write them into the text.
// (MADLAD-400 is told by a special piece, see below.)
TEST_F(T5Family, WhoNamesNoLanguageSaysItInTheText) {
  Create("tiny-t5", kernels::ComputeType::kFloat32);
  engine::TranslationJob said = Job("", "");
  said.contents[0] = "translate English to French: " + said.contents[0];
  EXPECT_EQ(Translate(said).tokens, Translate(Job("en", "fr")).tokens);
  EXPECT_NE(Translate(Job("", "")).tokens, Translate(Job("en", "fr")).tokens);
  EXPECT_THAT(Refusal(Job("de", "fr")), HasSubstr("'de' is not one of the model's: en"));
  EXPECT_THAT(Refusal(Job("en", "")), HasSubstr("target_language_code is missing"));
}

TEST_F(T5Family, TheTextCannotNameALanguageOfMadlad) {
  Create("tiny-madlad", kernels::ComputeType::kFloat32);
  EXPECT_THAT(Refusal(Job("", "")), HasSubstr("target_language_code is missing"));
  engine::TranslationJob other = Job("", "de");
  other.contents[0] = "<2fr> " + other.contents[0];
  EXPECT_NE(Translate(other).tokens, Translate(Job("", "fr")).tokens);
  // Codes that differ from the model's spelling are found.
  EXPECT_EQ(Translate(Job("en", "zh-TW")).tokens, Translate(Job("", "zh_Hant")).tokens);
  EXPECT_EQ(Translate(Job("", "fr-CA")).tokens, Translate(Job("", "fr")).tokens);
}

std::string CaseName(const std::string& model, kernels::ComputeType type) {
  std::string name = model + "_" + kernels::ComputeTypeName(type);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Models, Families,
                         ::testing::Values(Case{kM2m, kernels::ComputeType::kFloat32},
                                           Case{kM2m, kernels::ComputeType::kInt8},
                                           Case{kMbart, kernels::ComputeType::kFloat32},
                                           Case{kMbart, kernels::ComputeType::kInt8},
                                           Case{kNllb, kernels::ComputeType::kFloat32},
                                           Case{kNllb, kernels::ComputeType::kBFloat16},
                                           Case{kNllb, kernels::ComputeType::kInt8}),
                         [](const auto& info) {
                           return CaseName(info.param.name(), info.param.compute_type);
                         });

const std::vector<std::string> kTargetsOfT5 = {"de", "fr"};
const std::vector<std::string> kTargetsOfMbart25 = {"en", "ro", "zh"};
const std::vector<std::string> kTargetsOfMadlad = {"de", "en", "zh"};

INSTANTIATE_TEST_SUITE_P(
    Models, PromptedFamilies,
    ::testing::Values(
        Prompted{"tiny-t5", kernels::ComputeType::kFloat32, "en", kTargetsOfT5},
        Prompted{"tiny-t5", kernels::ComputeType::kBFloat16, "en", kTargetsOfT5},
        Prompted{"tiny-t5", kernels::ComputeType::kInt8, "en", kTargetsOfT5},
        Prompted{"tiny-flan", kernels::ComputeType::kFloat32, "", {""}},
        Prompted{"tiny-flan", kernels::ComputeType::kBFloat16, "", {""}},
        Prompted{"tiny-flan", kernels::ComputeType::kInt8, "", {""}},
        Prompted{"tiny-mt5", kernels::ComputeType::kFloat32, "", {""}},
        Prompted{"tiny-mt5", kernels::ComputeType::kInt8, "", {""}},
        Prompted{"tiny-umt5", kernels::ComputeType::kFloat32, "", {""}},
        Prompted{"tiny-umt5", kernels::ComputeType::kInt8, "", {""}},
        Prompted{"tiny-mbart25", kernels::ComputeType::kFloat32, "de", kTargetsOfMbart25},
        Prompted{"tiny-mbart25", kernels::ComputeType::kInt8, "de", kTargetsOfMbart25},
        Prompted{"tiny-bart", kernels::ComputeType::kFloat32, "", {""}},
        Prompted{"tiny-bart", kernels::ComputeType::kBFloat16, "", {""}},
        Prompted{"tiny-bart", kernels::ComputeType::kInt8, "", {""}},
        Prompted{"tiny-pegasus", kernels::ComputeType::kFloat32, "", {""}, 100},
        Prompted{"tiny-pegasus", kernels::ComputeType::kInt8, "", {""}, 100},
        Prompted{"tiny-fsmt", kernels::ComputeType::kFloat32, "de", {"en"}},
        Prompted{"tiny-fsmt", kernels::ComputeType::kInt8, "de", {"en"}},
        Prompted{"tiny-madlad", kernels::ComputeType::kFloat32, "", kTargetsOfMadlad},
        Prompted{"tiny-madlad", kernels::ComputeType::kBFloat16, "", kTargetsOfMadlad},
        Prompted{"tiny-madlad", kernels::ComputeType::kInt8, "de", kTargetsOfMadlad}),
    [](const auto& info) { return CaseName(info.param.name(), info.param.compute_type); });

}  // namespace
}  // namespace dragoman
