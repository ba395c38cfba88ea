#include "server/call/detect/detection_line.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/base/utf8.h"

namespace dragoman::server {
namespace {

TEST(DetectionLine, IsOneLineWithoutAClassifiersOwnWords) {
  EXPECT_EQ(MakeDetectionLine("  Ein\nText\r\n\tmit </s> und __label__en ").text,
            "Ein Text mit /s und label en ");
  const std::string with_nul("Ein\0Text", 8);
  EXPECT_EQ(MakeDetectionLine(with_nul).text, "Ein Text");
}

TEST(DetectionLine, KnowsWhetherThereAreLetters) {
  EXPECT_FALSE(MakeDetectionLine("").has_letters);
  EXPECT_FALSE(MakeDetectionLine("12, 13 🎉 * * *").has_letters);
  EXPECT_TRUE(MakeDetectionLine("12 a").has_letters);
}

TEST(DetectionLine, TextInCapitalsIsPutInLowerCase) {
  EXPECT_EQ(MakeDetectionLine("GUTEN MORGEN, ÖSTERREICH").text, "guten morgen, österreich");
  EXPECT_EQ(MakeDetectionLine("Guten MORGEN").text, "Guten MORGEN");
  EXPECT_TRUE(MakeDetectionLine("Guten MORGEN").has_capitals);
  EXPECT_FALSE(MakeDetectionLine("guten morgen").has_capitals);
  EXPECT_EQ(LowerCase("ÄÖ Straße"), "äö straße");
}

TEST(DetectionLine, LeavesOutBytesThatAreNotUtf8) {
  EXPECT_EQ(MakeDetectionLine("Gr\xC3\xBC\xC3"
                              "n\xFF\xFE.")
                .text,
            "Grün.");
}

TEST(DetectionLine, ReadsABoundedBeginning) {
  const std::string umlauts = [] {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) text += "ä";
    return text;
  }();
  const DetectionLine line = MakeDetectionLine(umlauts);
  EXPECT_EQ(engine::CountCodePoints(line.text), static_cast<int64_t>(kKeptCodePoints));
  // Bytes after the first kReadBytes do not count, even if those contain only spaces.
  EXPECT_FALSE(MakeDetectionLine(std::string(kReadBytes, ' ') + "Wort").has_letters);
  // A code point that the limit splits is left out.
  EXPECT_TRUE(MakeDetectionLine(std::string(kReadBytes - 1, ' ') + "ä").text.empty());
}

TEST(DetectionLine, NamesTheScriptOfMostLetters) {
  EXPECT_EQ(MakeDetectionLine("Guten Tag").script, "Latn");
  EXPECT_EQ(MakeDetectionLine("Привет, Tom").script, "Cyrl");
  EXPECT_EQ(MakeDetectionLine("123").script, "");
  EXPECT_EQ(MakeDetectionLine("这是一个简单的问题").script, "Hans");
  EXPECT_EQ(MakeDetectionLine("這是一個簡單的問題").script, "Hant");
  EXPECT_EQ(MakeDetectionLine("一二三").script, "Hani");
}

TEST(DetectionLine, ScriptsOfCodesTakeTheScriptsThatTheyAreMadeOf) {
  EXPECT_TRUE(ScriptFits("Latn", "Latn"));
  EXPECT_FALSE(ScriptFits("Latn", "Cyrl"));
  EXPECT_TRUE(ScriptFits("Hira", "Jpan"));
  EXPECT_TRUE(ScriptFits("Hant", "Jpan"));
  EXPECT_TRUE(ScriptFits("Hang", "Kore"));
  EXPECT_TRUE(ScriptFits("Hani", "Hans"));
  EXPECT_FALSE(ScriptFits("Hant", "Hans"));
}

TEST(TextToDetect, IsWhatOfHtmlWouldBeTranslated) {
  EXPECT_EQ(TextToDetect("<p>Guten <b>Tag</b></p><script>var x</script><p>Herr M&uuml;ller</p>",
                         engine::TextFormat::kHtml),
            "Guten Tag Herr Müller");
  EXPECT_EQ(TextToDetect("<b>a</b>", engine::TextFormat::kPlain), "<b>a</b>");
}

TEST(TextToDetect, OfBrokenHtmlIsTheText) {
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "<i>";
  deep += "Wort";
  EXPECT_EQ(TextToDetect(deep, engine::TextFormat::kHtml), deep);
  EXPECT_EQ(TextToDetect("a\xFF", engine::TextFormat::kHtml), "a\xFF");
}

}  // namespace
}  // namespace dragoman::server
