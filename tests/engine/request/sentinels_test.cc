#include "engine/request/sentinels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/support/bundled_tokenizer.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TextRange Range(std::string_view text, std::string_view part) {
  const size_t at = text.find(part);
  EXPECT_NE(at, text.npos) << part;
  return {static_cast<int64_t>(at), static_cast<int64_t>(at + part.size())};
}

SentinelText Put(std::string_view text, const std::vector<std::string>& parts) {
  std::vector<KeptPart> kept;
  for (const std::string& part : parts) kept.push_back({Range(text, part)});
  return PutSentinels(text, kept, "Xk");
}

RestoredText Restore(const std::string& text, const SentinelText& source) {
  return RestoreSentinels({text, {}}, source.sentinels);
}

TEST(PutSentinels, ReplacesEachPartByANumberedWord) {
  EXPECT_EQ(Put("Alex works at Foo Inc. in Berlin.", {"Alex", "Foo Inc."}).text,
            "Xk1 works at Xk2 in Berlin.");
  EXPECT_EQ(Put("(Alex)", {"Alex"}).text, "(Xk1)");
}

TEST(PutSentinels, NoWordIsInTheTextAlready) {
  EXPECT_EQ(Put("Xk1 and Xk23 meet Alex and Foo", {"Alex", "Foo"}).text,
            "Xk1 and Xk23 meet Xk3 and Xk4");
}

TEST(PutSentinels, SpacesSeparateAWordFromLetters) {
  EXPECT_EQ(Put("Danke❤️!", {"❤️"}).text, "Danke Xk1!");
  EXPECT_EQ(Put("a❤️b", {"❤️"}).text, "a Xk1 b");
  EXPECT_EQ(Put("❤️🎉", {"❤️", "🎉"}).text, "Xk1 Xk2");
  EXPECT_EQ(Put("我❤️你", {"❤️"}).text, "我Xk1你");
}

TEST(RestoreSentinels, PutsTheTextsBack) {
  const SentinelText source = Put("Alex works at Foo Inc. in Berlin.", {"Alex", "Foo Inc."});
  const RestoredText restored = Restore("In Berlin arbeitet Xk1 bei Xk2.", source);
  EXPECT_EQ(restored.decoded.text, "In Berlin arbeitet Alex bei Foo Inc.");
  EXPECT_EQ(restored.lost_phrases, 0U);
}

TEST(RestoreSentinels, TakesAwayTheSpacesThatPutAdded) {
  EXPECT_EQ(Restore("Thanks Xk1!", Put("Danke❤️!", {"❤️"})).decoded.text, "Thanks❤️!");
  EXPECT_EQ(Restore("a Xk1 b", Put("a❤️b", {"❤️"})).decoded.text, "a❤️b");
  EXPECT_EQ(Restore("Xk1 Xk2", Put("❤️🎉", {"❤️", "🎉"})).decoded.text, "❤️🎉");
  EXPECT_EQ(Restore("a Xk1 b", Put("a ❤️ b", {"❤️"})).decoded.text, "a ❤️ b");
}

TEST(RestoreSentinels, CountsWhatIsNotThereOnce) {
  const SentinelText source = Put("Alex and Foo", {"Alex", "Foo"});
  EXPECT_EQ(Restore("Xk1 und Xk2", source).lost_phrases, 0U);
  EXPECT_EQ(Restore("Xk1", source).lost_phrases, 1U);
  EXPECT_EQ(Restore("Xk1 Xk1 Xk2", source).lost_phrases, 1U);
  EXPECT_EQ(Restore("Xk1 Xk1 Xk2", source).decoded.text, "Alex Alex Foo");
  for (const char* text : {"Xk12 Xk2", "Xk1s Xk2", "aXk1 Xk2", "xk1 Xk2", "Xk 1 Xk2"}) {
    EXPECT_EQ(Restore(text, source).lost_phrases, 1U) << text;
  }
  // A sentinel counts if particles of other scripts follow it, or characters that never continue a
  // word.
  for (const char* text : {"Xk1는 Xk2", "Xk1はXk2", "Xk1'de Xk2", "Xk1-Xk2", "“Xk1” Xk2."}) {
    EXPECT_EQ(Restore(text, source).lost_phrases, 0U) << text;
  }
}

TEST(RestoreSentinels, TheFirstTokenHasTheText) {
  const SentinelText source = Put("Alex lebt", {"Alex"});
  //                                            "Xk1 lives": Xk, 1, lives
  const RestoredText restored =
      RestoreSentinels({"Xk1 lives", {{0, 2}, {2, 3}, {4, 9}}}, source.sentinels);
  EXPECT_EQ(restored.decoded.text, "Alex lives");
  EXPECT_THAT(restored.decoded.ranges,
              ElementsAre(TextRange{0, 4}, TextRange{4, 4}, TextRange{5, 10}));
  ASSERT_EQ(restored.tokens.size(), 1U);
  EXPECT_EQ(restored.tokens[0].begin, 0U);
  EXPECT_EQ(restored.tokens[0].end, 2U);
}

TEST(MoveToSource, TokensStandForTheSegmentsOwnText) {
  const std::string segment = "Der Hund von support@example.com schläft.";
  const SentinelText text = Put(segment, {"support@example.com"});
  const testing::BundledTokenizer tokenizer;
  EncodedText encoded = tokenizer->EncodeSource(text.text);
  const std::vector<SentinelTokens> tokens = MoveToSource(text, &encoded);
  ASSERT_EQ(tokens.size(), 1U);
  std::string visible;
  for (size_t i = 0; i < encoded.text_end; ++i) visible += encoded.ranges[i].In(segment);
  EXPECT_EQ(visible.find("support@example.com"), 13U) << visible;
  EXPECT_EQ(encoded.ranges[tokens[0].begin].end, Range(segment, ".com").end);
  for (size_t i = 1; i < encoded.ranges.size(); ++i) {
    EXPECT_LE(encoded.ranges[i - 1].end, encoded.ranges[i].begin) << i;
  }
}

std::vector<std::string> Parts(const std::string& text, const std::vector<std::string>& unknown) {
  std::vector<TextRange> ranges;
  int64_t from = 0;
  for (const std::string& one : unknown) {
    const size_t at = text.find(one, static_cast<size_t>(from));
    EXPECT_NE(at, std::string::npos) << one;
    ranges.push_back({static_cast<int64_t>(at), static_cast<int64_t>(at + one.size())});
    from = ranges.back().end;
  }
  std::vector<std::string> parts;
  for (const KeptPart& part : PartsToKeep(text, ranges)) {
    EXPECT_EQ(part.kind, KeptKind::kUnknown);
    parts.emplace_back(part.range.In(text));
  }
  return parts;
}

TEST(PartsToKeep, AnEmojiIsKeptWhole) {
  EXPECT_THAT(Parts("Ich liebe ❤️ dich.", {"❤"}), ElementsAre("❤️"));
  EXPECT_THAT(Parts("Danke👍🏽!", {"👍"}), ElementsAre("👍🏽"));
  EXPECT_THAT(Parts("Die 👨‍👩‍👧 da", {"👨", "👩"}), ElementsAre("👨‍👩‍👧"));
}

TEST(PartsToKeep, AnAsciiSymbolKeepsWhatIsAroundIt) {
  EXPECT_THAT(Parts("An support@example.com, bitte", {"@"}), ElementsAre("support@example.com"));
  EXPECT_THAT(Parts("Hallo {{user.name}}!", {"{{", "}}"}), ElementsAre("{{user.name}}"));
  EXPECT_THAT(Parts("(#TAG#).", {"#", "#"}), ElementsAre("#TAG#"));
  EXPECT_THAT(Parts("C# ist gut", {"#"}), ElementsAre("C#"));
}

TEST(PartsToKeep, ALetterKeepsItsWord) {
  EXPECT_THAT(Parts("Er lebt in Łódź heute.", {"Ł", "ź"}), ElementsAre("Łódź"));
  EXPECT_THAT(Parts("Das ist 漢 hier", {"漢"}), ElementsAre("漢"));
}

TEST(PartsToKeep, NeighboursAreOnePart) {
  EXPECT_THAT(Parts("a ❌ ✅ b", {"❌", "✅"}), ElementsAre("❌ ✅"));
  EXPECT_THAT(Parts("❌ a ✅", {"❌", "✅"}), ElementsAre("❌", "✅"));
}

TEST(PartsToKeep, PunctuationIsLeftToTheModel) {
  EXPECT_THAT(Parts("Er sagte: „Ja“ – nein…", {"„", "“", "–", "…"}), IsEmpty());
}

}  // namespace
}  // namespace dragoman::engine
