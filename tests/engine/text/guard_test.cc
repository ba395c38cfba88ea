#include "engine/text/guard.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman::engine {
namespace {

Suspicion Judge(std::string_view source, std::string_view target, std::string_view from = "en",
                std::string_view to = "de") {
  return JudgeTranslation(source, from, target, to);
}

constexpr std::string_view kSource = "The government of the city wants to build new bridges soon.";

TEST(Guard, OrdinaryTranslations) {
  EXPECT_EQ(Judge(kSource, "Die Stadtregierung will bald neue Brücken bauen."), Suspicion::kNone);
  EXPECT_EQ(Judge("No.", "Das kommt überhaupt nicht in Frage."), Suspicion::kNone);
  EXPECT_EQ(Judge("", ""), Suspicion::kNone);
  EXPECT_EQ(Judge("Hi", ""), Suspicion::kNone);
}

TEST(Guard, Repeats) {
  EXPECT_EQ(Judge(kSource, "Die Stadt der Stadt der Stadt der Stadt der Stadt."),
            Suspicion::kRepeats);
  EXPECT_EQ(Judge(kSource, "Die Stadtregierung will bald, dassssssssssssssssssssssssss"),
            Suspicion::kRepeats);
  EXPECT_EQ(Judge(kSource, "市政府市政府市政府市政府市政府市政府市政府市政府", "en", "zh"),
            Suspicion::kRepeats);
  // Not suspicious: a repetition of two, digits, and a source that repeats as well.
  EXPECT_EQ(Judge(kSource, "Die Stadt will bauen, die Stadt will bauen, und zwar Brücken."),
            Suspicion::kNone);
  EXPECT_EQ(Judge("It costs 1,000,000,000,000,000,000,000 dollars to build it.",
                  "Der Bau kostet 1.000.000.000.000.000.000.000 Dollar."),
            Suspicion::kNone);
  EXPECT_EQ(Judge("Ha ha ha ha ha ha ha ha ha ha ha!", "Ha ha ha ha ha ha ha ha ha ha ha!"),
            Suspicion::kNone);
  EXPECT_EQ(Judge("Contents ..................... 5", "Inhalt ........................... 5"),
            Suspicion::kNone);
}

TEST(Guard, Lengths) {
  EXPECT_EQ(Judge(kSource, "Die."), Suspicion::kTooShort);
  EXPECT_EQ(Judge("Bridges soon.",
                  "Die Brücken kommen bald, sagt der Bürgermeister der Stadt, der gestern auf dem "
                  "Marktplatz sprach."),
            Suspicion::kTooLong);
  // A Han character carries more meaning than a letter.
  EXPECT_EQ(Judge(kSource, "市政府希望尽快修建新的桥梁。", "en", "zh"), Suspicion::kNone);
  EXPECT_EQ(Judge("市政府希望尽快修建新的桥梁。", kSource, "zh", "en"), Suspicion::kNone);
}

TEST(Guard, Copies) {
  EXPECT_EQ(Judge(kSource, "the government of the city wants to build new bridges, soon"),
            Suspicion::kCopied);
  // Not suspicious: names, and languages that are similar or unknown.
  EXPECT_EQ(Judge("Angela Merkel, Barack Obama, New York", "Angela Merkel, Barack Obama, New York"),
            Suspicion::kNone);
  EXPECT_EQ(Judge("han har en bil og en hest", "han har en bil og en hest", "da", "nb"),
            Suspicion::kNone);
  EXPECT_EQ(Judge(kSource, kSource, "", "de"), Suspicion::kNone);
  EXPECT_EQ(Judge(kSource, kSource, "en", "en-GB"), Suspicion::kNone);
}

TEST(Guard, Scripts) {
  EXPECT_EQ(Judge(kSource, "Skoro gorod postroit novye mosty.", "en", "ru"),
            Suspicion::kWrongScript);
  EXPECT_EQ(Judge(kSource, "Скоро город построит новые мосты.", "en", "ru"), Suspicion::kNone);
  EXPECT_EQ(Judge("Install Microsoft Office Professional", "Microsoft Office Professional 安装",
                  "en", "zh"),
            Suspicion::kNone);
  EXPECT_EQ(Judge(kSource, "Vlada grada uskoro želi graditi nove mostove.", "en", "sr"),
            Suspicion::kNone);
  EXPECT_EQ(Judge(kSource, "市政府はまもなく新しい橋を建設したい", "en", "ja"), Suspicion::kNone);
}

}  // namespace
}  // namespace dragoman::engine
