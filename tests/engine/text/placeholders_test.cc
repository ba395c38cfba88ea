#include "engine/text/placeholders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Found(std::string_view text) {
  std::vector<std::string> found;
  for (const TextRange& range : FindPlaceholders(text)) found.emplace_back(range.In(text));
  return found;
}

TEST(Placeholders, EveryKindIsFound) {
  for (const char* kept : {"https://example.com/docs?id=42",
                           "http://[::1]:8080/x",
                           "www.example.net/faq",
                           "HTTPS://A.de",
                           "https://en.wikipedia.org/wiki/Bank_(disambiguation)",
                           "example.org",
                           "news.bbc.co.uk/2/hi",
                           "mailto://me",
                           "jane.doe@mail.example.org",
                           "müller@beispiel.de",
                           "@jane_doe",
                           "@jane.doe",
                           "@jane@mastodon.social",
                           "#MondayMood",
                           "#ai2026",
                           "#2026goals",
                           "#grün",
                           "{0}",
                           "{name}",
                           "{{user.name}}",
                           "{{ user.name }}",
                           "${HOME}",
                           "%{count}",
                           "#{id}",
                           "{}",
                           "%s",
                           "%1$d",
                           "%5.2f",
                           "%-10s",
                           "%lld",
                           "%(name)s",
                           "%@",
                           "#TAG#",
                           "#ORDER_ID#",
                           "$USER$",
                           "$HOME",
                           "%PATH%",

                           "__VAR__",
                           "<x id=\"1\"/>",
                           "<x id=2/>",
                           "<b>",
                           "</g>",
                           "<br />",
                           "`ls -l`",
                           "get_user_name()",
                           "std.print()",
                           "--max-rows",
                           "user_name",
                           "MAX_ROWS",
                           "/etc/hosts",
                           "/etc",
                           "~/notes.txt",
                           "../a/b",
                           "./run.sh",
                           "C:\\Users\\jane",
                           "src/main.cc",
                           "config.yml",
                           "report-2.final.pdf",
                           "\U0001F680",
                           "\U0001F44D\U0001F3FD",
                           "\U0001F468\u200D\U0001F469\u200D\U0001F467",
                           "\U0001F1E7\U0001F1F7",
                           "\u2764\uFE0F",
                           "1\uFE0F\u20E3",
                           ":rocket:",
                           ":+1:",
                           ":100:"}) {
    EXPECT_THAT(Found(std::string("See ") + kept + " now."), ElementsAre(kept));
    EXPECT_THAT(Found(kept), ElementsAre(kept));
    EXPECT_THAT(Found(std::string("(") + kept + ")."), ElementsAre(kept));
  }
}

TEST(Placeholders, OrdinaryTextHasNone) {
  for (const char* text : {"",
                           " ",
                           "He/she and/or they, 24/7.",
                           "It rose 50% so far, 5% of it by 20%d.",
                           "C# and F# 5",
                           "a < b and c > d",
                           "I paid $5.00 or US$ 3 on 12/05/2024 at 12:30:45.",
                           "e.g. the U.S. and B.C.",
                           "Note: this {has spaces in it}, [[a link]].",
                           "well-known -- and so on",
                           "Dr. No. Mr. A.C. 3.5 km/h",
                           "AT&T (2019) [1] 'quoted' \"text\"",
                           "100 %",
                           "@ noon # 1",
                           "wait...what?no",
                           "O'Neill",
                           "\u201CQuotes\u201D \u2013 \u2122 \u00A9 \u20AC5",
                           "x@y",
                           "a_",
                           "::",
                           "\xff\xfe"}) {
    EXPECT_THAT(Found(text), IsEmpty()) << text;
  }
}

TEST(Placeholders, PunctuationOfTheSentenceIsNotPartOfThem) {
  EXPECT_THAT(Found("Is it https://a.example/x?y=1?"), ElementsAre("https://a.example/x?y=1"));
  EXPECT_THAT(Found("(see https://a.example/b_(c))."), ElementsAre("https://a.example/b_(c)"));
  EXPECT_THAT(Found("\u201Chttps://a.example\u201D, he"), ElementsAre("https://a.example"));
  EXPECT_THAT(Found("https://a.example/x\u3092\u898B\u308B"), ElementsAre("https://a.example/x"));
  EXPECT_THAT(Found("Ask me@a.example, or @you."), ElementsAre("me@a.example", "@you"));
  EXPECT_THAT(Found("Edit /etc/hosts."), ElementsAre("/etc/hosts"));
  EXPECT_THAT(Found("Amazon.com's"), ElementsAre("Amazon.com"));
  EXPECT_THAT(Found("the #MeToo-Bewegung"), ElementsAre("#MeToo"));
}

TEST(Placeholders, NeighboursAreFoundOneByOne) {
  EXPECT_THAT(Found("%s%d{0}{1}"), ElementsAre("%s", "%d", "{0}", "{1}"));
  EXPECT_THAT(Found("<b>bold</b> %d%%"), ElementsAre("<b>", "</b>", "%d"));
  EXPECT_THAT(Found("price:${x}a${y}"), ElementsAre("${x}", "${y}"));
  EXPECT_THAT(Found("\U0001F389\U0001F389 go \U0001F680"),
              ElementsAre("\U0001F389\U0001F389", "\U0001F680"));
  EXPECT_THAT(Found("\u8BF7\u770Bhttps://a.example\uFF0C@jane\u3002"),
              ElementsAre("https://a.example", "@jane"));
  EXPECT_THAT(Found("<a href=\"https://a.example\">{{\u540D}}</a>"),
              ElementsAre("<a href=\"https://a.example\">", "{{\u540D}}", "</a>"));
}

// Each text is 200 KB of parts at which a pattern begins to match and then fails.
TEST(Placeholders, LongTextsTakeLinearTime) {
  for (const std::string_view part : {"@",
                                      "a@",
                                      "{",
                                      "{{",
                                      "<a ",
                                      "%(",
                                      "http://",
                                      "a.",
                                      "_a",
                                      "--a-",
                                      "a/",
                                      "[[",
                                      "`a",
                                      ":a",
                                      "#A_",
                                      "@a@",
                                      "http://a\u3002",
                                      "@\u3002",
                                      "%s",
                                      "a)",
                                      "(",
                                      ")",
                                      "\xF0\x9F\x9A\x80"}) {
    std::string text;
    while (text.size() < 200'000) text += part;
    FindPlaceholders(text);
  }
  FindPlaceholders("http://a" + std::string(200'000, ')'));
}

}  // namespace
}  // namespace dragoman::engine
