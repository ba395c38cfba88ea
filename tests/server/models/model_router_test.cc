#include "server/models/model_router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/base/field_error.h"
#include "tests/server/fake_engine.h"
#include "tests/server/served_models.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ModelRouterTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, std::vector<engine::LanguagePair> pairs) {
    auto engine = std::make_unique<FakeEngine>();
    engine->mutable_info()->name = name;
    engine->mutable_info()->pairs = std::move(pairs);
    models_.push_back(std::make_shared<const ServedModel>(Borrowed(engine.get())));
    engines_.push_back(std::move(engine));
  }

  std::string Route(const std::string& name, const std::string& source, const std::string& target) {
    const auto model = RouteRequest(models_, name, source, target);
    return model.ok() ? model->model->name : std::string(model.status().message());
  }

  std::vector<std::unique_ptr<FakeEngine>> engines_;
  std::vector<ModelPtr> models_;
};

TEST_F(ModelRouterTest, ANameWins) {
  Add("a", {{"de", "en"}});
  Add("b", {{"en", "fr"}});
  EXPECT_EQ(Route("b", "", ""), "b");
  // A named model is chosen for any languages; the engine reports a pair that it lacks.
  EXPECT_EQ(Route("b", "de", "en"), "b");
  const auto unknown = RouteRequest(models_, "c", "de", "en");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.status().message()),
              AllOf(HasSubstr("found 'c'"), HasSubstr("one of a, b")));
}

TEST_F(ModelRouterTest, WithoutANameTheLanguagesDecideInOrder) {
  Add("a", {{"de", "en"}});
  Add("b", {{"en", "fr"}, {"de", "fr"}});
  Add("c", {{"de", "en"}, {"en", "fr"}});
  EXPECT_EQ(Route("", "", ""), "a");
  EXPECT_EQ(Route("", "de", "en"), "a");  // models a and c both have the pair; the first one wins
  EXPECT_EQ(Route("", "en", "fr"), "b");
  EXPECT_EQ(Route("", "", "fr"), "b");
  EXPECT_EQ(Route("", "en", ""), "b");
}

TEST_F(ModelRouterTest, LanguagesThatNoModelHasAreRefusedWithAllPairs) {
  Add("a", {{"de", "en"}});
  Add("b", {{"", "fr"}});
  const auto none = RouteRequest(models_, "", "de", "it");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(none.status().message()),
              AllOf(HasSubstr("from 'de' to 'it'"), HasSubstr("de-en (a), *-fr (b)")));
  const std::vector<engine::FieldError> errors = engine::FieldErrorsOf(none.status());
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].field, "target_language_code");
}

TEST_F(ModelRouterTest, AListOfAThousandPairsIsCut) {
  std::vector<engine::LanguagePair> many;
  for (int i = 0; i < 1000; ++i) many.push_back({"", "l" + std::to_string(i)});
  Add("a", std::move(many));
  Add("b", {{"de", "en"}});
  const auto none = RouteRequest(models_, "", "de", "it");
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("and 977 more"));
  EXPECT_LT(none.status().message().size(), 1000U);
}

TEST_F(ModelRouterTest, ReturnsTheLanguagesOfTheRequest) {
  Add("a", {{"de", "en"}});
  Add("b", {{"en", "fr"}});
  EXPECT_EQ(RouteRequest(models_, "", "en", "fr")->languages.target, "fr");
  EXPECT_EQ(engines_[1]->resolutions(), 1);
  EXPECT_EQ(RouteRequest(models_, "b", "xx", "fr")->languages.source, "xx");
  EXPECT_EQ(RouteRequest(models_, "", "", "")->languages.source, "");
  EXPECT_EQ(engines_[1]->resolutions(), 1);
}

TEST_F(ModelRouterTest, TheOnlyModelIsTakenAsItIs) {
  Add("a", {{"de", "en"}});
  EXPECT_EQ(Route("", "xx", "yy"), "a");
}

}  // namespace
}  // namespace dragoman::server
