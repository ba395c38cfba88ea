#include "server/api/languages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/api/language_catalog.h"
#include "tests/server/api/adapter_fixture.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;

TEST(Languages, TagsInTheirUsualCase) {
  EXPECT_EQ(NormalTag("EN_us"), "en-US");
  EXPECT_EQ(NormalTag("zh-hans"), "zh-Hans");
  EXPECT_EQ(NormalTag("ZH-HANT-tw"), "zh-Hant-TW");
  EXPECT_EQ(NormalTag("deu"), "de");
  EXPECT_EQ(NormalTag("deu_Latn"), "de-Latn");
  EXPECT_EQ(NormalTag("pb"), "pt-BR");
  EXPECT_EQ(NormalTag("es-419"), "es-419");
  for (const char* other : {"", "x", "auto", "ROMANCE", "d\xc3\xa9", "de de"}) {
    EXPECT_EQ(NormalTag(other), other);
  }
  EXPECT_EQ(NormalTag(std::string(100, 'a')), std::string(100, 'a'));
  EXPECT_EQ(BaseLanguage("PT-br"), "pt");
  EXPECT_EQ(BaseLanguage("auto"), "auto");
}

TEST(Languages, NamesInALanguage) {
  EXPECT_EQ(DisplayName("de", "en"), "German");
  EXPECT_EQ(DisplayName("PT-BR", "en"), "Portuguese (Brazil)");
  EXPECT_EQ(DisplayName("en", "de"), "Englisch");
  EXPECT_EQ(DisplayName("de", "no such"), "German");
  EXPECT_EQ(DisplayName("ROMANCE", "en"), "ROMANCE");
}

TEST(Languages, AServedLanguageIsFound) {
  const std::vector<std::string> served = {"de", "en", "pt-BR", "zh-Hans", "zh-Hant", "no"};
  EXPECT_EQ(FindLanguage("de", served), "de");
  EXPECT_EQ(FindLanguage("DE-at", served), "de");
  EXPECT_EQ(FindLanguage("EN-US", served), "en");
  EXPECT_EQ(FindLanguage("EN-GB", served), "en");
  EXPECT_EQ(FindLanguage("pt", served), "pt-BR");
  EXPECT_EQ(FindLanguage("pt-PT", served), std::nullopt);
  EXPECT_EQ(FindLanguage("zh", served), "zh-Hans");
  EXPECT_EQ(FindLanguage("zh-TW", served), "zh-Hant");
  EXPECT_EQ(FindLanguage("zt", served), "zh-Hant");
  EXPECT_EQ(FindLanguage("nb", served), "no");
  EXPECT_EQ(FindLanguage("sr-Latn", {"sr"}), std::nullopt);
  EXPECT_EQ(FindLanguage("fr", served), std::nullopt);
  EXPECT_EQ(FindLanguage("", served), std::nullopt);
  EXPECT_EQ(FindLanguage("en", {"en-GB", "en-US"}), "en-US");
}

TEST(LanguageIndex, FindsNamesAndCodes) {
  const LanguageIndex served({"de", "en", "en-GB", "pt-BR", "zh-Hans"}, LanguageIndex::Names::kAll);
  for (const auto& [name, code] : {std::pair{"german", "de"},
                                   {"Deutsch", "de"},
                                   {"de-AT", "de"},
                                   {"English", "en"},
                                   {"British English", "en-GB"},
                                   {"Brazilian Portuguese", "pt-BR"},
                                   {"Portuguese (Brazil)", "pt-BR"},
                                   {"Portuguese", "pt-BR"},
                                   {"Simplified Chinese", "zh-Hans"},
                                   {"Chinese", "zh-Hans"}}) {
    EXPECT_EQ(served.FindName(name), code) << name;
    EXPECT_TRUE(served.CanMean(name, code)) << name;
  }
  EXPECT_EQ(served.FindName("Klingon"), std::nullopt);
  EXPECT_TRUE(served.CanMean("English", "en-GB"));
  EXPECT_TRUE(served.CanMean("en", "en-GB"));
  EXPECT_FALSE(served.CanMean("German", "en-GB"));
  EXPECT_FALSE(served.CanMean("en-US", "en-GB"));
  EXPECT_FALSE(served.CanMean("English", "fr"));
}

class LanguageCatalogTest : public AdapterFixture {};

TEST_F(LanguageCatalogTest, IsMadeAnewWhenTheModelsChange) {
  engine_.mutable_info()->pairs = {{"de", "en"}, {"en", "de"}, {"de", "fr"}};
  const LanguageCatalog catalog(&context_);
  EXPECT_TRUE(catalog.Get(nullptr)->all.empty());
  Serve();
  const auto served = catalog.Get(nullptr);
  EXPECT_THAT(served->sources, ElementsAre("de", "en"));
  EXPECT_THAT(served->targets, ElementsAre("de", "en", "fr"));
  EXPECT_THAT(served->targets_of.at("de"), ElementsAre("en", "fr"));
  EXPECT_THAT(served->detectable, ElementsAre("de", "en"));
  EXPECT_FALSE(served->any_source());
  EXPECT_EQ(catalog.Get(nullptr), served);

  FakeEngine any;
  any.mutable_info()->name = "any-fr";
  any.mutable_info()->pairs = {{"", "fr"}};
  ASSERT_TRUE(models_.Put(Borrowed(&any)).ok());
  EXPECT_NE(catalog.Get(nullptr), served);
  EXPECT_TRUE(catalog.Get(nullptr)->any_source());
  EXPECT_THAT(catalog.Get(nullptr)->targets_of.at(""), ElementsAre("fr"));
  EXPECT_THAT(catalog.Get(nullptr)->detectable, ElementsAre("de", "en", "fr"));
  models_.Remove("any-fr");
  EXPECT_TRUE(models_.WaitEnded(std::chrono::seconds(30)));
  EXPECT_FALSE(catalog.Get(nullptr)->any_source());
}

}  // namespace
}  // namespace dragoman::server
