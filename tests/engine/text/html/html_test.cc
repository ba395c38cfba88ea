// Tests MarkupDocument where one translation for each run (html_cases_test.cc) does not suffice:
// segments, offsets, alignment by tokens, limits.

#include "engine/text/markup/markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "engine/text/split/sentence_splitter.h"
#include "tests/engine/text/markup/markup_script.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

MarkupDocument Parsed(std::string_view html) {
  auto document = ExpectOk(MarkupDocument::Parse(html, TextFormat::kHtml));
  return *std::move(document);
}

// Returns a segment with the source text `source` of a run, translated by a script.
MarkupSegment SegmentOf(const std::string& text, const std::string& source,
                        std::string_view script) {
  const auto begin = static_cast<int64_t>(text.find(source));
  MarkupSegment segment = ScriptedSegment(source, script);
  segment.source = {begin, begin + static_cast<int64_t>(source.size())};
  return segment;
}

// Rebuilds a document of one run from segments with these sources and scripts.
RebuiltMarkup Rebuilt(const MarkupDocument& document,
                      const std::vector<std::pair<std::string, std::string>>& segments,
                      bool target_uses_spaces = true) {
  std::vector<std::vector<MarkupSegment>> by_run(1);
  for (const auto& [source, script] : segments) {
    by_run[0].push_back(SegmentOf(document.text(0), source, script));
  }
  return document.Rebuild(by_run, target_uses_spaces);
}

// Returns a segment that covers a run. Each token has its text and its source range; {-1, -1} means
// none. The texts are joined without spaces.
MarkupSegment FromTokens(const std::string& text,
                         const std::vector<std::pair<std::string, TextRange>>& tokens) {
  MarkupSegment segment;
  segment.source = {0, static_cast<int64_t>(text.size())};
  for (const auto& [target, source] : tokens) {
    const auto begin = static_cast<int64_t>(segment.target.size());
    segment.target += target;
    AlignedToken token{{begin, static_cast<int64_t>(segment.target.size())}, std::nullopt};
    if (source.begin >= 0) token.source = source;
    segment.tokens.push_back(token);
  }
  return segment;
}

std::string RebuiltFromTokens(const std::string& html,
                              const std::vector<std::pair<std::string, TextRange>>& tokens) {
  const MarkupDocument document = Parsed(html);
  std::vector<std::vector<MarkupSegment>> segments = {{FromTokens(document.text(0), tokens)}};
  return document.Rebuild(segments, true).document;
}

// --- segments ---

TEST(HtmlSegments, StayInOrder) {
  const MarkupDocument document = Parsed("<p>One <b>two. Three</b> four.</p>");
  EXPECT_EQ(document.text(0), "One two. Three four.");
  EXPECT_EQ(Rebuilt(document, {{"One two.", "~"}, {"Three four.", "~"}}).document,
            "<p><b>. TWO</b> ONE . FOUR <b>THREE</b></p>");
  EXPECT_EQ(Rebuilt(document, {{"One two.", "="}, {"Three four.", "="}}).document,
            "<p>One <b>two. Three</b> four.</p>");
}

TEST(HtmlSegments, WhatIsBetweenStandsForItself) {
  const MarkupDocument document = Parsed("a b. <i>*</i> &lt;<b>&hearts;</b>* c d. <u>!</u>");
  EXPECT_EQ(document.text(0), "a b. * <♥* c d. !");
  EXPECT_EQ(Rebuilt(document, {{"a b.", "~"}, {"c d.", "~"}}).document,
            ". B A <i>*</i> &lt;<b>♥</b>* . D C <u>!</u>");
}

TEST(HtmlSegments, NoneAtAll) {
  const MarkupDocument document = Parsed("<p>** <b>--</b><img> !</p>");
  const std::vector<std::vector<MarkupSegment>> none(1);
  const RebuiltMarkup rebuilt = document.Rebuild(none, true);
  EXPECT_EQ(rebuilt.document, "<p>** <b>--</b><img> !</p>");
  ASSERT_EQ(rebuilt.segments.size(), 1);
  EXPECT_TRUE(rebuilt.segments[0].empty());
}

TEST(HtmlSegments, VoidsGoToTheSegmentAfter) {
  const MarkupDocument document = Parsed("One two. <img> Three four.");
  EXPECT_EQ(Rebuilt(document, {{"One two.", "~"}, {"Three four.", "~"}}).document,
            ". TWO ONE <img> . FOUR THREE");
  // No word is at or after the void's place, so the void goes to the end.
  EXPECT_EQ(Rebuilt(document, {{"One two.", "="}, {"Three four.", "Drei@- vier@-"}}).document,
            "One two. Drei vier <img>");
}

TEST(HtmlSegments, AnEmptyTranslationLosesNoTag) {
  const MarkupDocument document = Parsed("One. <b>Two.</b> Three.");
  EXPECT_EQ(Rebuilt(document, {{"One.", "="}, {"Two.", ""}, {"Three.", "="}}).document,
            "One.  <b></b>Three.");
}

TEST(HtmlSegments, ASpaceWhereTheSourceScriptHasNone) {
  const MarkupDocument document = Parsed("<p>是。<b>不</b>。</p>");
  EXPECT_EQ(document.text(0), "是。不。");
  const std::vector<std::pair<std::string, std::string>> segments = {{"是。", "Yes@0 _.@1"},
                                                                     {"不。", "No@0 _.@1"}};
  EXPECT_EQ(Rebuilt(document, segments).document, "<p>Yes. <b>No</b>.</p>");
  EXPECT_EQ(Rebuilt(document, segments, false).document, "<p>Yes.<b>No</b>.</p>");
}

TEST(HtmlSegments, AsTheSplitterCutsThem) {
  const MarkupDocument document =
      Parsed("<p>First <b>sentence</b>\n here. Second\n one!</p><p>* * *</p><p>Third.</p>");
  const auto splitter = SentenceSplitter::Create("en");
  ASSERT_TRUE(splitter.ok());
  std::vector<std::vector<MarkupSegment>> segments;
  std::vector<std::string> sources;
  for (int64_t run = 0; run < document.runs(); ++run) {
    const std::string& text = document.text(run);
    segments.emplace_back();
    for (const TextRange& piece : (*splitter)->Split(text, Segmentation::kSentences)) {
      sources.emplace_back(piece.In(text));
      segments.back().push_back(SegmentOf(text, sources.back(), "="));
    }
  }
  EXPECT_THAT(sources, ::testing::ElementsAre("First sentence here.", "Second one!", "Third."));
  EXPECT_EQ(document.Rebuild(segments, true).document,
            "<p>First <b>sentence</b> here. Second one!</p><p>* * *</p><p>Third.</p>");
}

// --- offsets ---

TEST(HtmlOffsets, FromTextToDocument) {
  const std::string html = "<p>  a&amp;b <b>c</b>\n d&#233;f</p>";
  const MarkupDocument document = Parsed(html);
  ASSERT_EQ(document.text(0), "a&b c déf");
  const auto part = [&](int64_t begin, int64_t end) {
    return std::string(document.InDocument(0, {begin, end}).In(html));
  };
  EXPECT_EQ(part(0, 1), "a");
  EXPECT_EQ(part(1, 2), "&amp;");
  EXPECT_EQ(part(0, 3), "a&amp;b");
  EXPECT_EQ(part(4, 5), "c");
  EXPECT_EQ(part(2, 7), "b <b>c</b>\n d");
  EXPECT_EQ(part(7, 9), "&#233;");
  EXPECT_EQ(part(6, 10), "d&#233;f");
  EXPECT_EQ(document.InDocument(0, {4, 4}), (TextRange{16, 16}));
  EXPECT_EQ(part(0, 10), "a&amp;b <b>c</b>\n d&#233;f");
}

TEST(HtmlOffsets, FromTranslationToDocument) {
  const MarkupDocument document = Parsed("<p><b>One</b> two. <i>Three</i>.</p>");
  const RebuiltMarkup rebuilt =
      Rebuilt(document, {{"One two.", "Zwo@1 &@1 Ein<s@0 _.@2"}, {"Three.", "Drei@0 _.@1"}});
  EXPECT_EQ(rebuilt.document, "<p>Zwo &amp; <b>Ein&lt;s</b>. <i>Drei</i>.</p>");
  ASSERT_EQ(rebuilt.segments.size(), 1);
  ASSERT_EQ(rebuilt.segments[0].size(), 2);
  const RebuiltMarkup::Segment& first = rebuilt.segments[0][0];
  EXPECT_EQ(first.range.In(rebuilt.document), "Zwo &amp; <b>Ein&lt;s</b>.");
  EXPECT_EQ(rebuilt.segments[0][1].range.In(rebuilt.document), "Drei</i>.");
  const std::string target = "Zwo & Ein<s.";
  const auto part = [&](std::string_view word) {
    const auto begin = static_cast<int64_t>(target.find(word));
    const TextRange range{begin, begin + static_cast<int64_t>(word.size())};
    return std::string(first.map.Map(range).In(rebuilt.document));
  };
  EXPECT_EQ(part("Zwo"), "Zwo");
  EXPECT_EQ(part("wo &"), "wo &amp;");
  EXPECT_EQ(part("Ein<s"), "Ein&lt;s");
  EXPECT_EQ(part("n<"), "n&lt;");
  EXPECT_EQ(part("& Ein"), "&amp; <b>Ein");
  EXPECT_EQ(part(target), "Zwo &amp; <b>Ein&lt;s</b>.");
}

TEST(HtmlOffsets, AnEmptyTranslationIsAnEmptyRange) {
  const MarkupDocument document = Parsed("a. b. c.");
  const RebuiltMarkup rebuilt = Rebuilt(document, {{"a.", ""}, {"b.", "="}, {"c.", ""}});
  ASSERT_EQ(rebuilt.segments[0].size(), 3);
  EXPECT_EQ(rebuilt.segments[0][0].range.size(), 0);
  EXPECT_EQ(rebuilt.segments[0][1].range.In(rebuilt.document), "b.");
  EXPECT_EQ(rebuilt.segments[0][2].range,
            (TextRange{static_cast<int64_t>(rebuilt.document.size()),
                       static_cast<int64_t>(rebuilt.document.size())}));
}

TEST(OffsetMap, MapsPiecesAndWhatIsBetween) {
  OffsetMap map;
  EXPECT_EQ(map.Map({3, 5}), (TextRange{0, 0}));
  map.Add(0, 3, 10, 3);
  map.Add(3, 2, 13, 2);  // continues the previous piece byte by byte
  map.Add(5, 1, 15, 5);
  map.Add(8, 2, 30, 2);
  EXPECT_EQ(map.Map({1, 4}), (TextRange{11, 14}));
  EXPECT_EQ(map.Map({4, 6}), (TextRange{14, 20}));
  EXPECT_EQ(map.Map({5, 5}), (TextRange{15, 15}));
  EXPECT_EQ(map.Map({2, 2}), (TextRange{12, 12}));
  EXPECT_EQ(map.Map({6, 8}), (TextRange{30, 30}));  // overlaps no piece
  EXPECT_EQ(map.Map({4, 7}), (TextRange{14, 20}));
  EXPECT_EQ(map.Map({7, 9}), (TextRange{30, 31}));
  EXPECT_EQ(map.Map({9, 12}), (TextRange{31, 32}));
  EXPECT_EQ(map.Map({10, 12}), (TextRange{32, 32}));
}

// --- alignment as tokenizers give it ---

TEST(HtmlAlignment, TokenRangesMayHoldTheSpaceBefore) {
  // The range of "world" begins with the space, but the token's place is at the "w".
  EXPECT_EQ(RebuiltFromTokens("Hello <b>world</b>", {{"Welt", {5, 11}}, {" hallo", {0, 5}}}),
            "<b>Welt</b> hallo");
  EXPECT_EQ(RebuiltFromTokens("Hello <img>world", {{"Welt", {5, 11}}, {" hallo", {0, 5}}}),
            "<img>Welt hallo");
}

TEST(HtmlAlignment, AWordGoesByItsFirstToken) {
  EXPECT_EQ(RebuiltFromTokens("a <b>b</b>", {{"Ha", {2, 3}}, {"us", {0, 1}}, {" x", {0, 1}}}),
            "<b>Haus</b> x");
  EXPECT_EQ(RebuiltFromTokens("a <b>b</b>", {{"Ha", {0, 1}}, {"us", {2, 3}}, {" x", {2, 3}}}),
            "Haus <b>x</b>");
}

// Models align the full stop after a link with the link.
TEST(HtmlAlignment, PunctuationIsWhereItsWordHasIt) {
  const std::string html = "see <i>f()</i>, <b>a.b</b>. <u>End!</u>";  // see f(), a.b. End!
  EXPECT_EQ(RebuiltFromTokens(html, {{"siehe", {0, 3}},
                                     {" f", {4, 5}},
                                     {"(),", {5, 6}},
                                     {" a.b", {9, 12}},
                                     {".", {9, 12}},
                                     {" Ende", {14, 17}},
                                     {"!", {14, 17}}}),
            "siehe <i>f()</i>, <b>a.b</b>. <u>Ende!</u>");
}

TEST(HtmlAlignment, TagsInsideAWord) {
  EXPECT_EQ(RebuiltFromTokens("H<sub>2</sub>O is",
                              {{"ist", {4, 6}}, {" H", {0, 1}}, {"2", {1, 2}}, {"O", {2, 3}}}),
            "ist H<sub>2</sub>O");
  EXPECT_EQ(RebuiltFromTokens("word<sup>[1]</sup> next",
                              {{"Wort", {0, 4}}, {"[", {4, 5}}, {"1", {5, 6}}, {"]", {6, 7}}}),
            "Wort<sup>[1]</sup>");
  EXPECT_EQ(RebuiltFromTokens("one<img>two", {{"eins", {0, 3}}, {"zwei", {3, 6}}}),
            "eins<img>zwei");
  // A tag between two source words does not split the joined target word.
  EXPECT_EQ(RebuiltFromTokens("one <b>two</b>", {{"eins", {0, 3}}, {"zwei", {3, 7}}}),
            "einszwei<b></b>");
}

TEST(HtmlAlignment, ScriptsWithoutSpacesGoByToken) {
  EXPECT_EQ(RebuiltFromTokens("I like <b>cats</b>",
                              {{"我", {0, 1}}, {"喜欢", {1, 6}}, {"猫", {6, 11}}, {"。", {6, 11}}}),
            "我喜欢<b>猫。</b>");
  EXPECT_EQ(RebuiltFromTokens("use <b>Linux</b> now",
                              {{"用", {0, 3}}, {"Li", {3, 9}}, {"nux", {0, 3}}, {"吧", {9, 13}}}),
            "用<b>Linux</b>吧");
}

TEST(HtmlAlignment, BadRangesAreNone) {
  EXPECT_EQ(RebuiltFromTokens("<b>a</b> b", {{"x", {0, 9}}, {" y", {-5, 1}}, {" z", {3, 3}}}),
            "x y z<b></b>");
  EXPECT_EQ(RebuiltFromTokens("<b>a</b> b", {{"x", {1, 0}}, {"", {0, 1}}, {" y", {2, 3}}}),
            "x <b></b>y");
  MarkupSegment segment = FromTokens("a b", {{"x", {0, 1}}});
  segment.tokens.push_back({{-1, 4}, TextRange{0, 1}});
  segment.tokens.push_back({{0, 100}, TextRange{2, 3}});
  const std::vector<std::vector<MarkupSegment>> segments = {{segment}};
  EXPECT_EQ(Parsed("<b>a</b> b").Rebuild(segments, true).document, "<b>x</b>");
}

TEST(HtmlAlignment, AnEmptySourceRangeIsAPlaceToo) {
  // The first byte pieces of a character have empty ranges at the character's beginning.
  EXPECT_EQ(RebuiltFromTokens("a <b>é</b>", {{"x", {2, 2}}, {" y", {0, 1}}}), "<b>x</b> y");
}

TEST(HtmlAlignment, SourceRangesCountFromTheSegment) {
  const MarkupDocument document = Parsed("aa bb. <b>cc</b> dd.");
  MarkupSegment segment;
  segment.source = {7, 13};
  segment.target = "DD CC";
  segment.tokens = {{{0, 2}, TextRange{2, 5}}, {{2, 5}, TextRange{0, 2}}};
  const std::vector<std::vector<MarkupSegment>> segments = {{segment}};
  EXPECT_EQ(document.Rebuild(segments, true).document, "aa bb. DD <b>CC</b>");
}

// --- white space in translations ---

TEST(HtmlWhiteSpace, OfATranslationStays) {
  EXPECT_EQ(RebuiltFromTokens("<p><b>a</b> b</p>", {{" x  ", {0, 1}}, {"y\n", {2, 3}}}),
            "<p> <b>x</b>  y\n</p>");
}

// --- limits ---

TEST(HtmlLimits, DepthOfInlineElements) {
  const auto nested = [](int depth, const std::string& inside) {
    std::string html;
    for (int i = 0; i < depth; ++i) html += "<b>";
    html += inside;
    for (int i = 0; i < depth; ++i) html += "</b>";
    return html;
  };
  const std::string deepest = nested(kMaxInlineDepth, "a b");
  EXPECT_EQ(RebuiltByScript(Parsed(deepest), {"~"}), nested(kMaxInlineDepth, "B A"));
  const auto refused = MarkupDocument::Parse(nested(kMaxInlineDepth + 1, "a"), TextFormat::kHtml);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      refused.status().message(),
      "contents: found 129 inline elements inside each other at byte 384, expected at most 128");
  EXPECT_FALSE(
      MarkupDocument::Parse(nested(kMaxInlineDepth + 1, "<p>a</p>"), TextFormat::kHtml).ok());
  EXPECT_FALSE(MarkupDocument::Parse(nested(kMaxInlineDepth + 1, ""), TextFormat::kHtml).ok());
  // Blocks may nest without limit, and unclosed inline elements do not accumulate.
  std::string blocks;
  for (int i = 0; i < 5000; ++i) blocks += "<div><b>a";
  EXPECT_EQ(Parsed(blocks).runs(), 5000);
}

TEST(HtmlLimits, RepeatedTags) {
  // Words in an element with a large start tag alternate with words outside.
  const std::string big = "<b title=\"" + std::string(5000, 'x') + "\">";
  std::string inside;
  std::string outside;
  std::string script;
  constexpr int kWords = 1000;
  for (int i = 0; i < kWords; ++i) {
    inside += "a ";
    outside += " b";
    absl::StrAppend(&script, "A@", i, " B@", kWords + i, " ");
  }
  const std::string html = "<p>" + big + inside + "</b><i>" + outside + "</i></p><p>c</p>";
  const MarkupDocument document = Parsed(html);
  const std::string rebuilt = RebuiltByScript(document, {script, "="});
  size_t tags = 0;
  size_t words = 0;
  for (size_t at = 0; at < rebuilt.size(); ++at) {
    tags += rebuilt.compare(at, 2, "<b") == 0;
    words += rebuilt[at] == 'A' || rebuilt[at] == 'B';
  }
  EXPECT_EQ(words, 2 * kWords);
  EXPECT_GT(tags, 10);
  EXPECT_LT(static_cast<int64_t>(rebuilt.size()),
            MaxRepeatedTagBytes(static_cast<int64_t>(html.size())) + 4 * 2 * kWords +
                static_cast<int64_t>(html.size()));
  EXPECT_TRUE(rebuilt.starts_with("<p>" + big + "A</b> <i>B</i> " + big + "A</b>"));
  EXPECT_TRUE(rebuilt.ends_with(" A B A B</p><p>c</p>"));
}

// An algorithm of quadratic time would take minutes.
TEST(HtmlSegments, TextOfOnlyPunctuationTakesLinearTime) {
  const std::string text(400'000, '#');
  for (const std::string& html : {text, "<b>a</b>" + text + "<i>b</i>"}) {
    const MarkupDocument document = Parsed(html);
    MarkupSegment segment;
    segment.source = {0, static_cast<int64_t>(document.text(0).size())};
    segment.target = document.text(0);
    for (int64_t at = 0; at < segment.source.end; ++at) {
      segment.tokens.push_back({{at, at + 1}, TextRange{at, at + 1}});
    }
    const std::vector<std::vector<MarkupSegment>> segments = {{segment}};
    EXPECT_EQ(document.Rebuild(segments, true).document, html);
  }
}

}  // namespace
}  // namespace dragoman::engine
