#include "server/call/detect/candidates.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman::server {
namespace {

// Returns the candidate for the language with the code `code`, or "none".
std::string Found(const Candidates& candidates, std::string_view code, std::string_view script) {
  const std::string* const found = candidates.Find(LanguageKey(code), script);
  return found == nullptr ? "none" : *found;
}

TEST(Candidates, OneLanguageIsTheSameHoweverItIsWritten) {
  for (const char* code : {"de", "deu", "ger", "deu_Latn", "de_DE", "DE-at"}) {
    const Candidates candidates({"fr", code});
    EXPECT_EQ(Found(candidates, "de", "Latn"), code);
  }
  const Candidates macros({"cmn", "nb", "pes_Arab", "zsm_Latn", "arb_Arab", "ekk", "iw"});
  EXPECT_EQ(Found(macros, "zh", "Hans"), "cmn");
  EXPECT_EQ(Found(macros, "no", "Latn"), "nb");
  EXPECT_EQ(Found(macros, "fa", "Arab"), "pes_Arab");
  EXPECT_EQ(Found(macros, "ms", "Latn"), "zsm_Latn");
  EXPECT_EQ(Found(macros, "ar", "Arab"), "arb_Arab");
  EXPECT_EQ(Found(macros, "et", "Latn"), "ekk");
  EXPECT_EQ(Found(macros, "he", "Hebr"), "iw");
  EXPECT_EQ(Found(macros, "nn", "Latn"), "none");
}

TEST(Candidates, TheFirstOfSeveralThatAreOneLanguageIsTaken) {
  const Candidates candidates({"pt-BR", "pt", "por_Latn"});
  EXPECT_EQ(Found(candidates, "pt", "Latn"), "pt-BR");
}

TEST(Candidates, AScriptThatIsNamedHasToFit) {
  const Candidates serbian({"sr-Latn", "sr-Cyrl"});
  EXPECT_EQ(Found(serbian, "sr", "Cyrl"), "sr-Cyrl");
  EXPECT_EQ(Found(serbian, "sr", "Latn"), "sr-Latn");
  EXPECT_EQ(Found(Candidates({"hi_Latn"}), "hi", "Deva"), "none");
}

TEST(Candidates, ChineseIsToldApartByItsCharactersOrRegion) {
  const Candidates both({"zh-Hans", "zh-Hant"});
  EXPECT_EQ(Found(both, "zh", "Hans"), "zh-Hans");
  EXPECT_EQ(Found(both, "zh", "Hant"), "zh-Hant");
  EXPECT_EQ(Found(both, "zh", "Hani"), "zh-Hans");
  const Candidates regions({"zh_CN", "zh_TW"});
  EXPECT_EQ(Found(regions, "zh", "Hant"), "zh_TW");
  EXPECT_EQ(Found(Candidates({"zt"}), "zh", "Hant"), "zt");
  // If only one of the two scripts is served, that candidate matches all Chinese.
  EXPECT_EQ(Found(Candidates({"zh-Hant"}), "zh", "Hans"), "zh-Hant");
}

TEST(Candidates, WhatIsNoCodeIsNeverFound) {
  const Candidates candidates({"", "a b", "?"});
  EXPECT_FALSE(candidates.Has(""));
  EXPECT_EQ(LanguageKey("?"), "");
}

}  // namespace
}  // namespace dragoman::server
