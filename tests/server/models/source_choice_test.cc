#include "server/models/source_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/base/field_error.h"
#include "tests/server/fake_engine.h"
#include "tests/server/served_models.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string>& Known() {
  static const std::vector<std::string> known = {"de", "en", "ja"};
  return known;
}

class SourceChoiceTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, std::vector<engine::LanguagePair> pairs) {
    auto engine = std::make_unique<FakeEngine>();
    engine->mutable_info()->name = name;
    engine->mutable_info()->pairs = std::move(pairs);
    models_.push_back(std::make_shared<const ServedModel>(Borrowed(engine.get())));
    engines_.push_back(std::move(engine));
  }

  std::vector<std::string> Candidates(const std::string& name, const std::string& target) {
    const auto choice = ExpectOk(ChooseSources(models_, name, target, Known()));
    return choice.ok() ? choice->candidates : std::vector<std::string>();
  }

  std::vector<std::unique_ptr<FakeEngine>> engines_;
  std::vector<ModelPtr> models_;
};

TEST_F(SourceChoiceTest, AreTheTargetAndTheSourcesOfAllModelsThatHaveIt) {
  Add("a", {{"de", "en"}});
  Add("b", {{"fr", "en"}, {"de", "en"}, {"it", "es"}});
  Add("c", {{"en", "de"}});
  EXPECT_THAT(Candidates("", "en"), ElementsAre("en", "de", "fr", "it"));
  EXPECT_THAT(Candidates("", "de"), ElementsAre("de", "en"));
}

TEST_F(SourceChoiceTest, OfANamedModelAreItsOwn) {
  Add("a", {{"de", "en"}});
  Add("b", {{"fr", "en"}});
  EXPECT_THAT(Candidates("b", "en"), ElementsAre("en", "fr"));
  EXPECT_EQ(ChooseSources(models_, "c", "en", Known()).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(SourceChoiceTest, OfAModelThatTakesAnyAreAllThatAreKnown) {
  Add("a", {{"", "en"}});
  EXPECT_THAT(Candidates("", "en"), ElementsAre("en", "de", "ja"));
}

TEST_F(SourceChoiceTest, TheOnlyTargetNeedsNotBeNamed) {
  Add("a", {{"de", "en"}, {"fr", "en"}});
  const auto only = ExpectOk(ChooseSources(models_, "", "", Known()));
  EXPECT_EQ(only->target, "en");
  Add("b", {{"de", "es"}});
  const auto several = ChooseSources(models_, "", "", Known());
  ASSERT_EQ(engine::FieldErrorsOf(several.status()).size(), 1U);
  EXPECT_EQ(engine::FieldErrorsOf(several.status())[0].field, "target_language_code");
  EXPECT_THAT(std::string(several.status().message()), HasSubstr("one of en, es"));
}

TEST_F(SourceChoiceTest, ATargetThatNoModelHasIsRefused) {
  Add("a", {{"de", "en"}});
  EXPECT_EQ(ChooseSources(models_, "", "it", Known()).status().code(),
            absl::StatusCode::kInvalidArgument);
  Add("b", {{"fr", "en"}});
  EXPECT_THAT(std::string(ChooseSources(models_, "", "it", Known()).status().message()),
              HasSubstr("de-en (a), fr-en (b)"));
}

TEST_F(SourceChoiceTest, AllLanguagesAreSourcesAndThenTargets) {
  Add("a", {{"de", "en"}, {"fr", "en"}});
  Add("b", {{"en", "es"}});
  EXPECT_THAT(AllLanguages(models_, Known()), ElementsAre("de", "fr", "en", "es"));
}

}  // namespace
}  // namespace dragoman::server
