#include "engine/text/html/html_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "absl/strings/str_split.h"
#include "engine/text/html/html_entities.h"
#include "tests/engine/text/text_test_data.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using Kind = HtmlToken::Kind;

std::string Decoded(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size();) {
    const CharacterReference reference = ReadCharacterReference(text.substr(at));
    decoded += reference.size > 0 ? reference.text : std::string(1, text[at]);
    at += std::max<size_t>(reference.size, 1);
  }
  return decoded;
}

// Returns "kind:bytes" for every token.
std::vector<std::string> Tokens(std::string_view html) {
  std::vector<std::string> tokens;
  for (const HtmlToken& token : TokenizeHtml(html)) {
    const char* const kinds[] = {"text", "raw", "start", "end", "other"};
    tokens.push_back(std::string(kinds[static_cast<int>(token.kind)]) + ":" +
                     std::string(token.range.In(html)));
  }
  return tokens;
}

// Returns the tokens in the format of tests/data/html/tokens.json.
nlohmann::json AsHtml5lib(const std::string& html) {
  nlohmann::json tokens = nlohmann::json::array();
  for (const HtmlToken& token : TokenizeHtml(html)) {
    const std::string_view bytes = token.range.In(html);
    switch (token.kind) {
      case Kind::kText:
      case Kind::kRawText: {
        const std::string text = token.kind == Kind::kText ? Decoded(bytes) : std::string(bytes);
        if (!tokens.empty() && tokens.back()[0] == "text") {
          tokens.back()[1] = tokens.back()[1].get<std::string>() + text;
        } else {
          tokens.push_back({"text", text});
        }
        break;
      }
      case Kind::kStartTag:
        tokens.push_back({"start", token.name, token.is_self_closing, token.is_no_translate});
        break;
      case Kind::kEndTag:
        tokens.push_back({"end", token.name});
        break;
      case Kind::kComment: {
        // The standard drops "</>" and an unfinished tag at the end of the text.
        const bool is_tag = bytes.size() > 1 &&
                            (std::isalpha(bytes[1]) != 0 ||
                             (bytes[1] == '/' && bytes.size() > 2 && std::isalpha(bytes[2]) != 0));
        if (bytes != "</>" && !is_tag) tokens.push_back({"comment"});
        break;
      }
    }
  }
  return tokens;
}

TEST(HtmlTokenizer, AgreesWithHtml5lib) {
  const auto cases = nlohmann::json::parse(ReadSourceFile("tests/data/html/tokens.json"));
  ASSERT_EQ(cases.size(), 500);
  for (const auto& c : cases) {
    const auto html = c[0].get<std::string>();
    EXPECT_EQ(AsHtml5lib(html), c[1]) << html;
  }
}

TEST(HtmlTokenizer, KeepsEveryByte) {
  std::mt19937 random(3);
  std::vector<std::string> parts = absl::StrSplit(
      "< > / ! -- ' \" = a é \r <b> </b <script> </script> <title> </title> <svg> </svg> <![CDATA[ "
      "]]> "
      "<!-- --> &amp; <textarea <style> </style",
      ' ');
  parts.insert(parts.end(), {" ", "</style >", std::string(1, '\0')});
  for (int round = 0; round < 3000; ++round) {
    std::string html;
    const int size = static_cast<int>(random() % 20);
    for (int i = 0; i < size; ++i) html += parts[random() % parts.size()];
    int64_t at = 0;
    bool was_text = false;
    for (const HtmlToken& token : TokenizeHtml(html)) {
      ASSERT_EQ(token.range.begin, at) << html;
      ASSERT_GT(token.range.size(), 0) << html;
      ASSERT_FALSE(was_text && token.kind == Kind::kText) << html;
      was_text = token.kind == Kind::kText;
      at = token.range.end;
    }
    ASSERT_EQ(at, static_cast<int64_t>(html.size())) << html;
  }
}

TEST(HtmlTokenizer, ScriptsEndWhereBrowsersEndThem) {
  EXPECT_THAT(Tokens("<script>a<b</script>c"),
              ElementsAre("start:<script>", "raw:a<b", "end:</script>", "text:c"));
  EXPECT_THAT(Tokens("<script></script>"), ElementsAre("start:<script>", "end:</script>"));
  EXPECT_THAT(
      Tokens("<script><!--<script>x</script>y--></script>z"),
      ElementsAre("start:<script>", "raw:<!--<script>x</script>y-->", "end:</script>", "text:z"));
  EXPECT_THAT(Tokens("<script><!--</script>x"),
              ElementsAre("start:<script>", "raw:<!--", "end:</script>", "text:x"));
  EXPECT_THAT(Tokens("<script><!--><script></script>x"),
              ElementsAre("start:<script>", "raw:<!--><script>", "end:</script>", "text:x"));
  EXPECT_THAT(Tokens("<script></scripts></script/>x"),
              ElementsAre("start:<script>", "raw:</scripts>", "end:</script/>", "text:x"));
}

TEST(HtmlTokenizer, DrawingsHaveCdataAndMarkup) {
  EXPECT_THAT(Tokens("<![CDATA[a]b]]>c"), ElementsAre("other:<![CDATA[a]b]]>", "text:c"));
  EXPECT_THAT(Tokens("<![CDATA[a>b]]>"), ElementsAre("other:<![CDATA[a>", "text:b]]>"));
  EXPECT_THAT(Tokens("<svg><![CDATA[a>b]]></svg><![CDATA[a>b"),
              ElementsAre("start:<svg>", "other:<![CDATA[a>b]]>", "end:</svg>", "other:<![CDATA[a>",
                          "text:b"));
  EXPECT_THAT(Tokens("<svg><title><g></title><style><g></style></svg>"),
              ElementsAre("start:<svg>", "start:<title>", "start:<g>", "end:</title>",
                          "start:<style>", "start:<g>", "end:</style>", "end:</svg>"));
  EXPECT_THAT(Tokens("<svg><p><title><g></title>"),
              ElementsAre("start:<svg>", "start:<p>", "start:<title>", "text:<g>", "end:</title>"));
  EXPECT_THAT(Tokens("<math/><style><g>"),
              ElementsAre("start:<math/>", "start:<style>", "raw:<g>"));
}

TEST(HtmlTokenizer, SaysWhatTheTextEndsIn) {
  const auto unfinished = [](std::string_view html) {
    bool any = false;
    for (const HtmlToken& token : TokenizeHtml(html)) any = any || token.is_unfinished;
    return any;
  };
  for (const char* html :
       {"<b", "<b a='>", "</b ", "<!--", "<!-- x --", "<!x", "<?", "<script>", "<title>a",
        "<textarea></textareas>", "<plaintext>x</plaintext>", "<svg><![CDATA[x"}) {
    EXPECT_TRUE(unfinished(html)) << html;
  }
  for (const char* html : {"", "x<", "x</", "<b>", "<!---->", "<!-->", "<!x>", "</>",
                           "<script></script>", "<title>a</title>", "<svg><![CDATA[x]]>"}) {
    EXPECT_FALSE(unfinished(html)) << html;
  }
}

TEST(HtmlTokenizer, NamesAreInLowerCase) {
  const auto tokens = TokenizeHtml("<DiV\nClass='NoTranslate notranslate'></DIV><É><ÀB>");
  ASSERT_EQ(tokens.size(), 3);
  EXPECT_EQ(tokens[0].name, "div");
  EXPECT_TRUE(tokens[0].is_no_translate);
  EXPECT_EQ(tokens[1].name, "div");
  EXPECT_EQ(tokens[2].kind, Kind::kText);
  EXPECT_FALSE(TokenizeHtml("<i class=NoTranslate>")[0].is_no_translate);
}

// --- character references ---

std::string Reference(std::string_view text) {
  const CharacterReference reference = ReadCharacterReference(text);
  return reference.text + "|" + std::string(text.substr(reference.size));
}

TEST(CharacterReference, Names) {
  EXPECT_EQ(Reference("&amp;x"), "&|x");
  EXPECT_EQ(Reference("&ampx"), "&|x");
  EXPECT_EQ(Reference("&AMP"), "&|");
  EXPECT_EQ(Reference("&Amp;"), "|&Amp;");
  EXPECT_EQ(Reference("&notin;"), "∉|");
  EXPECT_EQ(Reference("&notin"), "¬|in");
  EXPECT_EQ(Reference("&notit;"), "¬|it;");
  EXPECT_EQ(Reference("&hearts;"), "♥|");
  EXPECT_EQ(Reference("&hearts"), "|&hearts");
  EXPECT_EQ(Reference("&NotEqualTilde;"), "\u2242\u0338|");
  EXPECT_EQ(Reference("&zwnj;&"), "\u200C|&");
  EXPECT_EQ(Reference("&CounterClockwiseContourIntegral;"), "∳|");
  EXPECT_EQ(Reference("&CounterClockwiseContourIntegralx;"), "|&CounterClockwiseContourIntegralx;");
  EXPECT_EQ(Reference("&" + std::string(100, 'a') + ";"), "|&" + std::string(100, 'a') + ";");
}

TEST(CharacterReference, Numbers) {
  EXPECT_EQ(Reference("&#65;B"), "A|B");
  EXPECT_EQ(Reference("&#65B"), "A|B");
  EXPECT_EQ(Reference("&#x41;"), "A|");
  EXPECT_EQ(Reference("&#X1F600"), "😀|");
  EXPECT_EQ(Reference("&#x80;&#150;"), "€|&#150;");
  EXPECT_EQ(Reference("&#129;"), "\u0081|");
  for (const char* bad : {"&#0;", "&#xD800;", "&#57343;", "&#x110000;", "&#4294967361;"}) {
    EXPECT_EQ(Reference(bad), "\uFFFD|") << bad;
  }
}

TEST(CharacterReference, None) {
  for (const char* text : {"", "&", "& amp;", "&;", "&#;", "&#x;", "&#xg", "&#a", "amp;", "&é"}) {
    EXPECT_EQ(Reference(text), std::string("|") + text);
  }
}

TEST(CharacterReference, TextIsEscaped) {
  std::string html = "x";
  AppendEscaped("a<b>&amp;\"'ä", html);
  EXPECT_EQ(html, "xa&lt;b&gt;&amp;amp;\"'ä");
}

}  // namespace
}  // namespace dragoman::engine
