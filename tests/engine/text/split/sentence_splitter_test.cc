#include "engine/text/split/sentence_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <thread>

#include "engine/base/utf8.h"
#include "engine/text/script.h"
#include "tests/engine/text/text_test_data.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::unique_ptr<SentenceSplitter> Splitter(const std::string& language = "de") {
  auto splitter = ExpectOk(SentenceSplitter::Create(language));
  return *std::move(splitter);
}

// A multilingual model keeps a splitter for each language, so the number of languages must be
// bounded for any codes.
TEST(SentenceSplitter, HasRulesOfSomeHundredLanguagesWhateverIsAskedFor) {
  EXPECT_EQ(SentenceSplitter::LanguageOf("de"), "de");
  EXPECT_EQ(SentenceSplitter::LanguageOf("deu"), "de");
  EXPECT_EQ(SentenceSplitter::LanguageOf("pt-BR"), "pt");
  EXPECT_EQ(SentenceSplitter::LanguageOf("zh-Hant-TW"), "zh");
  EXPECT_EQ(SentenceSplitter::LanguageOf(""), "");
  EXPECT_EQ(SentenceSplitter::LanguageOf("x y"), "");
  std::set<std::string> languages;
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) {
      for (char c = 'a'; c <= 'z'; ++c) {
        const std::string code = {a, b, c};
        languages.insert(SentenceSplitter::LanguageOf(code));
        languages.insert(SentenceSplitter::LanguageOf(code + "-Latn-DE"));
      }
    }
  }
  EXPECT_GT(languages.size(), 100U);
  EXPECT_LT(languages.size(), 1000U);
}

std::vector<std::string> Pieces(const std::string& text, const std::string& language = "de",
                                Segmentation mode = Segmentation::kSentences) {
  std::vector<std::string> pieces;
  for (const TextRange& range : Splitter(language)->Split(text, mode)) {
    pieces.emplace_back(range.In(text));
  }
  return pieces;
}

// Checks properties of the pieces of any text.
void ExpectGoodPieces(const std::string& text, const std::vector<TextRange>& pieces) {
  int64_t end = 0;
  for (const TextRange& piece : pieces) {
    ASSERT_GE(piece.begin, end) << text;
    ASSERT_GT(piece.size(), 0) << text;
    ASSERT_LE(piece.end, static_cast<int64_t>(text.size())) << text;
    ASSERT_EQ(StripWhiteSpace(piece.In(text)), piece.In(text)) << text;
    ASSERT_FALSE(FirstInvalidUtf8(piece.In(text))) << text;
    end = piece.end;
  }
  std::vector<std::string> same;
  same.reserve(pieces.size());
  for (const TextRange& piece : pieces) same.emplace_back(piece.In(text));
  const JoinedText joined = JoinTranslations(text, pieces, same, false);
  ASSERT_EQ(joined.text, text);
  ASSERT_EQ(joined.ranges, pieces) << text;
}

TEST(SentenceSplitter, SplitsAtSentenceEnds) {
  EXPECT_THAT(Pieces("Es regnet. Bleib hier! Warum? Darum."),
              ElementsAre("Es regnet.", "Bleib hier!", "Warum?", "Darum."));
  EXPECT_THAT(Pieces("Er sagte: „Hallo.“ Dann ging er."),
              ElementsAre("Er sagte: „Hallo.“", "Dann ging er."));
  EXPECT_THAT(Pieces("Nein... Doch."), ElementsAre("Nein...", "Doch."));
  // ICU's suppressions would not split here, because the words end like the abbreviations "R." and
  // "Test.".
  EXPECT_THAT(Pieces("Gestern kam Meier. Er blieb hier. So ein Test. Gut."),
              ElementsAre("Gestern kam Meier.", "Er blieb hier.", "So ein Test.", "Gut."));
}

TEST(SentenceSplitter, GermanAbbreviationsDoNotEndASentence) {
  for (const char* text :
       {"Das ist z. B. Obst.", "Nimm z.B. Äpfel.", "Frau Dr. Kern und Prof. Ott kamen.",
        "Siehe Abb. 3 und Nr. 12 auf S. 14.", "Er zahlt ca. Hundert Mark, d. h. Geld.",
        "Hunde sind i. d. R. Haustiere.", "Die Fa. Huber baut usw. und so fort.",
        "Um 500 n. Chr. Geburt endete es.", "Johann S. Bach und C. P. E. Bach schrieben es.",
        "Das kostet 3 Mio. Euro.", "„Dr. Kern“ (vgl. Band 2) lebt.", "Offen Mo.–Fr. 9 Uhr."}) {
    EXPECT_THAT(Pieces(text), ElementsAre(text));
  }
}

TEST(SentenceSplitter, GermanOrdinalsDoNotEndASentence) {
  for (const char* text :
       {"Am 3. Mai fahren wir.", "Im 19. Jahrhundert war das so.", "Der 100. Geburtstag kommt.",
        "Am 3.5. Anfang Mai.", "Kaiser Wilhelm II. König von Preußen.", "1. Der erste Punkt",
        "12. Das Ende"}) {
    EXPECT_THAT(Pieces(text), ElementsAre(text));
  }
}

TEST(SentenceSplitter, NumbersAndInitialsEndASentenceBeforeASmallWord) {
  EXPECT_THAT(Pieces("Sie ist 12. Er ist älter."), ElementsAre("Sie ist 12.", "Er ist älter."));
  EXPECT_THAT(Pieces("Das war 1990. Danach kam Ruhe."),
              ElementsAre("Das war 1990.", "Danach kam Ruhe."));
  EXPECT_THAT(Pieces("Nimm Vitamin C. Das hilft."), ElementsAre("Nimm Vitamin C.", "Das hilft."));
  EXPECT_THAT(Pieces("Es kostet 3 Mio. Das ist viel."),
              ElementsAre("Es kostet 3 Mio.", "Das ist viel."));
}

TEST(SentenceSplitter, QuotedExclamationInsideASentence) {
  EXPECT_THAT(Pieces("„Komm!“ sagte er. „Gleich“, sagte sie."),
              ElementsAre("„Komm!“ sagte er.", "„Gleich“, sagte sie."));
}

TEST(SentenceSplitter, NoSplitWithoutASpaceInSpacedScripts) {
  for (const char* text :
       {"Siehe https://a.example/x?y=1!z", "Bei Yahoo!Mail", "Hallo!Wie geht es"}) {
    EXPECT_THAT(Pieces(text), ElementsAre(text));
  }
  EXPECT_THAT(Pieces("今日は晴れ。明日は雨！", "ja"), ElementsAre("今日は晴れ。", "明日は雨！"));
  EXPECT_THAT(Pieces("你好吗？我很好。", "zh"), ElementsAre("你好吗？", "我很好。"));
}

TEST(SentenceSplitter, EnglishAndOthers) {
  EXPECT_THAT(Pieces("Mr. Smith met Dr. No at 5 p.m. The end.", "en"),
              ElementsAre("Mr. Smith met Dr. No at 5 p.m.", "The end."));
  EXPECT_THAT(Pieces("So do I. Then go. J. R. R. Tolkien wrote. Go in. Fine.", "en"),
              ElementsAre("So do I.", "Then go.", "J. R. R. Tolkien wrote.", "Go in.", "Fine."));
  EXPECT_THAT(Pieces("M. Dupont et le Prof. Martin dorment. Bien.", "fr"),
              ElementsAre("M. Dupont et le Prof. Martin dorment.", "Bien."));
  EXPECT_THAT(Pieces("One. Two.", ""), ElementsAre("One.", "Two."));
  EXPECT_THAT(Pieces("One. Two.", "not a language"), ElementsAre("One.", "Two."));
  EXPECT_THAT(Pieces("Am 3. Mai. Gut.", "de-AT"), ElementsAre("Am 3. Mai.", "Gut."));
  EXPECT_THAT(Pieces("Am 3. Mai. Gut.", "deu"), ElementsAre("Am 3. Mai.", "Gut."));
}

TEST(SentenceSplitter, ALineBreakEndsASentence) {
  const std::string text = "\n  Ein Satz\nüber zwei Zeilen. Noch einer.\r\n\r\n\tEnde\u2029Neu \n";
  EXPECT_THAT(Pieces(text),
              ElementsAre("Ein Satz", "über zwei Zeilen.", "Noch einer.", "Ende", "Neu"));
  EXPECT_THAT(Pieces(text, "de", Segmentation::kLines),
              ElementsAre("Ein Satz", "über zwei Zeilen. Noch einer.", "Ende", "Neu"));
  EXPECT_THAT(Pieces(text, "de", Segmentation::kNone),
              ElementsAre("Ein Satz\nüber zwei Zeilen. Noch einer.\r\n\r\n\tEnde\u2029Neu"));
}

TEST(SentenceSplitter, NothingToTranslateIsNoPiece) {
  for (const char* text :
       {"", " ", "\r\n\t\u00A0\u3000\u2028", "\uFEFF", "🎉🎂", "* * *", "...", "—"}) {
    for (auto mode : {Segmentation::kNone, Segmentation::kSentences, Segmentation::kLines}) {
      EXPECT_THAT(Pieces(text, "de", mode), IsEmpty()) << text;
    }
  }
  EXPECT_THAT(Pieces("Alles Gute! 🎉🎂"), ElementsAre("Alles Gute!"));
}

TEST(SentenceSplitter, TextWithoutALetterIsNoPiece) {
  for (const char* text : {"1", "244890", "100%", "$5.00", "12.05.2024", "1/2/3", "½ + ¼",
                           "00:00:07,882 --> 00:00:10,510", "(+49) 30 12-34"}) {
    for (auto mode : {Segmentation::kNone, Segmentation::kSentences, Segmentation::kLines}) {
      EXPECT_THAT(Pieces(text, "de", mode), IsEmpty()) << text;
    }
  }
  EXPECT_THAT(Pieces("1\n00:00:07,882 --> 00:00:10,510\nGuten Tag!"), ElementsAre("Guten Tag!"));
  EXPECT_THAT(Pieces("Es kostet 5 Euro."), ElementsAre("Es kostet 5 Euro."));
}

TEST(SentenceSplitter, ATabEndsALine) {
  EXPECT_THAT(Pieces("Name\tAlter\t12\tStadt"), ElementsAre("Name", "Alter", "Stadt"));
  EXPECT_THAT(Pieces("Name\tAlter", "de", Segmentation::kLines), ElementsAre("Name", "Alter"));
  EXPECT_THAT(Pieces("Name\tAlter", "de", Segmentation::kNone), ElementsAre("Name\tAlter"));
}

TEST(SentenceSplitter, ABreakOfHtmlEndsALine) {
  for (const std::string line_break : {"<br>", "<br/>", "<br />", "<BR  />", "<Br >"}) {
    EXPECT_THAT(Pieces("Hallo Leute!" + line_break + "Ein Foto" + line_break + line_break + "Ende"),
                ElementsAre("Hallo Leute!", "Ein Foto", "Ende"))
        << line_break;
  }
  for (const char* text : {"Ein <b>Wort</b>", "Ein <brett> hier", "Wenn a < br > c", "Ende <br"}) {
    EXPECT_THAT(Pieces(text), ElementsAre(text));
  }
}

TEST(SentenceSplitter, RoundTripOfAllTestTexts) {
  const auto splitter = Splitter();
  std::vector<std::string> texts = GermanLines();
  texts.push_back(ReadSourceFile("tests/data/german.txt"));
  texts.push_back(ReadSourceFile("tests/data/paragraphs.txt"));
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i)
    texts.push_back(RandomText(random, 1 + static_cast<int>(random() % 60)));
  for (const std::string& text : texts) {
    for (auto mode : {Segmentation::kNone, Segmentation::kSentences, Segmentation::kLines}) {
      ASSERT_NO_FATAL_FAILURE(ExpectGoodPieces(text, splitter->Split(text, mode)));
    }
  }
  EXPECT_GT(splitter->Split(texts[texts.size() - 2001], Segmentation::kSentences).size(), 100U);
}

TEST(SentenceSplitter, ThirtyThousandCodePointsOfAnything) {
  const auto splitter = Splitter();
  for (const std::string unit : {"a", ".", ". ", "A. ", "z. B. ", "a\u0301", "\u0301", "漢。", "\n",
                                 "a\n", "👩\u200D", "!\u201C ", "Dr.", " ", "1. ", "…", "\u200B"}) {
    std::string text;
    for (int64_t n = 0; n < 30000; n += CountCodePoints(unit)) text += unit;
    ASSERT_NO_FATAL_FAILURE(
        ExpectGoodPieces(text, splitter->Split(text, Segmentation::kSentences)));
  }
}

TEST(SentenceSplitter, SeveralThreadsAtOnce) {
  const auto splitter = Splitter();
  const std::string text = ReadSourceFile("tests/data/paragraphs.txt");
  const auto want = splitter->Split(text, Segmentation::kSentences);
  std::vector<std::vector<TextRange>> got(4);
  {
    std::vector<std::jthread> threads;
    threads.reserve(got.size());
    for (auto& pieces : got) {
      threads.emplace_back([&] { pieces = splitter->Split(text, Segmentation::kSentences); });
    }
  }
  for (const auto& pieces : got) EXPECT_EQ(pieces, want);
}

TEST(JoinTranslations, KeepsTheGapsAndSaysWhereEachPieceWent) {
  const std::string text = "  Ja.\n\nNein. ";
  const auto pieces = Splitter()->Split(text, Segmentation::kSentences);
  const std::vector<std::string> translations = {"Yes indeed.", "No."};
  const JoinedText joined = JoinTranslations(text, pieces, translations, true);
  EXPECT_EQ(joined.text, "  Yes indeed.\n\nNo. ");
  EXPECT_EQ(joined.ranges[1].In(joined.text), "No.");
  EXPECT_EQ(JoinTranslations(" \n", {}, {}, true).text, " \n");
}

TEST(JoinTranslations, OneSpaceBetweenSentencesOfUnspacedScripts) {
  const std::string text = "你好。再见。";
  const auto pieces = Splitter("zh")->Split(text, Segmentation::kSentences);
  ASSERT_EQ(pieces.size(), 2U);
  const std::vector<std::string> english = {"Hello.", "Goodbye."};
  const JoinedText joined = JoinTranslations(text, pieces, english, true);
  EXPECT_EQ(joined.text, "Hello. Goodbye.");
  EXPECT_EQ(joined.ranges[1].In(joined.text), "Goodbye.");
  EXPECT_EQ(JoinTranslations(text, pieces, english, false).text, "Hello.Goodbye.");
  const std::vector<std::string> one_empty = {"Hello.", ""};
  EXPECT_EQ(JoinTranslations(text, pieces, one_empty, true).text, "Hello.");
  // Two parts of the same word get no space between them.
  const std::vector<TextRange> halves = {{0, 3}, {3, 6}};
  EXPECT_EQ(JoinTranslations("abcdef", halves, english, true).text, "Hello.Goodbye.");
}

TEST(LanguageUsesSpaces, ByPrimarySubtag) {
  for (const char* language : {"zh", "zh-Hant-TW", "cmn_Hans", "JA", "th", "km", "my"}) {
    EXPECT_FALSE(LanguageUsesSpaces(language)) << language;
  }
  for (const char* language : {"en", "de-AT", "ko", "vi", ""}) {
    EXPECT_TRUE(LanguageUsesSpaces(language)) << language;
  }
}

TEST(MostPieces, CountsSentencesOfPlainText) {
  EXPECT_EQ(MostPieces("", TextFormat::kPlain), 0);
  EXPECT_EQ(MostPieces(" ... !", TextFormat::kPlain), 0);
  EXPECT_EQ(MostPieces("Ein Satz ohne Ende", TextFormat::kPlain), 1);
  EXPECT_EQ(MostPieces("Wenn ich Zeit hätte, würde ich lernen.", TextFormat::kPlain), 1);
  EXPECT_EQ(MostPieces("Es regnet. Bleib hier! Warum? Darum.", TextFormat::kPlain), 4);
  EXPECT_EQ(MostPieces("eins\nzwei\r\n\r\ndrei", TextFormat::kPlain), 3);
  EXPECT_EQ(MostPieces("雨です。傘は？はい！", TextFormat::kPlain), 3);
  EXPECT_EQ(MostPieces("Τι; Ναι.", TextFormat::kPlain), 2);
  EXPECT_EQ(MostPieces("Siehe z.B", TextFormat::kPlain), 2);  // an upper bound
  EXPECT_EQ(MostPieces("3.14\t1,5", TextFormat::kPlain), 0);
  EXPECT_EQ(MostPieces("eins\tzwei<br />drei", TextFormat::kPlain), 3);
  EXPECT_EQ(MostPieces("ein <brett> hier", TextFormat::kPlain), 1);
}

TEST(MostPieces, TagsOfHtmlMayEndASentence) {
  EXPECT_EQ(MostPieces("<p>eins</p><p>zwei</p>", TextFormat::kHtml), 2);
  EXPECT_EQ(MostPieces("<p class=\"a.b.c\">eins</p>", TextFormat::kHtml), 1);
  EXPECT_EQ(MostPieces("<p>eins</p><p>zwei</p>", TextFormat::kPlain), 1);
  EXPECT_EQ(MostPieces("a < b", TextFormat::kHtml), 2);
  EXPECT_EQ(MostPieces(std::string(100'000, '<'), TextFormat::kHtml), 0);  // takes linear time
}

// Queue capacity is reserved for this number of pieces. If the splitter made more, a call could
// exceed the queue's capacity.
TEST(MostPieces, AreNeverFewerThanTheSplitterMakes) {
  const std::u32string alphabet =
      U"aZ9äß. . . !? ;:,-\"'()\n\r\t\u000b\u0085\u2028\u2029…。！？｡．\u2024‽؟।։\u037eあ中 "
      U"\u3000é🎉";
  std::mt19937 random(5);
  for (const char* language : {"de", "en", "el", "zh", "ja", "ar", "hi", "hy", "th", ""}) {
    const auto splitter = ExpectOk(SentenceSplitter::Create(language));
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      const size_t length = 1 + random() % 60;
      for (size_t i = 0; i < length; ++i) {
        AppendUtf8(alphabet[random() % alphabet.size()], text);
        if (random() % 20 == 0) text += "<br>";
      }
      for (const Segmentation mode :
           {Segmentation::kSentences, Segmentation::kLines, Segmentation::kNone}) {
        const auto pieces = static_cast<int64_t>((*splitter)->Split(text, mode).size());
        ASSERT_GE(MostPieces(text, TextFormat::kPlain), pieces) << language << ": " << text;
      }
    }
  }
}

}  // namespace
}  // namespace dragoman::engine
