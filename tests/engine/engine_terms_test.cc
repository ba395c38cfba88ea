// Tests terms, glossaries and do_not_translate in the complete engine with the bundled model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <random>

#include "absl/strings/str_cat.h"
#include "engine/api/glossary_terms.h"
#include "tests/engine/support/bundled_engine.h"
#include "tests/support/temp_directory.h"

namespace dragoman::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class EngineTerms : public testing::BundledEngine {
 protected:
  const GlossarySource& Source() const { return dynamic_cast<const GlossarySource&>(*engine_); }
  void Write(const std::string& file, const std::string& bytes) { folder_.Write(file, bytes); }
  void StartWithGlossaries() {
    EngineConfig config;
    config.glossary_directory = directory_;
    Start(config);
  }
  static TranslationJob With(const std::string& text, std::vector<TermRequest> terms) {
    TranslationJob job = Job({text});
    job.terms = std::move(terms);
    return job;
  }
  static TranslationJob Keeping(const std::string& text, std::vector<std::string> phrases) {
    TranslationJob job = Job({text});
    job.do_not_translate = std::move(phrases);
    return job;
  }

  const TempDirectory folder_;
  const fs::path directory_ = folder_.path();
};

TEST_F(EngineTerms, EveryOccurrenceAsksForItsTarget) {
  Start();
  const TermRequest dog{"Hund", "hound", false};
  EXPECT_THAT(TextOf(With("Der Hund schläft.", {dog})), HasSubstr("hound"));
  EXPECT_GE(Count(TextOf(With("Der Hund und der Hund schlafen.", {dog})), "hound"), 2U);
  // A term matches only complete words, in its own case.
  EXPECT_EQ(TextOf(With("Der Hundekuchen ist gut.", {dog})), Text("Der Hundekuchen ist gut."));
  EXPECT_EQ(TextOf(With("Der HUND schläft.", {dog})), Text("Der HUND schläft."));
  EXPECT_THAT(TextOf(With("Der HUND schläft.", {{"Hund", "hound", true}})), HasSubstr("hound"));
}

// Every target is the beginning of a longer word that the model prefers, such as "houses" or
// "works". The output must contain the target as a separate word.
TEST_F(EngineTerms, ATargetIsAWordOfItsOwn) {
  Start();
  const auto is_word = [](const std::string& text, const std::string& word) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const auto letter = [&](size_t i) {
        return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0;
      };
      if (!letter(at - 1) && !letter(at + word.size())) return true;
    }
    return false;
  };
  const struct {
    const char* text;
    TermRequest term;
  } cases[] = {{"Die Häuser sind alt.", {"Häuser", "house", false}},
               {"Ich habe drei Bücher gekauft.", {"Bücher", "book", false}},
               {"Er arbeitet in einer Fabrik.", {"arbeitet", "work", false}},
               {"Die Katzen sind müde.", {"Katzen", "cat", false}},
               {"Die Lehrer sind nett.", {"Lehrer", "teach", false}},
               {"Der Hund schläft.", {"schläft", "sleep", false}}};
  for (const auto& c : cases) {
    for (const int beam : {1, 4, 6}) {
      SCOPED_TRACE(absl::StrCat(c.term.target, " with beam ", beam));
      TranslationJob job = With(c.text, {c.term});
      job.decoding.beam_size = beam;
      const ItemResult item = TranslateOne(job);
      EXPECT_EQ(item.hypotheses[0].finish_reason, kernels::FinishReason::kEos)
          << item.hypotheses[0].text;
      EXPECT_TRUE(is_word(item.hypotheses[0].text, c.term.target)) << item.hypotheses[0].text;
      // A required phrase does not count inside a longer word, either.
      TranslationJob required = Job({c.text});
      required.decoding.beam_size = beam;
      required.decoding.required_phrases = {{c.term.target, false}};
      const std::string text = TextOf(required);
      EXPECT_TRUE(is_word(text, c.term.target)) << text;
    }
  }
}

TEST_F(EngineTerms, TermsActOnTheSegmentsThatHoldThem) {
  Start();
  TranslationJob job = With("Der Hund schläft. Ich habe Hunger.", {{"Hund", "hound", false}});
  job.contents.push_back("Ich habe Hunger.");
  const std::vector<ItemResult> items = Translate(job);
  ASSERT_EQ(items.size(), 2U);
  ASSERT_EQ(items[0].sentences.size(), 2U);
  EXPECT_THAT(items[0].hypotheses[0].text, HasSubstr("hound"));
  EXPECT_TRUE(items[0].hypotheses[0].text.ends_with(" I'm hungry."));
  EXPECT_EQ(items[1].hypotheses[0].text, "I'm hungry.");
}

TEST_F(EngineTerms, ASegmentWithoutOccurrencesIsAnOrdinaryOne) {
  Start();
  for (const Profile profile :
       {Profile::kHf, Profile::kCt2, Profile::kMarian, Profile::kPaper, Profile::kArticle}) {
    TranslationJob plain = Job({"Wir fahren morgen mit dem Zug nach Berlin."});
    plain.decoding.profile = profile;
    plain.returns.scores = plain.returns.tokens = plain.returns.token_scores = true;
    TranslationJob asked = plain;
    asked.terms = {{"Hund", "hound", false}};
    asked.do_not_translate = {"Katze"};
    const ItemResult want = TranslateOne(plain);
    const ItemResult got = TranslateOne(asked);
    EXPECT_EQ(got.hypotheses[0].tokens, want.hypotheses[0].tokens);
    EXPECT_EQ(got.hypotheses[0].score, want.hypotheses[0].score);
    EXPECT_EQ(got.hypotheses[0].token_scores, want.hypotheses[0].token_scores);
  }
}

TEST_F(EngineTerms, OverlappingTermsTakeTheLeftmostAndLongest) {
  Write("animals.tsv", "Hund\thound\nder große Hund\tthe giant\nKatze\ttomcat\n");
  StartWithGlossaries();
  TranslationJob job = Job({"Heute schläft der große Hund."});
  job.glossary = "animals";
  const std::string text = TextOf(job);
  EXPECT_THAT(text, HasSubstr("the giant"));
  EXPECT_THAT(text, Not(HasSubstr("hound")));
  // If both match, the request's terms take precedence over the glossary.
  job.terms = {{"der große Hund", "the beast", false}};
  const std::string own = TextOf(job);
  EXPECT_THAT(own, HasSubstr("the beast"));
  EXPECT_THAT(own, Not(HasSubstr("giant")));
}

TEST_F(EngineTerms, GlossariesAreNamedAndCheckedAtStart) {
  Write("b.tsv", "Hund\thound\n");
  Write("a.csv", "Katze,tomcat\n");
  Write("notes.md", "not a glossary");
  StartWithGlossaries();
  EXPECT_THAT(engine_->info().glossaries, ElementsAre("a", "b"));
  TranslationJob job = Job({"Die katze schläft."});
  job.glossary = "a";
  job.glossary_ignore_case = true;
  EXPECT_THAT(TextOf(job), HasSubstr("tomcat"));
  job.glossary = "c";
  EXPECT_EQ(Refused(job).code(), absl::StatusCode::kNotFound);
  engine_.reset();

  const auto error = [&](const std::string& bytes) {
    Write("b.tsv", bytes);
    EngineConfig config;
    config.glossary_directory = directory_;
    const auto engine = CreateEngine(testing::kBundledModel, config, &clock_, &observer_);
    EXPECT_FALSE(engine.ok());
    return std::string(engine.status().message());
  };
  EXPECT_THAT(error("Hund\thound\nHund\tdog\n"), HasSubstr("b.tsv:2"));
  EXPECT_THAT(error("Katze\tcat\nHund\t犬\n"), HasSubstr("b.tsv:2"));
  EngineConfig config;
  config.glossary_directory = directory_ / "nothing";
  EXPECT_EQ(CreateEngine(testing::kBundledModel, config, &clock_, &observer_).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(EngineTerms, AReloadReplacesGlossariesAndAnErrorChangesNothing) {
  Write("a.tsv", "Hund\thound\n");
  StartWithGlossaries();
  TranslationJob job = Job({"Der Hund schläft."});
  job.glossary = "a";
  EXPECT_THAT(TextOf(job), HasSubstr("hound"));
  const ModelInfo& before = engine_->info();
  const std::shared_ptr<const GlossaryTerms> held = Source().FindGlossary("a");
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(Source().FindGlossary("b"), nullptr);

  Write("a.tsv", "Hund\tbeast\n");
  Write("b.tsv", "Katze\ttomcat\n");
  ASSERT_TRUE(engine_->ReloadGlossaries(nullptr).ok());
  EXPECT_THAT(TextOf(job), HasSubstr("beast"));
  EXPECT_THAT(engine_->info().glossaries, ElementsAre("a", "b"));
  EXPECT_THAT(before.glossaries, ElementsAre("a"));  // a holder of the old list may still read it
  ASSERT_EQ(held->size(), 1U);
  EXPECT_EQ(held->entry(0).source, "Hund");
  EXPECT_EQ(held->entry(0).target, "hound");
  EXPECT_EQ(Source().FindGlossary("a")->entry(0).target, "beast");

  Write("a.tsv", "Hund\n");
  EXPECT_THAT(std::string(engine_->ReloadGlossaries(nullptr).message()), HasSubstr("a.tsv:1"));
  EXPECT_THAT(TextOf(job), HasSubstr("beast"));
  Write("a.tsv", "Hund\t犬\n");
  EXPECT_EQ(engine_->ReloadGlossaries(nullptr).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(TextOf(job), HasSubstr("beast"));
}

TEST_F(EngineTerms, AnEngineWithoutADirectoryHasNoGlossaries) {
  Start();
  EXPECT_TRUE(engine_->ReloadGlossaries(nullptr).ok());
  EXPECT_TRUE(engine_->info().glossaries.empty());
  TranslationJob job = Job({"Hallo."});
  job.glossary = "a";
  EXPECT_EQ(Refused(job).code(), absl::StatusCode::kNotFound);
}

TEST_F(EngineTerms, BadTermsAreRefusedByName) {
  Start();
  EXPECT_THAT(
      std::string(
          Refused(With("Hallo.", {{"Hund", "dog", false}, {"Hund", "cat", false}})).message()),
      HasSubstr("terms[1]"));
  EXPECT_THAT(std::string(Refused(With("Hallo.", {{"Hund", " ", false}})).message()),
              HasSubstr("terms[0]"));
  EXPECT_THAT(std::string(Refused(Keeping("Hallo.", {"Hund", ""})).message()),
              HasSubstr("do_not_translate[1]"));
  // Only the vocabulary tells whether the model can write a target, so the error fails the items
  // and not the call.
  const auto items = Translate(With("Ich habe Hunger.", {{"Hund", "犬", false}}));
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(items[0].status.message()), HasSubstr("terms[0]"));
}

TEST_F(EngineTerms, TermsThatDoNotFitFailTheirItemWithTheNumbers) {
  Start();
  TranslationJob job = With("Hund Hund Hund Hund Hund", {{"Hund", "the very big hound", false}});
  job.contents.push_back("Hund");
  job.decoding.max_output_tokens = 12;
  const std::vector<ItemResult> items = Translate(job);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(items[0].status.message()), HasSubstr("output limit is 12"));
  EXPECT_TRUE(items[1].status.ok());

  std::string many;
  for (int i = 0; i < 60; ++i) many += "Hund ";
  TranslationJob limit = With(many, {{"Hund", "the hound", false}});
  limit.decoding.max_length_extra = 400;
  const std::vector<ItemResult> refused = Translate(limit);
  EXPECT_THAT(std::string(refused.at(0).status.message()), HasSubstr("expected at most 128"));
}

TEST_F(EngineTerms, ATermThatNeedsAForbiddenPhraseIsRefused) {
  Start();
  TranslationJob job = With("Der Hund schläft.", {{"Hund", "big hound", false}});
  job.decoding.forbidden_phrases = {"big"};
  const std::vector<ItemResult> items = Translate(job);
  EXPECT_EQ(std::string(items.at(0).status.message()),
            "decoding.forbidden_phrases[0] is a part of terms[0], expected one of them only");
}

TEST_F(EngineTerms, WhatIsNotToBeTranslatedComesBackByteForByte) {
  Start();
  // Unknown scripts and symbols, characters that normalisation changes, two spaces, punctuation,
  // and text that looks like tokens.
  const std::string phrases[] = {"😀",   "👩\u200D👩\u200D👧", "漢字",   "ไทย", "Ｈａｌｌｏ", "x  y",
                                 "a▁b", "<unk>",           "ﬁn",     "½",   "Müller",     "Straße",
                                 "C++", "e\u0301",         ">>fra<<"};
  for (const std::string& phrase : phrases) {
    const ItemResult item =
        TranslateOne(Keeping(absl::StrCat("Ich habe ", phrase, " gestern gesehen."), {phrase}));
    EXPECT_GE(Count(item.hypotheses[0].text, phrase), 1U) << item.hypotheses[0].text;
    EXPECT_LE(item.hypotheses[0].finish_reason, kernels::FinishReason::kLength) << phrase;
  }
}

TEST_F(EngineTerms, PhrasesOfTheSameTokensComeInTheirOrder) {
  Start();
  const std::string text = TextOf(Keeping("Ich mag 😀 und 漢字 und 😀 sehr.", {"😀", "漢字"}));
  const size_t first = text.find("😀");
  const size_t second = text.find("漢字");
  const size_t third = text.rfind("😀");
  ASSERT_NE(first, std::string::npos) << text;
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_TRUE(first < second && second < third) << text;
  EXPECT_EQ(Count(text, "😀"), 2U) << text;
  EXPECT_EQ(Count(text, "漢字"), 1U) << text;
}

TEST_F(EngineTerms, PhrasesThatOnlyStandForThemselvesComeExactlyOnceEach) {
  Start();
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  const std::vector<std::string> signs = {"😀", "漢字", "ไทย", "🎉"};
  std::mt19937 random(4);
  int checked = 0;
  TranslationJob job;
  job.do_not_translate = signs;
  std::vector<std::vector<size_t>> wanted;
  for (std::string line; std::getline(file, line) && wanted.size() < 60;) {
    if (line.find(' ') == std::string::npos) continue;
    std::vector<size_t> counts(signs.size());
    for (size_t k = 1 + random() % 3; k > 0; --k) {
      std::vector<size_t> spaces;
      for (size_t at = line.find(' '); at != std::string::npos; at = line.find(' ', at + 1)) {
        spaces.push_back(at);
      }
      const size_t which = random() % signs.size();
      line.insert(spaces[random() % spaces.size()], " " + signs[which]);
      ++counts[which];
    }
    job.contents.push_back(line);
    wanted.push_back(counts);
  }
  job.decoding.beam_size = 4;
  const std::vector<ItemResult> items = Translate(job);
  ASSERT_EQ(items.size(), wanted.size());
  for (size_t i = 0; i < items.size(); ++i) {
    ASSERT_TRUE(items[i].status.ok()) << items[i].status;
    const Hypothesis& best = items[i].hypotheses[0];
    ASSERT_LE(best.finish_reason, kernels::FinishReason::kLength) << job.contents[i];
    for (size_t k = 0; k < signs.size(); ++k) {
      EXPECT_EQ(Count(best.text, signs[k]), wanted[i][k]) << job.contents[i] << "\n" << best.text;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 240);
  // Translations that lost a sentinel were searched again, each at most once.
  EXPECT_GT(observer_.searched_again.load(), 0);
  EXPECT_LE(observer_.searched_again.load(), 60);
  EXPECT_EQ(engine_->Stats().segments.waiting + engine_->Stats().segments.running, 0);
}

TEST_F(EngineTerms, PlaceholdersStayAndAreListed) {
  Start();
  TranslationJob job =
      Job({"Bitte öffne {0} und schreibe an info@example.com.", "Das Haus ist alt.",
           "https://example.com", "<b>&lt;x id=1/&gt;</b> ist neu."});
  const std::vector<ItemResult> without = Translate(job);
  job.preserve = true;
  const std::vector<ItemResult> items = Translate(job);
  const std::string& text = items[0].hypotheses[0].text;
  EXPECT_EQ(Count(text, "{0}"), 1U) << text;
  EXPECT_EQ(Count(text, "info@example.com"), 1U) << text;
  EXPECT_THAT(items[0].preserved, ElementsAre("{0}", "info@example.com"));
  EXPECT_TRUE(items[0].warnings.empty());
  EXPECT_EQ(items[1].hypotheses[0].text, without[1].hypotheses[0].text);
  EXPECT_EQ(items[1].hypotheses[0].score, without[1].hypotheses[0].score);
  EXPECT_TRUE(items[1].preserved.empty());
  EXPECT_EQ(items[2].hypotheses[0].text, "https://example.com");
  EXPECT_THAT(items[2].preserved, ElementsAre("https://example.com"));

  TranslationJob html = Job({job.contents[3]});
  html.format = TextFormat::kHtml;
  const ItemResult item = TranslateOne(html);
  EXPECT_THAT(item.hypotheses[0].text, HasSubstr("&lt;x id=1/&gt;"));
  EXPECT_THAT(item.preserved, ElementsAre("<x id=1/>"));
  html.preserve = false;
  EXPECT_TRUE(TranslateOne(html).preserved.empty());
}

TEST_F(EngineTerms, CapitalsAreTranslatedInLowerCase) {
  Start();
  TranslationJob job =
      Job({"Kannst du mir sagen, wo der bahnhof ist?", "KANNST DU MIR SAGEN, WO DER BAHNHOF IST?",
           "ICH WOHNE IN DER LANGEN STRAßE. ABER {name} WOHNT HIER SCHON LANGE.", "UNESCO"});
  job.preserve = true;
  const std::vector<ItemResult> items = Translate(job);
  std::string expected = items[0].hypotheses[0].text;
  for (char& c : expected) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(items[1].hypotheses[0].text, expected);
  EXPECT_EQ(items[1].hypotheses[0].score, items[0].hypotheses[0].score);
  const std::string& kept = items[2].hypotheses[0].text;
  EXPECT_EQ(Count(kept, "{name}"), 1U) << kept;
  EXPECT_THAT(kept, HasSubstr(" HERE")) << kept;

  job.recase = false;
  const std::vector<ItemResult> plain = Translate(job);
  EXPECT_NE(plain[1].hypotheses[0].text, expected);
  EXPECT_EQ(plain[3].hypotheses[0].text, items[3].hypotheses[0].text);
}

// Constraints cannot restore what a random draw lost, so a warning reports the loss.
TEST_F(EngineTerms, ADrawThatLostAPlaceholderIsNotSearchedAgain) {
  Start();
  TranslationJob job = Job({});
  for (int i = 0; i < 40; ++i) {
    job.contents.push_back(absl::StrCat("Ich habe {", i, "} und @du gestern im Garten gesehen."));
  }
  job.preserve = true;
  job.decoding.sampling = Sampling{};
  job.decoding.temperature = 2.0F;
  job.decoding.sampling->seed = 1;
  int lost = 0;
  for (const ItemResult& item : Translate(job)) {
    EXPECT_LE(item.hypotheses[0].finish_reason, kernels::FinishReason::kLength);
    lost += item.preserved.size() < 2;
    const bool is_warned = std::ranges::any_of(item.warnings, [](const Warning& warning) {
      return warning.code == WarningCode::kPlaceholderLost;
    });
    EXPECT_EQ(item.preserved.size() < 2, is_warned);
  }
  EXPECT_GT(lost, 0);
  EXPECT_EQ(observer_.searched_again.load(), 0);
}

TEST_F(EngineTerms, NothingOfTheTrialIsCounted) {
  Start();
  EXPECT_EQ(engine_->Stats().segments.accepted, 0);
  EXPECT_EQ(observer_.steps.load(), 0);
}

TEST_F(EngineTerms, SentinelsShowNowhere) {
  Start();
  TranslationJob job = Keeping("Ich wohne in der Langen Straße.", {"Langen Straße"});
  job.returns.tokens = job.returns.token_scores = job.returns.alignment = true;
  const std::string text = job.contents[0];
  const ItemResult item = TranslateOne(job);
  ASSERT_EQ(observer_.searched_again.load(), 0);
  const Hypothesis& best = item.hypotheses[0];
  EXPECT_EQ(Count(best.text, "Langen Straße"), 1U) << best.text;
  EXPECT_THAT(best.tokens, ::testing::Contains("Langen Straße"));
  EXPECT_THAT(item.source_tokens, ::testing::Contains("Langen Straße"));
  EXPECT_EQ(best.token_scores.size(), best.tokens.size() + 1);  // plus one score for EOS
  bool aligned = false;
  for (const AlignmentLink& link : best.alignment) {
    const auto begin = static_cast<size_t>(link.target.begin);
    const auto size = static_cast<size_t>(link.target.end) - begin;
    if (best.text.substr(begin, size) != "Langen Straße") continue;
    EXPECT_EQ(text.substr(static_cast<size_t>(link.source.begin),
                          static_cast<size_t>(link.source.end - link.source.begin)),
              "Langen Straße");
    aligned = true;
  }
  EXPECT_TRUE(aligned);
}

TEST_F(EngineTerms, NoSentenceEndsInsideAPhrase) {
  Start();
  const ItemResult item = TranslateOne(Keeping(
      "Sie arbeitet bei Yahoo! Deutschland in Berlin. Er schläft.", {"Yahoo! Deutschland"}));
  EXPECT_EQ(Count(item.hypotheses[0].text, "Yahoo! Deutschland"), 1U) << item.hypotheses[0].text;
  EXPECT_EQ(item.sentences.size(), 2U);
}

TEST_F(EngineTerms, ASegmentThatIsAllPhraseIsNotTranslated) {
  Start();
  EXPECT_EQ(Text("Guten Morgen!"), "Good morning.");
  EXPECT_EQ(TextOf(Keeping("Guten Morgen! (Guten Morgen)", {"Guten Morgen"})),
            "Guten Morgen! (Guten Morgen)");
}

TEST_F(EngineTerms, TextThatTheVocabularyLacksSurvives) {
  Start();
  const auto has = [&](const std::string& text, const std::string& part) {
    EXPECT_EQ(Count(Text(text), part), 1U) << text << "\n" << Text(text);
  };
  has("Ich liebe ❤️ dich sehr.", "❤️");
  has("Schreib mir an support@example.com, bitte.", "support@example.com");
  has("Hallo {{user.name}}, wie geht es dir?", "{{user.name}}");
  has("| Sortieren | ❌ | ✅ |", "❌ | ✅ |");
}

TEST_F(EngineTerms, WhatTheModelCannotReadComesBackWithAWarning) {
  Start();
  const ItemResult item = TranslateOne(Job({"Guten Morgen! 你好吗？"}));
  EXPECT_EQ(item.hypotheses[0].text, "Good morning. 你好吗？");
  ASSERT_EQ(item.warnings.size(), 1U);
  EXPECT_EQ(item.warnings[0].code, WarningCode::kNotTranslated);
  EXPECT_TRUE(TranslateOne(Job({"Guten Morgen!"})).warnings.empty());
  EXPECT_TRUE(TranslateOne(Job({"12:30"})).warnings.empty());
}

TEST_F(EngineTerms, TheBeamFollowsTheConstraintsUnlessItIsAskedFor) {
  Start();
  // "puppy" has four tokens, so the beam must be at least 5.
  TranslationJob job = With("Mein Hund mag den alten Mann nicht.", {{"Hund", "puppy", false}});
  job.returns.scores = true;
  const ItemResult open = TranslateOne(job);
  EXPECT_TRUE(open.warnings.empty());
  job.decoding.beam_size = 6;
  const ItemResult six = TranslateOne(job);
  EXPECT_EQ(open.hypotheses[0].text, six.hypotheses[0].text);
  EXPECT_EQ(open.hypotheses[0].score, six.hypotheses[0].score);
  EXPECT_TRUE(six.warnings.empty());
  job.decoding.beam_size = 1;
  const ItemResult one = TranslateOne(job);
  ASSERT_EQ(one.warnings.size(), 1U);
  EXPECT_EQ(one.warnings[0].code, WarningCode::kBeamTooNarrow);
  EXPECT_EQ(one.warnings[0].text,
            "a beam of 1 for 4 constraint tokens, expected at least 5: in 1 of 1 segments");
}

TEST_F(EngineTerms, ASearchThatEndsAtTheLimitIsWarnedOf) {
  Start();
  TranslationJob job = Job({"Das alte Haus am See gehört meinem Bruder."});
  job.decoding.max_output_tokens = 4;
  const ItemResult item = TranslateOne(job);
  ASSERT_EQ(item.warnings.size(), 1U);
  EXPECT_EQ(item.warnings[0].code, WarningCode::kOutputLimit);
}

TEST_F(EngineTerms, VerbatimPhrasesStandWhereTheDetokeniserPutsThem) {
  Start();
  EXPECT_EQ(TextOf(Keeping("Ich mag 😀 sehr.", {"😀"})), "I like 😀 very much.");
  EXPECT_THAT(TextOf(Keeping("Das Buch „Haus am See“ ist gut.", {"Haus am See"})),
              HasSubstr("\"Haus am See"));
}

TEST_F(EngineTerms, AProfileThatNeverWritesUnknownTokensKeepsPhrasesTheSame) {
  Start();
  TranslationJob job = Keeping("Ich mag 😀 sehr.", {"😀"});
  job.decoding.profile = Profile::kMarian;
  const ItemResult item = TranslateOne(job);
  EXPECT_THAT(item.hypotheses[0].text, HasSubstr("😀"));
  EXPECT_EQ(item.hypotheses[0].finish_reason, kernels::FinishReason::kEos);
  // In other texts this profile never writes <unk>.
  TranslationJob plain = Job({"Ich mag 😀 sehr."});
  plain.decoding.profile = Profile::kMarian;
  plain.returns.tokens = true;
  EXPECT_THAT(TranslateOne(plain).hypotheses[0].tokens, Not(::testing::Contains("<unk>")));
}

TEST_F(EngineTerms, EveryAlternativeKeepsThePhrase) {
  Start();
  TranslationJob job = Keeping("Ich habe 漢字 und Wasser gesehen.", {"漢字"});
  job.decoding.beam_size = 6;
  job.decoding.num_alternatives = 6;
  const ItemResult item = TranslateOne(job);
  EXPECT_GE(item.hypotheses.size(), 2U);
  for (const Hypothesis& h : item.hypotheses) EXPECT_THAT(h.text, HasSubstr("漢字"));
}

// A translation with sentinels may be replaced by that of a second search, so no partial of it is
// shown.
TEST_F(EngineTerms, PartialsOnlyGrowAndShowNoSentinels) {
  Start();
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  TranslationJob job;
  job.do_not_translate = {"😀"};
  job.returns.partials = true;
  for (std::string line; std::getline(file, line) && job.contents.size() < 40;) {
    const size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    if (job.contents.size() % 2 == 0) line.insert(space, " 😀");
    job.contents.push_back(line);
  }
  const auto sink = Run(job);
  std::map<std::pair<int, int>, std::string> shown;
  size_t partials = 0;
  for (const SegmentUpdate& update : sink->updates()) {
    std::string& last = shown[{update.item, update.segment}];
    ASSERT_TRUE(update.text.starts_with(last)) << last << "\n" << update.text;
    last = update.text;
    partials += update.final ? 0 : 1;
    EXPECT_THAT(update.text, Not(HasSubstr("Xk")));
  }
  EXPECT_GT(partials, 10U);
}

}  // namespace
}  // namespace dragoman::engine
