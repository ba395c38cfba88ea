#include "engine/model/tokenizers/languages.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<LanguageTag> Tags(const std::vector<std::string>& codes) {
  std::vector<LanguageTag> tags;
  tags.reserve(codes.size());
  for (const std::string& code : codes) {
    tags.push_back({.code = code, .id = static_cast<int>(100 + tags.size())});
  }
  return tags;
}

// Returns the code of the tag that `target` selects, or the error.
std::string TagFor(const std::vector<std::string>& codes, const std::string& target) {
  const LanguageMap map("en", "mul", Tags(codes));
  const auto pair = map.Resolve("en", target);
  if (!pair.ok()) return std::string(pair.status().message());
  EXPECT_TRUE(pair->tag.has_value());
  return codes[static_cast<size_t>(*pair->tag - 100)];
}

TEST(LanguageCode, IsTakenApart) {
  const auto code = ParseLanguageCode("ZH_hans-cn-x1");
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(*code, (LanguageCode{"zho", "Hans", "CN", "x1"}));
  EXPECT_EQ(ToBcp47(*code), "zh-Hans-CN-x1");
  EXPECT_EQ(ToBcp47(*ParseLanguageCode("es-419")), "es-419");
  EXPECT_EQ(ToBcp47(*ParseLanguageCode("ger")), "de");
  EXPECT_EQ(ToBcp47(*ParseLanguageCode("nds")), "nds");
  // Codes of Argos Translate.
  EXPECT_EQ(ToBcp47(*ParseLanguageCode("zt")), "zh-Hant");
  EXPECT_EQ(ToBcp47(*ParseLanguageCode("PB")), "pt-BR");
  for (const char* bad : {"", "-", "d", "de-", "-de", "de--DE", "d1", "de DE", "dé",
                          "de-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    EXPECT_FALSE(ParseLanguageCode(bad).has_value()) << bad;
  }
}

TEST(LanguageMap, TakesEveryWayToWriteABilingualPair) {
  for (const auto& [model_source, model_target] :
       {std::pair("de", "en"), std::pair("deu", "eng"), std::pair("ger", "en")}) {
    const LanguageMap map(model_source, model_target, {});
    for (const char* source : {"", "de", "DE", "deu", "ger", "de-DE", "de_AT", "de-Latn-DE"}) {
      for (const char* target : {"", "en", "eng", "en-US", "EN_gb"}) {
        const auto pair = ExpectOk(map.Resolve(source, target));
        EXPECT_EQ(pair->source, "de");
        EXPECT_EQ(pair->target, "en");
        EXPECT_EQ(pair->tag, std::nullopt);
      }
    }
  }
}

// A caller may resolve a pair first and then send the pair's codes with the job.
TEST(LanguageMap, TheCodesOfAPairMeanThatPair) {
  const std::vector<LanguageMap> maps = {
      LanguageMap("de", "en", {}), LanguageMap("mul", "en", {}), LanguageMap("de", "ROMANCE", {}),
      LanguageMap("en", "mul", Tags({"cmn_Hans", "cmn_Hant", "zho", "pt_BR", "por"})),
      LanguageMap(Tags({"fra_Latn", "arb_Arab", "arb_Latn", "zho_Hans"}),
                  LanguageTokenPlacement::kBoth)};
  for (const LanguageMap& map : maps) {
    for (const ModelLanguagePair& pair : map.Pairs()) {
      const auto found = map.Resolve(pair.source.empty() ? "spa" : pair.source, pair.target);
      ASSERT_TRUE(found.ok()) << pair.source << "-" << pair.target << ": " << found.status();
      const auto again = ExpectOk(map.Resolve(found->source, found->target));
      EXPECT_EQ(again->source, found->source);
      EXPECT_EQ(again->target, pair.target);
      EXPECT_EQ(again->tag, found->tag);
      EXPECT_EQ(again->first, found->first);
    }
  }
}

TEST(LanguageMap, RefusesOtherLanguages) {
  const LanguageMap map("de", "en", {});
  EXPECT_EQ(map.Resolve("fr", "en").status().message(),
            "source_language_code: 'fr' is not one of the model's: de");
  EXPECT_EQ(map.Resolve("de", "fr").status().message(),
            "target_language_code: 'fr' is not one of the model's: en");
  EXPECT_THAT(std::string(map.Resolve("de", "\xff").status().message()), HasSubstr("'\\xff'"));
  EXPECT_EQ(map.Resolve("de", "en-Cyrl").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(LanguageMap, SelectsTheTagOfTheTarget) {
  const std::vector<std::string> codes = {"fra", "spa", "por", "ron"};
  EXPECT_EQ(TagFor(codes, "fr"), "fra");
  EXPECT_EQ(TagFor(codes, "fr-CA"), "fra");
  EXPECT_EQ(TagFor(codes, "fre"), "fra");
  EXPECT_EQ(TagFor(codes, "mo"), "ron");
  EXPECT_EQ(TagFor(codes, "de"),
            "target_language_code: 'de' is not one of the model's: fr, es, pt, ro");
  EXPECT_EQ(TagFor(codes, ""), "target_language_code is missing: the model has 4 target languages");
  EXPECT_EQ(TagFor({"fra"}, ""), "fra");
}

TEST(LanguageMap, TellsScriptsApart) {
  EXPECT_EQ(TagFor({"srp_Cyrl", "srp_Latn"}, "sr-Latn"), "srp_Latn");
  EXPECT_THAT(TagFor({"srp_Cyrl", "srp_Latn"}, "sr"),
              HasSubstr("'sr' is ambiguous, it fits: sr-Cyrl, sr-Latn"));
  EXPECT_EQ(TagFor({"srp_Latn", "hrv"}, "sr"), "srp_Latn");
  EXPECT_EQ(TagFor({"srp"}, "sr-Cyrl"), "srp");
  EXPECT_THAT(TagFor({"srp"}, "sr-Latn"), HasSubstr("not one of"));
  EXPECT_EQ(TagFor({"cmn_Hans", "cmn_Hant"}, "zh-Hans"), "cmn_Hans");
  EXPECT_EQ(TagFor({"cmn_Hans", "cmn_Hant"}, "zh-TW"), "cmn_Hant");
  EXPECT_EQ(TagFor({"cmn", "cmn_Hans", "cmn_Hant"}, "zh-CN"), "cmn_Hans");
  EXPECT_EQ(TagFor({"cmn", "cmn_Hans", "cmn_Hant"}, "zh"), "cmn");
  EXPECT_THAT(TagFor({"cmn_Hans", "cmn_Hant"}, "zh"), HasSubstr("ambiguous"));
  EXPECT_THAT(TagFor({"zho"}, "zh-TW"), HasSubstr("not one of"));
}

TEST(LanguageMap, TellsRegionsApart) {
  EXPECT_EQ(TagFor({"pt", "pt_BR"}, "pt-BR"), "pt_BR");
  EXPECT_EQ(TagFor({"pt", "pt_BR"}, "pt-PT"), "pt");
  EXPECT_EQ(TagFor({"pt", "pt_BR"}, "pt"), "pt");
  EXPECT_EQ(TagFor({"pt_BR"}, "pt"), "pt_BR");
  EXPECT_THAT(TagFor({"pt_BR"}, "pt-PT"), HasSubstr("not one of"));
  // opus-mt-en-ROMANCE has both tags.
  EXPECT_EQ(TagFor({"pt_br", "pt_BR"}, "pt_br"), "pt_br");
  EXPECT_EQ(TagFor({"pt_br", "pt_BR"}, "pt-BR"), "pt_BR");
  EXPECT_THAT(TagFor({"pt_br", "pt_BR"}, "PT-BR"), HasSubstr("ambiguous"));
}

TEST(LanguageMap, KnowsMacrolanguages) {
  EXPECT_EQ(TagFor({"nob", "nno"}, "no"), "nob");
  EXPECT_EQ(TagFor({"nor"}, "nb"), "nor");
  EXPECT_EQ(TagFor({"fas", "pes"}, "fa"), "fas");
  EXPECT_EQ(TagFor({"zsm"}, "ms"), "zsm");
  EXPECT_EQ(TagFor({"tgl"}, "fil"), "tgl");
  EXPECT_EQ(TagFor({"heb"}, "iw"), "heb");
}

TEST(LanguageMap, AGroupOfSourcesStandsForAny) {
  for (const char* group : {"mul", "ROMANCE", "NORTH_EU", "gmq", "cat+roa", ""}) {
    const LanguageMap map(group, "en", {});
    EXPECT_EQ(map.Resolve("spa", "en")->source, "es") << group;
    EXPECT_EQ(map.Resolve("", "en")->source, "") << group;
    EXPECT_FALSE(map.Resolve("not a code", "en").ok()) << group;
    ASSERT_EQ(map.Pairs().size(), 1U);
    EXPECT_EQ(map.Pairs()[0].source, "");
  }
}

TEST(LanguageMap, TakesListsOfSources) {
  const LanguageMap map("cat+oci+spa", "en", {});
  EXPECT_EQ(map.Resolve("ca", "en")->source, "ca");
  EXPECT_EQ(map.Resolve("", "en")->source, "");
  EXPECT_FALSE(map.Resolve("fr", "en").ok());
  EXPECT_EQ(map.Pairs().size(), 3U);
}

TEST(LanguageMap, WithoutATargetOnlyTheEmptyOneIsTaken) {
  const LanguageMap map("de", "", {});
  EXPECT_TRUE(map.Resolve("de", "").ok());
  EXPECT_THAT(std::string(map.Resolve("de", "en").status().message()),
              HasSubstr("does not name its languages"));
}

TEST(LanguageMap, EveryPairLeadsBackToItsTag) {
  const std::vector<std::string> codes = {"fra",      "fr",       "fr_BE", "pt_br",    "pt_BR",
                                          "cmn_Hans", "cmn_Hant", "zho",   "srp_Latn", "nob",
                                          "nno",      "tlh_Latn", "es_419"};
  const LanguageMap map("eng", "mul", Tags(codes));
  ASSERT_EQ(map.Pairs().size(), codes.size());
  std::vector<std::string> shown;
  for (size_t i = 0; i < codes.size(); ++i) {
    const ModelLanguagePair& pair = map.Pairs()[i];
    shown.push_back(pair.target);
    const auto resolved = ExpectOk(map.Resolve(pair.source, pair.target));
    EXPECT_EQ(resolved->tag, static_cast<int>(100 + i)) << pair.target;
    EXPECT_EQ(resolved->target, pair.target);
    EXPECT_EQ(resolved->source, "en");
  }
  EXPECT_THAT(shown, ElementsAre("fra", "fr", "fr-BE", "pt_br", "pt-BR", "cmn-Hans", "cmn-Hant",
                                 "zh", "sr-Latn", "nb", "nn", "tlh-Latn", "es-419"));
}

TEST(LanguageMap, PromptsAreOfPairsAndNotOfEveryMixture) {
  const LanguageMap map(
      {{"en", "de", "to German: "}, {"en", "fr", "to French:"}, {"de", "fr", "x"}}, false);
  EXPECT_EQ(map.Resolve("eng", "de-DE")->prompt, "to German:");
  EXPECT_EQ(map.Resolve("de", "fra")->prompt, "x");
  EXPECT_EQ(map.Resolve("", "")->prompt, "");
  EXPECT_EQ(map.Resolve("", "")->target, "");
  EXPECT_THAT(map.Resolve("", "fr").status().ToString(),
              HasSubstr("source_language_code is missing"));
  EXPECT_THAT(map.Resolve("en", "").status().ToString(),
              HasSubstr("target_language_code is missing"));
  EXPECT_THAT(
      map.Resolve("de", "de").status().ToString(),
      HasSubstr("source_language_code is 'de', but the model translates into 'de' from: en"));
  EXPECT_THAT(map.Resolve("ro", "de").status().ToString(),
              HasSubstr("'ro' is not one of the model's: en, de"));
  ASSERT_EQ(map.Pairs().size(), 3);
  for (const ModelLanguagePair& pair : map.Pairs()) {
    EXPECT_TRUE(map.Resolve(pair.source, pair.target).ok()) << pair.source << " " << pair.target;
  }
}

TEST(LanguageMap, PromptsOfAnySourceHaveToBeChosen) {
  const LanguageMap map({{"", "zh", "<2zh>"}, {"", "zh_Hant", "<2zh_Hant>"}}, true);
  EXPECT_EQ(map.Resolve("", "zh-TW")->prompt, "<2zh_Hant>");
  EXPECT_EQ(map.Resolve("de", "zh")->prompt, "<2zh>");
  EXPECT_EQ(map.Resolve("de", "zh")->source, "de");
  EXPECT_THAT(map.Resolve("de", "").status().ToString(),
              HasSubstr("target_language_code is missing: the model has 2 target languages"));
  EXPECT_THAT(map.Resolve("", "").status().ToString(), HasSubstr("target_language_code"));
}

TEST(LanguageMap, OfAModelThatIsToldBothLanguagesMarksBoth) {
  const LanguageMap map(Tags({"deu_Latn", "eng_Latn", "zho_Hans", "zho_Hant"}),
                        LanguageTokenPlacement::kBoth);
  for (const char* source : {"de", "deu_Latn", "deu-latn", "de-DE"}) {
    const auto pair = ExpectOk(map.Resolve(source, "zh-TW"));
    EXPECT_EQ(pair->source, "de");
    EXPECT_EQ(pair->target, "zh-Hant");
    EXPECT_EQ(pair->tag, 100);
    EXPECT_EQ(pair->first, 103);
  }
  // Both languages are required.
  EXPECT_THAT(map.Resolve("", "en").status().ToString(),
              HasSubstr("source_language_code is missing: the model has 4 source languages"));
  EXPECT_THAT(map.Resolve("de", "").status().ToString(),
              HasSubstr("target_language_code is missing: the model has 4 target languages"));
  EXPECT_THAT(map.Resolve("fr", "en").status().ToString(),
              HasSubstr("'fr' is not one of the model's: de, en, zh-Hans, zh-Hant"));
  EXPECT_EQ(map.Pairs().size(), 4 * 3);  // no language is paired with itself
  for (const ModelLanguagePair& pair : map.Pairs()) {
    EXPECT_TRUE(map.Resolve(pair.source, pair.target).ok()) << pair.source << " " << pair.target;
  }
}

TEST(LanguageMap, OfAModelThatIsToldTheTargetAloneMarksTheSource) {
  const LanguageMap map(Tags({"de", "en"}), LanguageTokenPlacement::kTargetInSource);
  const auto pair = ExpectOk(map.Resolve("", "en"));
  EXPECT_EQ(pair->tag, 101);
  EXPECT_EQ(pair->first, std::nullopt);
}

TEST(LanguageTags, AreFoundAmongThePieces) {
  const auto vocabulary = Vocabulary::Parse(
      R"({"</s>": 0, ">>fra<<": 1, ">><<": 2, ">>a b<<": 3, ">>pt_BR<<": 4, "x>>de<<": 5})",
      "vocab.json", 6);
  const std::vector<LanguageTag> tags = LanguageTags(*vocabulary);
  ASSERT_EQ(tags.size(), 2U);
  EXPECT_EQ(tags[0].code, "fra");
  EXPECT_EQ(tags[1].id, 4);
}

}  // namespace
}  // namespace dragoman::engine
