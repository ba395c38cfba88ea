#include "client/commands/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman::client {
namespace {

TEST(Utf8, AcceptsWhatIsValid) {
  for (const std::string text :
       {"", "abc", "Übermut", "€", "😀", "\xF4\x8F\xBF\xBF", "\xEF\xBF\xBF", "\xED\x9F\xBF"}) {
    EXPECT_FALSE(FirstInvalidUtf8(text).has_value()) << text;
  }
  EXPECT_FALSE(FirstInvalidUtf8(std::string(3, '\0')).has_value());
}

TEST(Utf8, FindsTheFirstInvalidByte) {
  // A lone continuation byte, overlong forms, a surrogate, a code point beyond U+10FFFF, a
  // truncated form, an invalid lead byte.
  for (const std::string bad : {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xF0\x80\x80\xAF",
                                "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xFF", "\xE4z"}) {
    EXPECT_EQ(FirstInvalidUtf8("ä" + bad), 2u) << bad;
  }
}

TEST(Utf8, ShowsTheEndThatFits) {
  EXPECT_EQ(DisplayWidth("Wörter"), 6);
  EXPECT_EQ(DisplayWidth("日本"), 4);
  EXPECT_EQ(TailForDisplay("Wörter", 10), "Wörter");
  EXPECT_EQ(TailForDisplay("Wörter", 5), "örter");
  EXPECT_EQ(TailForDisplay("日本", 3), "本");
}

}  // namespace
}  // namespace dragoman::client
