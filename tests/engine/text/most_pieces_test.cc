#include "engine/text/most_pieces.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "engine/base/utf8.h"
#include "engine/text/sentence_splitter.h"

namespace dragoman {
namespace {

TEST(MostPieces, CountsSentencesOfPlainText) {
  EXPECT_EQ(MostPieces("", false), 0);
  EXPECT_EQ(MostPieces(" ... !", false), 0);
  EXPECT_EQ(MostPieces("Ein Satz ohne Ende", false), 1);
  EXPECT_EQ(MostPieces("Wenn ich Zeit hätte, würde ich lernen.", false), 1);
  EXPECT_EQ(MostPieces("Es regnet. Bleib hier! Warum? Darum.", false), 4);
  EXPECT_EQ(MostPieces("eins\nzwei\r\n\r\ndrei", false), 3);
  EXPECT_EQ(MostPieces("雨です。傘は？はい！", false), 3);
  EXPECT_EQ(MostPieces("Τι; Ναι.", false), 2);
  EXPECT_EQ(MostPieces("Kapitel 3.14", false), 2);  // more than there are
}

TEST(MostPieces, TagsOfHtmlMayEndASentence) {
  EXPECT_EQ(MostPieces("<p>eins</p><p>zwei</p>", true), 2);
  EXPECT_EQ(MostPieces("<p class=\"a.b.c\">eins</p>", true), 1);
  EXPECT_EQ(MostPieces("<p>eins</p><p>zwei</p>", false), 1);
  EXPECT_EQ(MostPieces("1 < 2", true), 2);
  EXPECT_EQ(MostPieces(std::string(100'000, '<'), true), 0);  // in no time
}

// Room is reserved for as many: fewer than there are would be a way around the queue's capacity.
TEST(MostPieces, AreNeverFewerThanTheSplitterMakes) {
  const std::u32string alphabet =
      U"aZ9äß. . . !? ;:,-\"'()\n\r\u000b\u0085\u2028\u2029…。！？｡．\u2024‽؟।։\u037eあ中 \u3000é🎉";
  std::mt19937 random(5);
  for (const char* language : {"de", "en", "el", "zh", "ja", "ar", "hi", "hy", "th", ""}) {
    const auto splitter = SentenceSplitter::Create(language);
    ASSERT_TRUE(splitter.ok()) << splitter.status();
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      const size_t length = 1 + random() % 60;
      for (size_t i = 0; i < length; ++i) AppendUtf8(alphabet[random() % alphabet.size()], text);
      for (const Segmentation mode :
           {Segmentation::kSentences, Segmentation::kLines, Segmentation::kNone}) {
        const auto pieces = static_cast<int64_t>((*splitter)->Split(text, mode).size());
        ASSERT_GE(MostPieces(text, false), pieces) << language << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace dragoman
