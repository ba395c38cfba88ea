#include "server/compat/xml_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;

XmlText Parsed(std::string_view xml, const XmlOptions& options = {}) {
  auto text = ExpectOk(XmlText::Parse(xml, options));
  return *std::move(text);
}

std::string HtmlOf(std::string_view xml, const XmlOptions& options = {}) {
  return Parsed(xml, options).html();
}

std::string ErrorOf(std::string_view xml) {
  const auto text = XmlText::Parse(xml, {});
  EXPECT_EQ(text.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(text.status().message());
}

TEST(XmlText, TagsBecomeNumbersAndComeBackByteForByte) {
  const std::string xml = "Ein <G  id='1' >großes</G > Haus &amp; <x id=\"3\"></x>.<!-- x -->";
  const XmlText text = Parsed(xml);
  EXPECT_EQ(text.html(), "Ein <x0>großes</x0> Haus &amp; <img 1>.<img 2>");
  EXPECT_EQ(*text.Restore(text.html()), xml);
  EXPECT_EQ(*text.Restore("A <img 1>house<img 2> is <x0>big</x0>"),
            "A <x id=\"3\"></x>house<!-- x --> is <G  id='1' >big</G >");
  EXPECT_EQ(*text.Restore("<x0>a</x0> <x0>b</x0>"), "<G  id='1' >a</G > <G  id='1' >b</G >");
}

TEST(XmlText, NamesOfHtmlHaveNoMeaning) {
  const std::string xml = "Der <script>erste</script> und <br>zweite</br> <p/> <pre>Teil</pre>";
  EXPECT_EQ(HtmlOf(xml), "Der <x0>erste</x0> und <x1>zweite</x1> <img 2> <x3>Teil</x3>");
}

TEST(XmlText, TheOutlineSplitsWhereElementsHoldElementsAlone) {
  EXPECT_EQ(HtmlOf("<doc>\n <par>Eins. <b>Zwei</b></par>\n <par>Drei</par></doc>"),
            "<div 0><br 1><div 2>Eins. <x3>Zwei</x3></div 2><br 4><div 5>Drei</div 5></div 0>");
  // A space between two elements is text.
  EXPECT_EQ(HtmlOf("<b>Eins</b> <i>zwei</i>"), "<x0>Eins</x0> <x1>zwei</x1>");
  XmlOptions off;
  off.outline = false;
  EXPECT_EQ(HtmlOf("<a><b>Eins</b><i>zwei</i></a>", off), "<x0><x1>Eins</x1><x2>zwei</x2></x0>");
  XmlOptions except;
  except.non_splitting = {"a"};
  EXPECT_EQ(HtmlOf("<a><b>Eins</b><i>zwei</i></a>", except), "<x0><x1>Eins</x1><x2>zwei</x2></x0>");
}

TEST(XmlText, SplittingTagsSplitAndSoDoesWhatIsAroundThem) {
  XmlOptions options;
  options.outline = false;
  options.splitting = {"par", "br"};
  EXPECT_EQ(HtmlOf("Vor <g>in <par>eins</par></g> nach<br/>Ende", options),
            "Vor <div 0>in <div 1>eins</div 1></div 0> nach<br 2>Ende");
}

TEST(XmlText, IgnoredElementsComeBackAsOnePiece) {
  XmlOptions options;
  options.ignored = {"x"};
  const std::string xml = "Klick auf <x id=\"1\">Hier <b>nicht</b></x> und <b>da</b>";
  const XmlText text = Parsed(xml, options);
  EXPECT_EQ(text.html(), "Klick auf <img 0> und <x1>da</x1>");
  EXPECT_EQ(*text.Restore(text.html()), xml);
}

TEST(XmlText, LineEndsSplitIfAsked) {
  EXPECT_EQ(HtmlOf("Eins\n zwei <b>drei\nvier</b>"), "Eins<br 0>zwei <x1>drei<br 2>vier</x1>");
  XmlOptions joined;
  joined.line_ends_split = false;
  EXPECT_EQ(HtmlOf("Eins\n zwei", joined), "Eins\n zwei");
}

TEST(XmlText, CdataIsTextAndOtherMarkupStays) {
  const XmlText text = Parsed("<?pi a>b?>Eins <![CDATA[<zwei> & drei]]>");
  EXPECT_EQ(text.html(), "<img 0>Eins &lt;zwei> &amp; drei");
  EXPECT_EQ(*text.Restore("<img 0>One &lt;two&gt; &amp; three"),
            "<?pi a>b?>One &lt;two&gt; &amp; three");
}

TEST(XmlText, WhatIsNotWellFormedIsNamed) {
  EXPECT_EQ(ErrorOf("ab <b>c"), "byte 7: the text ends, and <b> is not closed");
  EXPECT_EQ(ErrorOf("ab </b>"), "byte 3: found </b>, which is not open");
  EXPECT_EQ(ErrorOf("<a><b></a>"), "byte 6: found </a>, expected </b>");
  EXPECT_EQ(ErrorOf("1 < 2"), "byte 2: found \"<\", expected a tag, or &lt; for the character");
  EXPECT_THAT(ErrorOf("A & B"), HasSubstr("byte 2: found \"& B\", expected &amp;"));
  EXPECT_THAT(ErrorOf("A&nbsp;B"), HasSubstr("found \"&nbsp\""));
  EXPECT_THAT(ErrorOf("<a b=c>"), HasSubstr("found <a without its end"));
  EXPECT_THAT(ErrorOf("<a b=\"1\"c=\"2\">"), HasSubstr("found <a without its end"));
  EXPECT_THAT(ErrorOf("<!-- a"), HasSubstr("a comment without end"));
  EXPECT_THAT(ErrorOf(std::string("a\0b", 3)), HasSubstr("byte 1: found U+0000"));
  std::string deep;
  for (int i = 0; i < 256; ++i) deep = "<a>" + deep + "</a>";
  EXPECT_TRUE(XmlText::Parse(deep, {}).ok());
  EXPECT_EQ(ErrorOf("<a>" + deep + "</a>"), "byte 768: found more tags in each other than 256");
  std::string many;
  for (int i = 0; i < 1 << 16; ++i) many += "<a/>";
  EXPECT_TRUE(XmlText::Parse(many, {}).ok());
  EXPECT_EQ(ErrorOf(many + "<a/>"), "byte 262144: found more elements than 65536");
  // Case is part of a name.
  EXPECT_THAT(ErrorOf("<a></A>"), HasSubstr("expected </a>"));
}

TEST(XmlText, ATextOfATranslationIsNeverATag) {
  const XmlText text = Parsed("<b>a</b> b");
  EXPECT_EQ(*text.Restore("x <x7>y</x7> <script>"), "x &lt;x7>y&lt;/x7> &lt;script>");
}

}  // namespace
}  // namespace dragoman::server
