// Formats that are text: plain text, subtitles, catalogues, data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/documents/document_test_support.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Documents, AreFoundByNameAndExtension) {
  EXPECT_EQ(FindDocumentFormat("docx")->name, "docx");
  EXPECT_EQ(FindDocumentFormat("a/b.c/Report.DOCX")->name, "docx");
  EXPECT_EQ(FindDocumentFormat("de.yml")->name, "yaml");
  EXPECT_EQ(FindDocumentFormat("report.pdf"), nullptr);
  EXPECT_EQ(FindDocumentFormat(""), nullptr);
}

TEST(Documents, NamesTheLineOfBrokenText) {
  EXPECT_EQ(FaultOf("txt", "one\ntwo\xFF"), "line 2: not UTF-8 at byte 7");
  EXPECT_EQ(FaultOf("srt",
                    "\xFF\xFE"
                    "1"),
            "the file is UTF-16; expected UTF-8");
}

TEST(Documents, RefusesTextsAboveALimit) {
  DocumentOptions options;
  options.max_text_bytes = 5;
  EXPECT_THAT(FaultOf("json", R"({"a": "12345",
"b": "123456"})",
                      options),
              HasSubstr("line 2: a text of 6 bytes; the limit is 5"));
  options.max_text_bytes = 100;
  options.max_texts = 2;
  EXPECT_EQ(FaultOf("txt", "a\nb\nc", options), "line 3: the document has more than 2 texts");
}

TEST(PlainText, KeepsLinesAndTheirSpace) {
  EXPECT_EQ(InCapitals("txt", "Hello world.\r\n\r\n  Second line. \nlast"),
            "HELLO WORLD.\r\n\r\n  SECOND LINE. \nLAST");
  EXPECT_EQ(InCapitals("txt", "\xEF\xBB\xBFhello"), "\xEF\xBB\xBFHELLO");
}

TEST(PlainText, CutsALongLineAfterASentence) {
  const std::string sentence = std::string(2500, 'a') + ". ";
  const auto document = ReadForTest("txt", sentence + sentence + "end");
  ASSERT_EQ(document->texts().size(), 2);
  EXPECT_EQ(document->texts()[0].text, std::string(2500, 'a') + ".");
  EXPECT_EQ(document->texts()[1].text, sentence + "end");
}

TEST(Markdown, IsCutBetweenParagraphsAndKeepsLabels) {
  std::string markdown;
  for (int i = 0; i < 4; ++i) {
    markdown += "# Head\n\n" + std::string(2000, 'x') + " [label]\n\n- item\n\n  in the item\n\n";
  }
  markdown += "[label]: https://example.com/\n";
  const auto document = ReadForTest("md", markdown);
  ASSERT_EQ(document->texts().size(), 2);
  EXPECT_TRUE(document->texts()[1].text.starts_with("# Head\n"));
  EXPECT_THAT(document->texts()[0].text, HasSubstr("\n[label]: https://example.com/\n"));
  EXPECT_EQ(WithTranslations("md", markdown,
                             {"one\n\n[label]: https://example.com/\n",
                              "two\n\n[label]: https://example.com/\n"}),
            "onetwo");
}

TEST(Html, IsCutBeforeBlocksOutsideInlineElements) {
  std::string html = "<div>";
  for (int i = 0; i < 3; ++i) html += "<p>" + std::string(3000, 'x') + "</p>";
  html += "<b><p>" + std::string(3000, 'y') + "</p><p>z</p></b></div>";
  const auto document = ReadForTest("html", html);
  ASSERT_EQ(document->texts().size(), 3);
  EXPECT_TRUE(document->texts()[1].text.starts_with("<p>"));
  EXPECT_THAT(document->texts()[2].text, HasSubstr("</p><p>z</p></b></div>"));
  EXPECT_EQ(document->texts()[1].format, TextFormat::kHtml);
}

constexpr char kSrt[] = R"(1
00:00:01,000 --> 00:00:02,500
<i>Hello, my</i>

2
00:00:02,600 --> 00:00:04,000
friend & neighbour.

3
00:00:05,000 --> 00:00:06,000
- Who are you?
- I am <b>nobody</b>, and
this is fine.

4
00:00:07,000 --> 00:00:08,000
{\an8}(door opens)
)";

TEST(Srt, JoinsSentencesAndKeepsSpeakersApart) {
  EXPECT_THAT(TextsOf(*ReadForTest("srt", kSrt)),
              ElementsAre("<g0>Hello, my</g0> friend &amp; neighbour.", "Who are you?",
                          "I am <g0>nobody</g0>, and this is fine.", "<img 0>(door opens)"));
}

TEST(Srt, DividesATranslationByTheLengthsOfTheCues) {
  EXPECT_EQ(WithTranslations(
                "srt", kSrt,
                {"Hallo, <g0>mein Freund und</g0> Nachbar.", "Wer sind Sie?",
                 "Ich bin <g0>niemand</g0>, und das ist auch gut so.", "<img 0>(Tür geht auf)"}),
            R"(1
00:00:01,000 --> 00:00:02,500
Hallo,

2
00:00:02,600 --> 00:00:04,000
<i>mein Freund und</i> Nachbar.

3
00:00:05,000 --> 00:00:06,000
- Wer sind Sie?
- Ich bin <b>niemand</b>,
und das ist auch gut so.

4
00:00:07,000 --> 00:00:08,000
{\an8}(Tür geht auf)
)");
}

TEST(Srt, ASpeakersLineBelongsToItsOwnCue) {
  constexpr char kContinued[] = R"(1
00:00:01,000 --> 00:00:02,500
You can change

2
00:00:02,600 --> 00:00:04,000
all of it.
[laughter]
)";
  EXPECT_THAT(TextsOf(*ReadForTest("srt", kContinued)),
              ElementsAre("You can change", "all of it.", "[laughter]"));
  EXPECT_EQ(InCapitals("srt", kContinued), R"(1
00:00:01,000 --> 00:00:02,500
YOU CAN CHANGE

2
00:00:02,600 --> 00:00:04,000
ALL OF IT.
[LAUGHTER]
)");
  EXPECT_THAT(TextsOf(*ReadForTest("srt", R"(1
00:00:01,000 --> 00:00:02,500
The command needs Python
(3.9 or later), which

2
00:00:02,600 --> 00:00:04,000
is in Debian.
)")),
              ElementsAre("The command needs Python (3.9 or later), which is in Debian."));
}

TEST(Srt, KeepsACueWithoutAWord) {
  const std::string srt =
      "1\n00:00:01,000 --> 00:00:02,000\nWe will\n\n2\n00:00:02,000 --> 00:00:03,000\nsee.\n";
  EXPECT_EQ(WithTranslations("srt", srt, {"Abwarten."}),
            "1\n00:00:01,000 --> 00:00:02,000\nAbwarten.\n\n2\n00:00:02,000 --> "
            "00:00:03,000\n…\n");
}

TEST(Srt, DividesTextWithoutSpacesBetweenCharacters) {
  const std::string srt =
      "1\n00:00:01,000 --> 00:00:02,000\nHello my\n\n2\n00:00:02,000 --> 00:00:03,000\nfriends "
      "there.\n";
  EXPECT_THAT(WithTranslations("srt", srt, {"你好，我那里的朋友们。"}),
              HasSubstr("00:00:02,000\n你好，\n"));
}

TEST(Srt, RefusesAFileWithoutTimes) {
  EXPECT_THAT(FaultOf("srt", "Hello"), HasSubstr("no line of times"));
}

TEST(Vtt, KeepsStylesVoicesAndTimesInCues) {
  const std::string vtt = R"(WEBVTT

NOTE a comment

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.000 align:start
<v Anna>Good &amp; evil <c.red>are</c> here
and there.

00:02.100 --> 00:03.000
It began when
the <00:02.500>war was over
)";
  EXPECT_EQ(InCapitals("vtt", vtt), R"(WEBVTT

NOTE a comment

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.000 align:start
<v Anna>GOOD &amp; EVIL <c.red>ARE</c>
HERE AND THERE.

00:02.100 --> 00:03.000
IT BEGAN WHEN
THE <00:02.500>WAR WAS OVER
)");
  EXPECT_EQ(FaultOf("vtt", "hello"), "line 1: expected \"WEBVTT\"");
}

constexpr char kPo[] = R"(# header
msgid ""
msgstr ""
"Language: de\n"

#: a.c:1
#, c-format
msgid "Hello %s\n"
msgstr ""

#, fuzzy, c-format
#| msgid "old"
msgid ""
"Two lines\n"
"here"
msgstr "Alt"

msgctxt "menu"
msgid "One file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

msgid "done"
msgstr "fertig"

#~ msgid "obsolete"
#~ msgstr "veraltet"
)";

TEST(Po, TranslatesWhatIsNotTranslated) {
  EXPECT_EQ(InCapitals("po", kPo), R"(# header
msgid ""
msgstr ""
"Language: de\n"

#: a.c:1
#, c-format
msgid "Hello %s\n"
msgstr "HELLO %S\n"

#, c-format
#| msgid "old"
msgid ""
"Two lines\n"
"here"
msgstr ""
"TWO LINES\n"
"HERE"

msgctxt "menu"
msgid "One file"
msgid_plural "%d files"
msgstr[0] "ONE FILE"
msgstr[1] "%D FILES"

msgid "done"
msgstr "fertig"

#~ msgid "obsolete"
#~ msgstr "veraltet"
)");
}

TEST(Po, TranslatesAgainIfAsked) {
  DocumentOptions options;
  options.retranslate = true;
  EXPECT_THAT(InCapitals("po", kPo, options), HasSubstr("msgid \"done\"\nmsgstr \"DONE\""));
}

TEST(Po, WritesATranslationThatEqualsItsText) {
  EXPECT_EQ(WithTranslations("po", "msgid \"OK\"\nmsgstr \"\"\n", {"OK"}),
            "msgid \"OK\"\nmsgstr \"OK\"\n");
}

TEST(Po, TheHeaderOfATranslatedCatalogueNamesUtf8) {
  constexpr char kAscii[] =
      "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=ASCII\\n\"\n"
      "\"Language: pt\\n\"\n\nmsgid \"open\"\nmsgstr \"\"\n";
  EXPECT_EQ(WithTranslations("po", kAscii, {"abrir é"}),
            "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
            "\"Language: pt\\n\"\n\nmsgid \"open\"\nmsgstr \"abrir é\"\n");
}

TEST(Po, NamesTheLineOfAFault) {
  EXPECT_EQ(FaultOf("po", "msgid \"a\"\nmsgtxt \"b\"\n"),
            "line 2: expected msgid, msgid_plural, msgstr or msgctxt");
  EXPECT_EQ(FaultOf("po", "\"a\"\n"), "line 1: expected a keyword before a string");
}

TEST(Properties, KeepsEscapesAndContinuations) {
  EXPECT_EQ(InCapitals("properties",
                       "# c\nkey = hello \\\n   world\nb:caf\\u00e9 ok\n! no\nempty=\nsp  x y\n"),
            "# c\nkey = HELLO WORLD\nb:CAF\\u00E9 OK\n! no\nempty=\nsp  X Y\n");
  EXPECT_EQ(WithTranslations("properties", "a=x\nb=ä\n", {"ö", " ü\n"}), "a=ö\nb=\\ ü\\n\n");
}

TEST(Json, TranslatesStringsButNoKeys) {
  EXPECT_EQ(InCapitals("json", R"({"a": "Hello \"you\"", "n": 3, "list": ["One", {"b": "t\n"}]})"),
            R"({"a": "HELLO \"YOU\"", "n": 3, "list": ["ONE", {"b": "T\n"}]})");
  DocumentOptions options;
  options.fields = {"b", "list"};
  EXPECT_EQ(
      InCapitals("json", R"({"a": "x", "list": ["y", {"a": "y"}], "c": {"b": "y"}})", options),
      R"({"a": "x", "list": ["Y", {"a": "Y"}], "c": {"b": "Y"}})");
  EXPECT_EQ(FaultOf("json", "{\"a\":\n x}"), "line 2: not JSON at byte 8");
}

TEST(Yaml, KeepsStylesAndOtherValues) {
  EXPECT_EQ(InCapitals("yaml", R"(# comment äöü
de:
  greeting: hello world
  quoted: "hello: \"x\""
  single: 'it''s here'
  literal: |
    first line
    second line

  folded: >-
    folded text
    goes on

    new paragraph
  number: 12
  flag: yes
  list: [one, two words, 3]
  anchor: &a !!str anchored
  alias: *a
last: end
)"),
            R"(# comment äöü
de:
  greeting: HELLO WORLD
  quoted: "HELLO: \"X\""
  single: 'IT''S HERE'
  literal: |
    FIRST LINE
    SECOND LINE

  folded: >-
    FOLDED TEXT GOES ON

    NEW PARAGRAPH
  number: 12
  flag: yes
  list: [ONE, TWO WORDS, 3]
  anchor: &a !!str ANCHORED
  alias: *a
last: END
)");
}

TEST(Yaml, QuotesWhatWouldBeAnotherValue) {
  EXPECT_EQ(WithTranslations("yaml", "a: ax\nb: bx\nc: cx\n", {"no", "a: b", "-"}),
            "a: \"no\"\nb: \"a: b\"\nc: \"-\"\n");
  EXPECT_EQ(WithTranslations("yaml", "a: |\n  ax\nb: 'bx'\n", {"a\x01", "\u0085"}),
            "a: \"a\\u0001\"\nb: \"\\u0085\"\n");
  EXPECT_THAT(FaultOf("yaml", "a: [1\nb: c"), HasSubstr("line 2: not YAML"));
}

TEST(Csv, TranslatesColumnsByNumberOrName) {
  const std::string csv = "id;text\r\n\"A; b\";hello\r\nz;\"two\nlines \"\"q\"\"\"\r\n";
  EXPECT_EQ(InCapitals("csv", csv), "ID;TEXT\r\n\"A; B\";HELLO\r\nZ;\"TWO\nLINES \"\"Q\"\"\"\r\n");
  DocumentOptions options;
  options.fields = {"text"};
  EXPECT_EQ(InCapitals("csv", csv, options),
            "id;text\r\n\"A; b\";HELLO\r\nz;\"TWO\nLINES \"\"Q\"\"\"\r\n");
  options.fields = {"1"};
  EXPECT_EQ(InCapitals("csv", "a,b\nc,d\n", options), "A,b\nC,d\n");
  options.fields = {"none"};
  EXPECT_EQ(FaultOf("csv", csv, options), "no column \"none\"; the first row has id, text");
  EXPECT_THAT(FaultOf("csv", "a\n\"b"), HasSubstr("line 2: a cell begins with"));
  EXPECT_EQ(WithTranslations("csv", "a,b\n", {"x,y", "\"z\""}), "\"x,y\",\"\"\"z\"\"\"\n");
}

TEST(Tsv, WritesNoSeparatorIntoACell) {
  EXPECT_EQ(WithTranslations("tsv", "a\tb\n", {"x\ty", "z\n"}), "x y\tz \n");
}

}  // namespace
}  // namespace dragoman::engine
