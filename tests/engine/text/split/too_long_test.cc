#include "engine/text/split/too_long.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/brkiter.h>

#include "engine/base/utf8.h"
#include "engine/text/split/sentence_splitter.h"
#include "tests/engine/text/text_test_data.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Makes a token of each word and punctuation mark. A word longer than `word` letters is cut into
// tokens of `word` letters. Then adds `behind` tokens, such as EOS and a tag. Counts its calls.
class FakeTokenizer {
 public:
  explicit FakeTokenizer(size_t word = 8, bool tag = false, int behind = 1)
      : word_(word), tag_(tag), behind_(behind) {}

  EncodedText Encode(std::string_view text) {
    ++calls;
    EncodedText encoded;
    if (tag_) Add(encoded, 0, 0);
    encoded.text_begin = encoded.ids.size();
    size_t begin = 0;
    size_t letters = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t here = at;
      const char32_t c = NextCodePoint(text, at);
      const bool space = IsWhiteSpace(c);
      const bool mark = c == '.' || c == ',' || c == ';' || c == '!' || c == '?';
      if ((space || mark || letters == word_) && letters > 0) {
        Add(encoded, begin, here);
        letters = 0;
      }
      if (space) continue;
      if (letters == 0) begin = here;
      ++letters;
      if (mark) {
        Add(encoded, begin, at);
        letters = 0;
      }
    }
    if (letters > 0) Add(encoded, begin, text.size());
    encoded.text_end = encoded.ids.size();
    for (int i = 0; i < behind_; ++i) Add(encoded, text.size(), text.size());
    return encoded;
  }

  int calls = 0;

 private:
  static void Add(EncodedText& encoded, size_t begin, size_t end) {
    encoded.ids.push_back(5);
    encoded.ranges.push_back({static_cast<int64_t>(begin), static_cast<int64_t>(end)});
  }

  size_t word_;
  bool tag_;
  int behind_;
};

// Splits the text, checks the properties of any result, and returns the parts.
std::vector<std::string> Split(std::string_view text, int max_tokens, FakeTokenizer& tokenizer) {
  const TextRange whole = {0, static_cast<int64_t>(text.size())};
  EncodedText encoded = tokenizer.Encode(text);
  tokenizer.calls = 0;
  auto parts = SplitTooLong(text, whole, std::move(encoded), max_tokens,
                            [&](std::string_view part) { return tokenizer.Encode(part); });
  EXPECT_TRUE(parts.ok()) << parts.status();
  std::vector<std::string> result;
  if (!parts.ok()) return result;
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> graphemes(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  UText utext = UTEXT_INITIALIZER;
  utext_openUTF8(&utext, text.data(), static_cast<int64_t>(text.size()), &status);
  graphemes->setText(&utext, status);
  EXPECT_TRUE(U_SUCCESS(status));
  int64_t end = 0;
  for (const EncodedPiece& part : *parts) {
    // Only white space is between the parts, and no part cuts a grapheme.
    EXPECT_EQ(StripWhiteSpace(TextRange{end, part.range.begin}.In(text)), "");
    EXPECT_TRUE(graphemes->isBoundary(static_cast<int32_t>(part.range.begin)));
    EXPECT_TRUE(graphemes->isBoundary(static_cast<int32_t>(part.range.end)));
    EXPECT_GT(part.range.size(), 0);
    EXPECT_LE(part.encoded.ids.size(), static_cast<size_t>(max_tokens));
    EXPECT_EQ(part.encoded.ids.size(), tokenizer.Encode(part.range.In(text)).ids.size());
    --tokenizer.calls;
    end = part.range.end;
    result.emplace_back(part.range.In(text));
  }
  EXPECT_EQ(end, whole.end);
  graphemes.reset();
  utext_close(&utext);
  return result;
}

std::vector<std::string> Split(std::string_view text, int max_tokens) {
  FakeTokenizer tokenizer;
  return Split(text, max_tokens, tokenizer);
}

TEST(SplitTooLong, LeavesAloneWhatFits) {
  FakeTokenizer tokenizer;
  EXPECT_THAT(Split("eins zwei drei", 4, tokenizer), ElementsAre("eins zwei drei"));
  EXPECT_EQ(tokenizer.calls, 0);
}

TEST(SplitTooLong, PrefersTheBetterBoundaryNearTheMiddle) {
  EXPECT_THAT(Split("a b, c d e f; g h i j", 9), ElementsAre("a b, c d e f;", "g h i j"));
  EXPECT_THAT(Split("a b c, d e f g h", 7), ElementsAre("a b c,", "d e f g h"));
  EXPECT_THAT(Split("a b c d e f g h", 6), ElementsAre("a b c d", "e f g h"));
  EXPECT_THAT(Split("a b c d! E f; g h i", 8), ElementsAre("a b c d!", "E f; g h i"));
  EXPECT_THAT(Split("a b c\nd e f, g h", 7), ElementsAre("a b c", "d e f, g h"));
  EXPECT_THAT(Split("a b c – d e f g h", 7), ElementsAre("a b c –", "d e f g h"));
  // A cut at the comma, far from the middle, would make the parts too uneven.
  EXPECT_THAT(Split("a, b c d e f g h i j", 9), ElementsAre("a, b c d e", "f g h i j"));
}

TEST(SplitTooLong, NoEndLeavesRoomForOneTokenMore) {
  FakeTokenizer tokenizer(8, false, 0);
  EXPECT_THAT(Split("a b c d e f g h", 4, tokenizer), ElementsAre("a b c d", "e f g h"));
  EXPECT_THAT(Split("a b c d", 4, tokenizer), ElementsAre("a b c d"));
  EXPECT_THAT(Split("a b", 1, tokenizer), ElementsAre("a", "b"));
}

TEST(SplitTooLong, ALanguageTagIsNoText) {
  FakeTokenizer tokenizer(8, true);
  EXPECT_THAT(Split("a b c d e f g h", 6, tokenizer), ElementsAre("a b c d", "e f g h"));
  FakeTokenizer behind_the_end(8, false, 2);
  EXPECT_THAT(Split("a b c d e f g h", 6, behind_the_end), ElementsAre("a b c d", "e f g h"));
}

TEST(SplitTooLong, WordsWithoutSpacesAreCutBetweenGraphemes) {
  FakeTokenizer tokenizer(4);
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a\u0301";
  EXPECT_LE(Split(text, 11, tokenizer).size(), 6U);
  std::string families;
  for (int i = 0; i < 60; ++i) families += "👩\u200D👩\u200D👧";
  EXPECT_GT(Split(families, 11, tokenizer).size(), 4U);
  // A line break is allowed after the hyphen.
  FakeTokenizer letters(1);
  EXPECT_THAT(Split("abcde-fghij", 8, letters), ElementsAre("abcde-", "fghij"));
}

TEST(SplitTooLong, AGraphemeThatDoesNotFitIsAnError) {
  FakeTokenizer tokenizer(1);
  std::string text = "ab";
  for (int i = 0; i < 50; ++i) text += "\u0301";
  const auto parts =
      SplitTooLong(text, {0, static_cast<int64_t>(text.size())}, tokenizer.Encode(text), 10,
                   [&](std::string_view part) { return tokenizer.Encode(part); });
  ASSERT_EQ(parts.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(parts.status().message()), HasSubstr("at most 10"));
  const auto none = SplitTooLong("a b", {0, 3}, tokenizer.Encode("a b"), 1,
                                 [&](std::string_view part) { return tokenizer.Encode(part); });
  ASSERT_EQ(none.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("no room"));
}

TEST(SplitTooLong, RangesCountInTheWholeText) {
  FakeTokenizer tokenizer;
  const std::string text = "vorher. a b c d. nachher";
  const TextRange piece = {8, 16};
  const auto parts = SplitTooLong(text, piece, tokenizer.Encode(piece.In(text)), 4,
                                  [&](std::string_view part) { return tokenizer.Encode(part); });
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_EQ((*parts)[0].range.In(text), "a b c");
  EXPECT_EQ((*parts)[1].range.In(text), "d.");
}

TEST(SplitTooLong, FewCallsForThirtyThousandCodePoints) {
  for (const std::string unit :
       {"a", ".", "ab ", "\u00AD", "a\u0301", "漢", "👩\u200D", "so lang, "}) {
    std::string text;
    for (int64_t n = 0; n < 30000; n += CountCodePoints(unit)) text += unit;
    text = StripWhiteSpace(text);
    // Joiners make the text one grapheme, which must fit into a part. So this tokenizer makes few
    // tokens.
    FakeTokenizer tokenizer(unit == "👩\u200D" || unit == "\u00AD" ? 40000 : 3);
    const auto tokens = static_cast<int>(tokenizer.Encode(text).ids.size());
    const auto parts = Split(text, 512, tokenizer);
    const int least = (tokens + 510) / 511;
    EXPECT_LE(static_cast<int>(parts.size()), least + least / 4 + 1) << unit;
    EXPECT_LE(tokenizer.calls, 3 * least + 3) << unit;
  }
}

TEST(SplitTooLong, RandomTextsAtSmallLimits) {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    const std::string text(
        StripWhiteSpace(RandomText(random, 5 + static_cast<int>(random() % 80))));
    if (text.empty()) continue;
    FakeTokenizer tokenizer(1 + random() % 6);
    Split(text, 12 + static_cast<int>(random() % 10), tokenizer);
    ASSERT_FALSE(HasFailure()) << text;
  }
}

TEST(TooLongError, SaysHowManyAndHowManyAreAllowed) {
  const absl::Status status = TooLongError(700, 512);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("700"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("512"));
}

}  // namespace
}  // namespace dragoman::engine
