// Tests HTML, alignment and sampling in the complete engine with the bundled model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "engine/base/utf8.h"
#include "engine/text/markup/markup.h"
#include "tests/engine/support/bundled_engine.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;

std::string Slice(const std::string& text, const ByteRange& range) {
  return text.substr(static_cast<size_t>(range.begin),
                     static_cast<size_t>(range.end - range.begin));
}

// Returns the tags of a document, sorted.
std::vector<std::string> Tags(const std::string& html) {
  std::vector<std::string> tags;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const size_t end = html.find('>', at);
    if (end != std::string::npos) tags.push_back(html.substr(at, end + 1 - at));
  }
  std::sort(tags.begin(), tags.end());
  return tags;
}

// Reports whether the inline elements are closed and nest.
bool Balanced(const std::string& html) {
  std::vector<std::string> open;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const bool closes = html[at + 1] == '/';
    const size_t begin = at + (closes ? 2 : 1);
    const std::string name = html.substr(begin, html.find_first_of(" >", begin) - begin);
    if (name == "br" || name == "img") continue;
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

std::vector<std::string> GermanLines(size_t count) {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line) && lines.size() < count;) {
    if (line.find_first_of("<>&") == std::string::npos && line.find(' ') != std::string::npos) {
      lines.push_back(line);
    }
  }
  return lines;
}

class EngineHtml : public testing::BundledEngine {
 protected:
  void SetUp() override { Start(); }
  static TranslationJob Html(const std::string& html) {
    TranslationJob job = Job({html});
    job.format = TextFormat::kHtml;
    return job;
  }
};

TEST_F(EngineHtml, TagsComeToStandAroundTheWordsTheyBelongTo) {
  EXPECT_EQ(TextOf(Html("<p>Ich habe <b>Hunger</b>.</p>")), "<p>I'm <b>hungry</b>.</p>");
  EXPECT_EQ(TextOf(Html("<ul><li>Das Haus ist <em>groß</em></li></ul>")),
            "<ul><li>The house is <em>big</em></li></ul>");
}

TEST_F(EngineHtml, WhatIsNoTextComesBackAsItIs) {
  const std::string page =
      "<!DOCTYPE html>\n<script>var x = 'Hund' < 3;</script>\n<style>b { }</style>\n<!-- Hund -->"
      "<pre>Der Hund</pre><p translate=\"no\">Der Hund</p>";
  EXPECT_EQ(TextOf(Html(page)), page);
  EXPECT_EQ(TextOf(Html(" \n <br> ")), " \n <br> ");
  EXPECT_EQ(TextOf(Html("")), "");
}

TEST_F(EngineHtml, EntitiesAreTextInsideAndEscapedOutside) {
  TranslationJob job = Html("<p>Ich mag Tom &amp; Anna.</p>");
  job.do_not_translate = {"&"};
  EXPECT_THAT(TextOf(job), HasSubstr("Tom &amp; Anna"));
  EXPECT_EQ(TextOf(Html("<p>Der Hund schl&auml;ft.</p>")), "<p>The dog is sleeping.</p>");
}

TEST_F(EngineHtml, SentencesAreBytesOfTheHtml) {
  const std::string page = "<p>Ich <b>habe</b> Hunger. Der Hund schläft.</p><p>Ich bin da.</p>";
  const ItemResult item = TranslateOne(Html(page));
  ASSERT_EQ(item.sentences.size(), 3U);
  EXPECT_EQ(Slice(page, item.sentences[0].source), "Ich <b>habe</b> Hunger.");
  EXPECT_EQ(Slice(page, item.sentences[1].source), "Der Hund schläft.");
  EXPECT_EQ(Slice(page, item.sentences[2].source), "Ich bin da.");
  const std::string& html = item.hypotheses[0].text;
  EXPECT_EQ(Slice(html, item.sentences[1].target), "The dog is sleeping.");
  EXPECT_THAT(Slice(html, item.sentences[0].target), HasSubstr("<b>"));
}

TEST_F(EngineHtml, MarkdownKeepsItsMarks) {
  TranslationJob job;
  job.format = TextFormat::kMarkdown;
  job.contents = {
      "# Guten Morgen!\n\n- Der **Hund** schläft.\n- `ls -l`\n\n| Wo ist der Hund? |\n|-|\n"};
  const std::string text = TranslateOne(job).hypotheses[0].text;
  EXPECT_EQ(
      text,
      "# Good morning.\n\n- The **dog** is sleeping.\n- `ls -l`\n\n| Where's the dog? |\n|-|\n");
}

TEST_F(EngineHtml, TextWithoutMarkupIsTranslatedAsPlainText) {
  for (const std::string& line : GermanLines(20)) EXPECT_EQ(TextOf(Html(line)), Text(line)) << line;
}

TEST_F(EngineHtml, RandomInlineTagsLoseNothing) {
  std::mt19937 random(8);
  const std::pair<std::string, std::string> elements[] = {{"<b>", "</b>"},
                                                          {"<a href=\"x\">", "</a>"},
                                                          {"<i>", "</i>"},
                                                          {"<span class='y'>", "</span>"}};
  TranslationJob job;
  job.format = TextFormat::kHtml;
  job.decoding.beam_size = 2;
  for (const std::string& line : GermanLines(60)) {
    std::vector<std::string> words;
    for (size_t at = 0; at < line.size();) {
      const size_t end = std::min(line.find(' ', at), line.size());
      words.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    for (int k = 0; k < 3; ++k) {
      const auto& [open, close] = elements[random() % std::size(elements)];
      const size_t first = random() % words.size();
      const size_t last = first + random() % (words.size() - first);
      // The second pair of tags is outside or inside the first, so that elements nest.
      words[first] = open + words[first];
      words[last] += close;
    }
    if (random() % 2 == 0) words[random() % words.size()] += "<br>";
    std::string html;
    for (const std::string& word : words) html += (html.empty() ? "" : " ") + word;
    job.contents.push_back("<p>" + html + "</p>");
  }
  const std::vector<ItemResult> items = Translate(job);
  ASSERT_EQ(items.size(), job.contents.size());
  for (size_t i = 0; i < items.size(); ++i) {
    ASSERT_TRUE(items[i].status.ok()) << items[i].status;
    const std::string& html = items[i].hypotheses[0].text;
    EXPECT_TRUE(Balanced(html)) << job.contents[i] << "\n" << html;
    // The translation has every tag of the source. Tags may repeat, because an element may have
    // been closed and reopened.
    const std::vector<std::string> had = Tags(job.contents[i]);
    const std::vector<std::string> have = Tags(html);
    EXPECT_TRUE(std::includes(have.begin(), have.end(), had.begin(), had.end()))
        << job.contents[i] << "\n"
        << html;
  }
}

TEST_F(EngineHtml, TermsAndPhrasesWorkOnTheTextOfARun) {
  TranslationJob job = Html("<p>Ich habe <b>Müller &amp; Söhne</b> gesehen.</p>");
  job.do_not_translate = {"Müller & Söhne"};
  EXPECT_EQ(TextOf(job), "<p>I saw <b>Müller &amp; Söhne</b>.</p>");
  TranslationJob terms = Html("<p>Der <i>große</i> <b>Hund</b> schläft.</p>");
  terms.terms = {{"große Hund", "giant hound", false}};
  const std::string text = TextOf(terms);
  std::string plain;
  for (size_t at = 0, depth = 0; at < text.size(); ++at) {
    if (text[at] == '<') depth = 1;
    if (depth == 0) plain += text[at];
    if (text[at] == '>') depth = 0;
  }
  EXPECT_THAT(plain, HasSubstr("giant hound")) << text;
}

TEST_F(EngineHtml, AlternativesAreHtmlEach) {
  TranslationJob job = Html("<p>Ich habe <b>Hunger</b>.</p>");
  job.decoding.beam_size = 4;
  job.decoding.num_alternatives = 4;
  const ItemResult item = TranslateOne(job);
  ASSERT_GE(item.hypotheses.size(), 2U);
  for (const Hypothesis& h : item.hypotheses) {
    EXPECT_TRUE(Balanced(h.text)) << h.text;
    EXPECT_THAT(h.text, HasSubstr("<b>"));
  }
  // Alternatives need an item of one segment, so a second paragraph is an error.
  job.contents = {"<p>Ich habe Hunger.</p><p>Ich bin da.</p>"};
  EXPECT_THAT(std::string(Translate(job).at(0).status.message()),
              HasSubstr("needs an item of one segment, found 2: send each paragraph as an "
                        "item of its own"));
}

TEST_F(EngineHtml, RefusesWhatHasNoMeaningByBothNames) {
  TranslationJob partials = Html("<p>Hallo.</p>");
  partials.returns.partials = true;
  EXPECT_THAT(std::string(Refused(partials).message()), HasSubstr("return_options.partials"));
  TranslationJob prefix = Html("<p>Hallo.</p>");
  prefix.target_prefixes = {"Hello"};
  EXPECT_THAT(std::string(Refused(prefix).message()), HasSubstr("target_prefixes"));
  prefix.target_prefixes = {""};
  EXPECT_FALSE(TextOf(prefix).empty());
}

TEST_F(EngineHtml, AnItemNestedTooDeepFailsAlone) {
  std::string deep;
  for (int i = 0; i <= kMaxInlineDepth; ++i) deep += "<b>";
  TranslationJob job = Html(deep + "Hallo");
  job.contents.push_back("<p>Ich habe Hunger.</p>");
  const std::vector<ItemResult> items = Translate(job);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(items[1].hypotheses.at(0).text, "<p>I'm hungry.</p>");
}

TEST_F(EngineHtml, SegmentsHaveNoUpdates) {
  TranslationJob job = Html("<p>Ich habe Hunger. Ich bin da.</p>");
  job.returns.segments = true;
  EXPECT_TRUE(Run(job)->updates().empty());
}

// ------------------------------------------------------------------------------------- alignment

TEST_F(EngineHtml, LinksAreBytesOfBothSides) {
  for (const std::string& line : GermanLines(60)) {
    TranslationJob job = Job({line});
    job.returns.alignment = true;
    job.returns.tokens = true;
    const ItemResult item = TranslateOne(job);
    const Hypothesis& best = item.hypotheses[0];
    ASSERT_FALSE(best.alignment.empty()) << line;
    ASSERT_LE(best.alignment.size(), best.tokens.size());
    int64_t end = 0;
    std::string outside;
    for (const AlignmentLink& link : best.alignment) {
      ASSERT_LE(end, link.target.begin);
      outside += Slice(best.text, {end, link.target.begin});
      end = link.target.end;
      const std::string target = Slice(best.text, link.target);
      const std::string source = Slice(line, link.source);
      ASSERT_FALSE(target.empty());
      ASSERT_FALSE(source.empty());
      ASSERT_EQ(StripWhiteSpace(target), target);
      ASSERT_EQ(StripWhiteSpace(source), source);
      ASSERT_FALSE(FirstInvalidUtf8(target) || FirstInvalidUtf8(source));
    }
    // Every token with text has a link, so only white space is outside the links.
    outside += best.text.substr(static_cast<size_t>(end));
    EXPECT_EQ(StripWhiteSpace(outside), "") << best.text;
  }
}

TEST_F(EngineHtml, LinksAreRight) {
  TranslationJob job = Job({"  Der Hund schläft."});
  job.returns.alignment = true;
  const ItemResult item = TranslateOne(job);
  const Hypothesis& best = item.hypotheses[0];
  EXPECT_EQ(best.text, "  The dog is sleeping.");
  bool found = false;
  for (const AlignmentLink& link : best.alignment) {
    if (Slice(best.text, link.target) != "dog") continue;
    found = true;
    EXPECT_EQ(Slice(job.contents[0], link.source), "Hund");
  }
  EXPECT_TRUE(found);
}

TEST_F(EngineHtml, AVerbatimPhraseIsLinkedWithItself) {
  TranslationJob job = Job({"Ich mag 😀 und 漢字 sehr."});
  job.do_not_translate = {"😀", "漢字"};
  job.returns.alignment = true;
  const ItemResult item = TranslateOne(job);
  const Hypothesis& best = item.hypotheses[0];
  int found = 0;
  for (const AlignmentLink& link : best.alignment) {
    const std::string target = Slice(best.text, link.target);
    if (target != "😀" && target != "漢字") continue;
    EXPECT_EQ(Slice(job.contents[0], link.source), target);
    ++found;
  }
  EXPECT_EQ(found, 2) << best.text;
}

TEST_F(EngineHtml, LinksOfHtmlAreBytesOfTheHtml) {
  TranslationJob job = Html("<p>Der <b>Hund</b> schläft.</p>");
  job.returns.alignment = true;
  const ItemResult item = TranslateOne(job);
  const Hypothesis& best = item.hypotheses[0];
  ASSERT_FALSE(best.alignment.empty());
  bool found = false;
  for (const AlignmentLink& link : best.alignment) {
    if (Slice(best.text, link.target) != "dog") continue;
    found = true;
    EXPECT_EQ(Slice(job.contents[0], link.source), "Hund");
  }
  EXPECT_TRUE(found) << best.text;
}

TEST_F(EngineHtml, LayerAndHeadsAreChecked) {
  TranslationJob job = Job({"Hallo."});
  job.returns.alignment = true;
  job.decoding.alignment_layer = engine_->info().decoder_layers;
  EXPECT_THAT(std::string(Refused(job).message()), HasSubstr("alignment_layer"));
  job.decoding.alignment_layer = 0;
  job.decoding.alignment_heads = {engine_->info().decoder_heads};
  EXPECT_THAT(std::string(Refused(job).message()), HasSubstr("alignment_heads"));
  job.decoding.alignment_heads = {0};
  EXPECT_FALSE(TranslateOne(job).hypotheses[0].alignment.empty());
}

// -------------------------------------------------------------------------------------- sampling

class EngineSampling : public testing::BundledEngine {
 protected:
  static TranslationJob Draws(const std::string& text, std::optional<uint64_t> seed,
                              int draws = 4) {
    TranslationJob job = Job({text});
    job.decoding.sampling = Sampling{};
    job.decoding.sampling->seed = seed;
    job.decoding.num_alternatives = draws;
    return job;
  }
  static std::vector<std::string> Texts(const ItemResult& item) {
    std::vector<std::string> texts;
    for (const Hypothesis& h : item.hypotheses) texts.push_back(h.text);
    return texts;
  }
};

constexpr char kSentence[] = "Wenn es morgen nicht regnet, gehen wir in den Park.";

TEST_F(EngineSampling, ASeedGivesTheSameDrawsAgain) {
  Start();
  const ItemResult first = TranslateOne(Draws(kSentence, 7));
  EXPECT_EQ(first.seed, 7U);
  ASSERT_EQ(first.hypotheses.size(), 4U);
  EXPECT_EQ(Texts(TranslateOne(Draws(kSentence, 7))), Texts(first));
  EXPECT_NE(Texts(TranslateOne(Draws(kSentence, 8))), Texts(first));
  // The draws are independent, so they are not all equal.
  const auto texts = Texts(first);
  EXPECT_NE(std::count(texts.begin(), texts.end(), texts[0]), 4);
}

TEST_F(EngineSampling, ASeedIsDrawnAndReturnedWhenNoneIsGiven) {
  EngineConfig config;
  uint64_t next = 1000;
  config.draw_seed = [&next] { return next++; };
  Start(config);
  const ItemResult first = TranslateOne(Draws(kSentence, std::nullopt));
  EXPECT_EQ(first.seed, 1000U);
  const ItemResult second = TranslateOne(Draws(kSentence, std::nullopt));
  EXPECT_EQ(second.seed, 1001U);
  EXPECT_EQ(Texts(TranslateOne(Draws(kSentence, 1001))), Texts(second));
  EXPECT_FALSE(TranslateOne(Job({kSentence})).seed.has_value());
}

TEST_F(EngineSampling, WithoutASourceOfSeedsTheyDiffer) {
  Start();
  const ItemResult first = TranslateOne(Draws(kSentence, std::nullopt));
  const ItemResult second = TranslateOne(Draws(kSentence, std::nullopt));
  ASSERT_TRUE(first.seed.has_value() && second.seed.has_value());
  EXPECT_NE(first.seed, second.seed);
}

TEST_F(EngineSampling, DrawsDoNotDependOnNeighboursButOnThePlaceInTheRequest) {
  Start();
  const auto alone = Texts(TranslateOne(Draws(kSentence, 5)));
  std::vector<std::shared_ptr<testing::CollectingSink>> sinks;
  for (int i = 0; i < 12; ++i) {
    auto sink = std::make_shared<testing::CollectingSink>();
    TranslationJob job = i % 3 == 0 ? Draws(kSentence, 5) : Job({"Ich habe heute keine Zeit."});
    ASSERT_TRUE(engine_->Translate(job, sink).status.ok());
    sinks.push_back(sink);
  }
  for (size_t i = 0; i < sinks.size(); ++i) {
    ASSERT_TRUE(sinks[i]->Wait().ok());
    if (i % 3 == 0) {
      EXPECT_EQ(Texts(sinks[i]->items().at(0)), alone);
    }
  }
  TranslationJob twice = Draws(kSentence, 5);
  twice.contents.push_back(kSentence);
  const std::vector<ItemResult> items = Translate(twice);
  EXPECT_EQ(Texts(items.at(0)), alone);
  EXPECT_NE(Texts(items.at(1)), alone);  // the item's ordinal differs
}

TEST_F(EngineSampling, TopKOfOneIsGreedySearch) {
  Start();
  TranslationJob greedy = Job({kSentence});
  greedy.decoding.beam_size = 1;
  TranslationJob job = Draws(kSentence, 3, 2);
  job.decoding.sampling->top_k = 1;
  const ItemResult item = TranslateOne(job);
  EXPECT_EQ(item.hypotheses.at(0).text, TextOf(greedy));
  EXPECT_EQ(item.hypotheses.at(1).text, item.hypotheses[0].text);
}

}  // namespace
}  // namespace dragoman::engine
