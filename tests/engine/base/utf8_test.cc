#include "engine/base/utf8.h"

#include <gtest/gtest.h>

namespace dragoman::engine {
namespace {

TEST(Utf8, AcceptsAllScalarValues) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += static_cast<char>(0xC0 | (c >> 6));
    } else if (c < 0x10000) {
      text += static_cast<char>(0xE0 | (c >> 12));
      text += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    } else {
      text += static_cast<char>(0xF0 | (c >> 18));
      text += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
      text += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    }
    if (c >= 0x80) text += static_cast<char>(0x80 | (c & 0x3F));
    size_t at = 0;
    ASSERT_FALSE(FirstInvalidUtf8(text)) << static_cast<uint32_t>(c);
    ASSERT_EQ(NextCodePoint(text, at), c);
    ASSERT_EQ(at, text.size());
    ASSERT_EQ(CountCodePoints(text), 1);
    ASSERT_EQ(IncompleteUtf8Tail(text), 0);
    for (size_t size = 1; size < text.size(); ++size) {
      ASSERT_EQ(IncompleteUtf8Tail(text.substr(0, size)), static_cast<int>(size));
      ASSERT_EQ(FirstInvalidUtf8(text.substr(0, size)), 0);
    }
  }
}

TEST(Utf8, SaysWhereTheFirstBadByteIs) {
  const std::pair<std::string, int64_t> kCases[] = {{"\x80", 0},
                                                    {"ab\xFFz", 2},
                                                    {"ä\xC0\x80", 2},
                                                    {"\xC1\xBF", 0},
                                                    {"a\xE0\x80\x80", 1},
                                                    {"a\xED\xA0\x80", 1},  // a surrogate code point
                                                    {"\xF0\x80\x80\x80", 0},
                                                    {"\xF4\x90\x80\x80", 0},
                                                    {"\xF5\x80\x80\x80", 0},
                                                    {"ab\xE2\x82", 2},
                                                    {"ab\xE2\x82z", 2},
                                                    {"€\xE2", 3}};
  for (const auto& [text, at] : kCases) EXPECT_EQ(FirstInvalidUtf8(text), at) << at;
  EXPECT_FALSE(FirstInvalidUtf8(""));
  EXPECT_FALSE(FirstInvalidUtf8(std::string("a\0b", 3)));
}

TEST(Utf8, AWrongSequenceIsReadByteByByte) {
  const std::string text = "\xE2\x82z";
  size_t at = 0;
  EXPECT_EQ(NextCodePoint(text, at), 0xFFFDU);
  EXPECT_EQ(at, 1U);
}

TEST(Utf8, TailsThatCannotBecomeValidAreNotIncomplete) {
  EXPECT_EQ(IncompleteUtf8Tail("\xE0\x80"), 0);
  EXPECT_EQ(IncompleteUtf8Tail("\xC0"), 0);
  EXPECT_EQ(IncompleteUtf8Tail("\x80\x80"), 0);
  EXPECT_EQ(IncompleteUtf8Tail("abc\xE2\xE2\x82"), 2);
}

TEST(StripWhiteSpace, StripsAsPython) {
  EXPECT_EQ(StripWhiteSpace("\t\r\n\x1C\u0085\u00A0\u2003\u2028\u3000a b\u3000 "), "a b");
  EXPECT_EQ(StripWhiteSpace(" \u3000 "), "");
  EXPECT_EQ(StripWhiteSpace(""), "");
  EXPECT_EQ(StripWhiteSpace("\u200Ba"), "\u200Ba");
}

}  // namespace
}  // namespace dragoman::engine
