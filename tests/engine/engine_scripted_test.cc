// Tests the engine with a scripted model, which produces chosen hypotheses with the vocabulary of
// the bundled model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "engine/create_loaded_engine.h"
#include "engine/decode/backend.h"
#include "engine/model/layouts/model_source.h"
#include "tests/engine/support/bundled_engine.h"
#include "tests/engine/support/scripted_model.h"
#include "tests/engine/support/step_gate.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kNever = -std::numeric_limits<float>::infinity();

class EngineScripted : public testing::BundledEngine {
 protected:
  void SetUp() override {
    auto loaded = ExpectOk(LoadModel(testing::kBundledModel));
    loaded_ = std::make_unique<LoadedModel>(*std::move(loaded));
  }

  int32_t Id(const std::string& piece) const {
    return loaded_->TargetVocabulary().IdOf(piece).value();
  }
  int32_t Eos() const { return loaded_->spec.tokens.eos; }

  // Starts an engine that translates every source into these pieces and EOS. All other tokens are
  // possible with a much lower score, except `never`.
  void StartWith(const std::vector<std::string>& pieces,
                 const std::vector<std::string>& never = {}) {
    std::vector<int32_t> line;
    line.reserve(pieces.size() + 1);
    for (const std::string& piece : pieces) line.push_back(Id(piece));
    line.push_back(Eos());
    std::vector<int32_t> banned;
    banned.reserve(never.size());
    for (const std::string& piece : never) banned.push_back(Id(piece));
    const auto size = static_cast<size_t>(loaded_->spec.shape.target_vocab);
    StartScript([=](std::span<const int32_t>, std::span<const int32_t> prefix) {
      std::vector<float> logits(size, 0.0F);
      const size_t at = std::min(prefix.size(), line.size() - 1);
      logits[static_cast<size_t>(line[at])] = 20.0F;
      for (const int32_t id : banned) logits[static_cast<size_t>(id)] = kNever;
      return logits;
    });
  }
  void StartScript(testing::Script script) {
    EngineConfig config;
    config.max_rows = 32;
    auto engine = ExpectOk(CreateEngine(std::move(*loaded_),
                                        std::make_shared<testing::ScriptedModel>(std::move(script)),
                                        config, &clock_, &observer_));
    engine_ = std::move(*engine);
  }

  std::unique_ptr<LoadedModel> loaded_;
};

TEST_F(EngineScripted, WhatTheModelAnswersWithNothingComesBackAsItWas) {
  StartWith({});
  TranslationJob job = Job({"Das Haus. Der Hund.", "12"});
  const std::vector<ItemResult> items = Translate(job);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].hypotheses[0].text, "Das Haus. Der Hund.");
  ASSERT_EQ(items[0].warnings.size(), 1U);
  EXPECT_EQ(items[0].warnings[0].code, WarningCode::kNotTranslated);
  EXPECT_THAT(items[0].warnings[0].text, HasSubstr("2 parts"));
  EXPECT_TRUE(items[1].warnings.empty());

  TranslationJob html = Job({"<p>Das <b>Haus</b>.</p>"});
  html.format = TextFormat::kHtml;
  EXPECT_EQ(TextOf(html), "<p>Das Haus.<b></b></p>");
}

TEST_F(EngineScripted, CharactersThatNoSentinelCarriesAreCounted) {
  StartWith({"▁I", "▁like", "▁the", "▁house"});
  const ItemResult item = TranslateOne(Job({"Ich ❤ das Haus ❤."}));
  ASSERT_EQ(item.warnings.size(), 1U);
  EXPECT_EQ(item.warnings[0].code, WarningCode::kUnknownCharacters);
  EXPECT_EQ(item.warnings[0].text,
            "the model's vocabulary lacks characters in 2 places of the text");
}

TEST_F(EngineScripted, PlaceholdersThatTheModelLosesAreReported) {
  StartWith({"▁I", "▁like", "▁the", "▁house"});
  TranslationJob job = Job({"Ich mag das {0} von {0}."});
  job.preserve = true;
  const ItemResult item = TranslateOne(job);
  EXPECT_TRUE(item.preserved.empty());
  ASSERT_FALSE(item.warnings.empty());
  EXPECT_EQ(item.warnings[0].code, WarningCode::kPlaceholderLost);
  EXPECT_EQ(item.warnings[0].text, "the translation lacks 2 of the placeholders");
}

constexpr const char* kLongText =
    "Das Haus steht seit vielen Jahren am Rand der Stadt, und niemand weiß, wem es gehört.";

// A model that repeats "the house" eight times and has EOS as its second choice at each position.
class EngineGuard : public EngineScripted {
 protected:
  void StartWithLoop() {
    const int32_t words[] = {Id("▁the"), Id("▁house")};
    const int32_t eos = Eos();
    const auto size = static_cast<size_t>(loaded_->spec.shape.target_vocab);
    StartScript([=](std::span<const int32_t>, std::span<const int32_t> prefix) {
      std::vector<float> logits(size, 0.0F);
      logits[static_cast<size_t>(prefix.size() < 16 ? words[prefix.size() % 2] : eos)] = 40.0F;
      logits[static_cast<size_t>(eos)] = std::max(logits[static_cast<size_t>(eos)], 20.0F);
      return logits;
    });
  }
};

TEST_F(EngineGuard, WarnsOfALoop) {
  StartWithLoop();
  const ItemResult item = TranslateOne(Job({kLongText}));
  EXPECT_THAT(item.hypotheses[0].text, HasSubstr("the house the house the house"));
  ASSERT_EQ(item.warnings.size(), 1U);
  EXPECT_EQ(item.warnings[0].code, WarningCode::kSuspicious);
  EXPECT_EQ(item.warnings[0].text, "the translation of 1 of 1 segments repeats itself");
  EXPECT_EQ(observer_.suspicious.load(), 1);
  EXPECT_EQ(observer_.searched_again.load(), 0);
}

TEST_F(EngineGuard, SearchesAgainIfAsked) {
  StartWithLoop();
  TranslationJob job = Job({kLongText});
  job.guard = Guard::kRetry;
  const ItemResult item = TranslateOne(job);
  EXPECT_EQ(item.hypotheses[0].text, "the house the house the");
  EXPECT_TRUE(item.warnings.empty());
  EXPECT_EQ(observer_.suspicious.load(), 0);
  EXPECT_EQ(observer_.searched_again.load(), 1);
}

TEST_F(EngineGuard, JudgesNothingIfItIsOff) {
  StartWithLoop();
  TranslationJob job = Job({kLongText});
  job.guard = Guard::kOff;
  EXPECT_TRUE(TranslateOne(job).warnings.empty());
  EXPECT_EQ(observer_.suspicious.load(), 0);
}

TEST_F(EngineGuard, TranslatesTextWithoutLettersIfItIsOff) {
  StartWith({"▁the", "▁house"});
  TranslationJob job = Job({"12 34"});
  EXPECT_EQ(TranslateOne(job).hypotheses[0].text, "12 34");
  job.guard = Guard::kOff;
  EXPECT_EQ(TranslateOne(job).hypotheses[0].text, "the house");
}

TEST_F(EngineGuard, LeavesAnEmptyTranslationEmptyIfItIsOff) {
  StartWith({});
  TranslationJob job = Job({kLongText});
  EXPECT_EQ(TranslateOne(job).hypotheses[0].text, kLongText);
  job.guard = Guard::kOff;
  const ItemResult item = TranslateOne(job);
  EXPECT_EQ(item.hypotheses[0].text, "");
  EXPECT_TRUE(item.warnings.empty());
}

TEST_F(EngineGuard, KeepsTheFirstResultIfTheSecondIsNoBetter) {
  StartWith({"▁the", "▁house"});
  TranslationJob job = Job({kLongText});
  const ItemResult first = TranslateOne(job);
  job.guard = Guard::kRetry;
  const ItemResult item = TranslateOne(job);
  EXPECT_EQ(item.hypotheses[0].text, "the house");
  EXPECT_EQ(item.hypotheses[0].score, first.hypotheses[0].score);
  ASSERT_EQ(item.warnings.size(), 1U);
  EXPECT_EQ(item.warnings[0].text,
            "the translation of 1 of 1 segments is far shorter than the text");
  EXPECT_EQ(observer_.suspicious.load(), 2);
}

// An engine that tests at start whether its model copies sentinels.
class EngineSentinels : public EngineScripted {
 protected:
  // Translates a text with a phrase that must be kept. The model repeats its source, or only the
  // first token of it. Returns whether the model's input contained the phrase itself.
  bool ReadsPhrase(bool copies) {
    const int32_t eos = Eos();
    const int32_t phrase = Id("▁Haus");
    const auto size = static_cast<size_t>(loaded_->spec.shape.target_vocab);
    std::vector<int32_t> read;
    auto model = std::make_shared<testing::ScriptedModel>(
        [&](std::span<const int32_t> source, std::span<const int32_t> prefix) {
          read.assign(source.begin(), source.end());
          std::vector<float> logits(size, 0.0F);
          const size_t at = std::min(prefix.size(), source.size() - 1);
          const bool ends = at + 1 == source.size() || (!copies && at == 1);
          logits[static_cast<size_t>(ends ? eos : source[at])] = 20.0F;
          return logits;
        });
    auto engine = ExpectOk(CreateEngine(std::move(*loaded_), {{CreateCpuBackend(model), 1}},
                                        EngineConfig(), &clock_, &observer_, SentinelTrial::kRun));
    engine_ = *std::move(engine);
    TranslationJob job = Job({"Das Haus Hund."});
    job.do_not_translate = {"Haus"};
    EXPECT_THAT(TextOf(job), HasSubstr("Haus"));
    engine_.reset();  // joins the thread that writes `read`
    return std::ranges::count(read, phrase) == 1;
  }
};

TEST_F(EngineSentinels, ReplaceAPhraseIfTheModelCopiesThem) { EXPECT_FALSE(ReadsPhrase(true)); }

TEST_F(EngineSentinels, ReplaceNothingIfTheModelLosesThem) { EXPECT_TRUE(ReadsPhrase(false)); }

// The first search loops and then copies its source, so it has the phrase. The second one ends at
// the first repeated n-gram, without the phrase. The third has the phrase as a constraint.
TEST_F(EngineSentinels, AreReplacedByConstraintsIfTheSecondSearchLosesThem) {
  const int32_t loop[] = {Id("▁the"), Id("▁house")};
  const std::vector<int32_t> sentence = {Id("▁I"), Id("▁like"), Id("▁the"), Id("▁house")};
  const int32_t eos = Eos();
  const int32_t phrase = Id("▁Stadt");
  const auto size = static_cast<size_t>(loaded_->spec.shape.target_vocab);
  std::atomic<bool> tried = false;
  auto model = std::make_shared<testing::ScriptedModel>([&](std::span<const int32_t> source,
                                                            std::span<const int32_t> prefix) {
    std::vector<float> logits(size, 0.0F);
    const auto favour = [&logits](int32_t id, float logit) {
      float& now = logits[static_cast<size_t>(id)];
      now = std::max(now, logit);
    };
    const size_t at = prefix.size();
    if (std::ranges::count(source, phrase) > 0) {
      favour(at < sentence.size() ? sentence[at] : eos, 20.0F);
      return logits;
    }
    const size_t looped = tried ? 16 : 0;
    favour(at < looped ? loop[at % 2] : source[std::min(at - looped, source.size() - 1)], 40.0F);
    favour(eos, 20.0F);
    return logits;
  });
  auto engine = ExpectOk(CreateEngine(std::move(*loaded_), {{CreateCpuBackend(model), 1}},
                                      EngineConfig(), &clock_, &observer_, SentinelTrial::kRun));
  engine_ = *std::move(engine);
  tried = true;

  TranslationJob job = Job({"Das Haus in der Stadt mag ich sehr."});
  job.do_not_translate = {"Stadt"};
  EXPECT_THAT(TextOf(job), AllOf(HasSubstr("the house the house the house"), HasSubstr("Stadt")));
  EXPECT_EQ(observer_.searched_again.load(), 0);
  job.guard = Guard::kRetry;
  const ItemResult item = TranslateOne(job);
  EXPECT_THAT(item.hypotheses[0].text, AllOf(HasSubstr("I like"), HasSubstr("Stadt")));
  EXPECT_TRUE(item.warnings.empty()) << item.warnings[0].text;
  EXPECT_EQ(observer_.searched_again.load(), 2);
  engine_.reset();  // its thread reads `tried`
}

TEST_F(EngineScripted, WhatTheModelCannotMeetIsReportedAndItsNeighboursAreNot) {
  StartWith({"▁I", "▁like", "▁the", "▁house"}, {"▁dog"});
  ASSERT_EQ(Text("Ich mag das Haus."), "I like the house");
  TranslationJob job = Job({"Der Hund.", "Das Haus."});
  job.terms = {{"Hund", "dog", false}};
  job.returns.scores = true;
  const std::vector<ItemResult> items = Translate(job);
  ASSERT_EQ(items.size(), 2U);
  ASSERT_TRUE(items[0].status.ok());
  EXPECT_EQ(items[0].hypotheses[0].finish_reason, kernels::FinishReason::kConstraintsUnmet);
  EXPECT_THAT(items[0].hypotheses[0].text, HasSubstr("I like the house"));
  EXPECT_EQ(items[1].hypotheses[0].finish_reason, kernels::FinishReason::kEos);
  EXPECT_EQ(engine_->Stats().segments.constraints_unmet, 1);
}

TEST_F(EngineScripted, AnItemOfSeveralSegmentsHasTheWorstReason) {
  StartWith({"▁I", "▁like"}, {"▁dog"});
  TranslationJob job = Job({"Der Hund. Das Haus."});
  job.split = SplitMode::kSentences;
  job.terms = {{"Hund", "dog", false}};
  const ItemResult item = TranslateOne(job);
  EXPECT_EQ(item.sentences.size(), 2U);
  EXPECT_EQ(item.hypotheses[0].finish_reason, kernels::FinishReason::kConstraintsUnmet);
}

TEST_F(EngineScripted, AVerbatimPhraseThatIsNotMetIsNotWritten) {
  StartWith({"▁I", "▁like", "▁the", "▁house"}, {"<unk>"});
  TranslationJob job = Job({"Ich mag 😀."});
  job.do_not_translate = {"😀"};
  const ItemResult item = TranslateOne(job);
  EXPECT_EQ(item.hypotheses[0].finish_reason, kernels::FinishReason::kConstraintsUnmet);
  EXPECT_THAT(item.hypotheses[0].text, Not(HasSubstr("😀")));
}

TEST_F(EngineScripted, WhenEverythingIsForbiddenThereIsNoOutput) {
  const auto size = static_cast<size_t>(loaded_->spec.shape.target_vocab);
  StartScript([size, only = Id("▁I")](std::span<const int32_t>, std::span<const int32_t>) {
    std::vector<float> logits(size, kNever);
    logits[static_cast<size_t>(only)] = 0.0F;
    return logits;
  });
  TranslationJob job = Job({"Ich mag das Haus."});
  job.decoding.forbidden_phrases = {"I"};
  const ItemResult item = TranslateOne(job);
  EXPECT_EQ(item.hypotheses[0].finish_reason, kernels::FinishReason::kNoOutput);
  EXPECT_EQ(item.hypotheses[0].text, "Ich mag das Haus.");
}

TEST_F(EngineScripted, LinksFollowTheAttentionTokenByToken) {
  StartWith({"▁I", "▁like", "▁the", "▁house"});
  TranslationJob job = Job({" Ich mag das Haus"});
  job.returns.alignment = job.returns.tokens = true;
  const ItemResult item = TranslateOne(job);
  const Hypothesis& best = item.hypotheses[0];
  ASSERT_EQ(best.text, " I like the house");
  // The scripted alignment moves over the source from left to right.
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const AlignmentLink& link : best.alignment) {
    const auto slice = [](const std::string& text, const ByteRange& range) {
      return text.substr(static_cast<size_t>(range.begin),
                         static_cast<size_t>(range.end - range.begin));
    };
    pairs.emplace_back(slice(best.text, link.target), slice(job.contents[0], link.source));
  }
  ASSERT_GE(item.source_tokens.size(), 5U);
  EXPECT_EQ(pairs.size(), 4U);
  EXPECT_EQ(pairs[0], std::pair(std::string("I"), std::string("Ich")));
  EXPECT_EQ(pairs[3].first, "house");
}

TEST_F(EngineScripted, HtmlPutsTagsByTheAttention) {
  StartWith({"▁I", "▁like", "▁the", "▁house"});
  TranslationJob job = Job({"<p><b>Ich</b> mag <i>das</i> Haus</p>"});
  job.format = TextFormat::kHtml;
  EXPECT_EQ(TextOf(job), "<p><b>I</b> like <i>the</i> house</p>");
}

TEST_F(EngineScripted, PartialsShowAVerbatimPhraseOnlyWhole) {
  StartWith({"▁I", "▁like", "▁the", "▁house", "▁and", "▁the", "▁dog"});
  TranslationJob job = Job({"Ich mag THE HOUSE und den Hund."});
  job.do_not_translate = {"THE HOUSE"};
  job.returns.partials = true;
  const auto sink = Run(job);
  ASSERT_TRUE(sink->Wait().ok());
  std::string last;
  for (const SegmentUpdate& update : sink->updates()) {
    EXPECT_TRUE(update.text.starts_with(last)) << last << "\n" << update.text;
    EXPECT_THAT(update.text, Not(::testing::EndsWith("THE")));
    last = update.text;
  }
  EXPECT_THAT(last, HasSubstr("THE HOUSE"));
}

// An engine whose encoder takes one window of at most 64 segments and then waits for the gate.
// Segments submitted later stay in the queue, which has room for 400.
class EngineHeld : public EngineScripted {
 protected:
  void SetUp() override {
    EngineScripted::SetUp();
    std::vector<float> logits(static_cast<size_t>(loaded_->spec.shape.target_vocab), 0.0F);
    logits[static_cast<size_t>(Eos())] = 20.0F;
    const auto model = std::make_shared<testing::ScriptedModel>(
        [logits](std::span<const int32_t>, std::span<const int32_t>) { return logits; });
    EngineConfig config;
    config.max_queue_segments = 400;
    auto engine = ExpectOk(CreateEngine(std::move(*loaded_), model, config, &clock_, &observer_));
    engine_ = std::move(*engine);
    model->before_encode = [this](int64_t) {
      gate_.Pass();
      return absl::OkStatus();
    };
  }
  void TearDown() override {
    gate_.Open();
    engine_.reset();
  }

  Admission Submit(const std::string& client, std::vector<std::string> contents) {
    TranslationJob job = Job(std::move(contents));
    job.client = client;
    auto sink = std::make_shared<testing::CollectingSink>();
    Admission admission = engine_->Translate(job, sink);
    if (admission.status.ok()) sinks_.push_back(sink);
    return admission;
  }
  // Opens the gate and waits until all accepted jobs have ended.
  void Finish() {
    gate_.Open();
    for (const auto& sink : sinks_) EXPECT_TRUE(sink->Wait().ok());
    EXPECT_EQ(engine_->Stats().queue_segments, 0);
    EXPECT_EQ(engine_->Stats().queue_tokens, 0);
  }

  testing::StepGate gate_;
  std::vector<std::shared_ptr<testing::CollectingSink>> sinks_;
};

TEST_F(EngineHeld, AClientThatFillsTheQueueKeepsNobodyElseOut) {
  Admission hog;
  while (hog.status.ok()) hog = Submit("hog", std::vector<std::string>(20, "Ich habe Hunger."));
  EXPECT_EQ(hog.reason, RejectReason::kClientShare);
  EXPECT_EQ(hog.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(hog.status.message(), HasSubstr("the client's share of the queue is full"));
  EXPECT_GT(hog.retry_after, 0);
  for (int i = 0; i < 20; ++i) {
    const Admission polite = Submit("polite" + std::to_string(i), {"Ich habe Hunger."});
    EXPECT_TRUE(polite.status.ok()) << polite.status;
  }
  Finish();
}

// The estimate reserves tokens for each sentence, before the text is tokenized. A second text of
// many short sentences is therefore refused at once.
TEST_F(EngineHeld, AnEstimateCountsSentencesAndNotLength) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "Ja. ";
  EXPECT_TRUE(Submit("hog", {text}).status.ok());
  EXPECT_EQ(Submit("hog", {text}).status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Submit("polite", {"Ich habe Hunger."}).status.ok());
  Finish();
}

}  // namespace
}  // namespace dragoman::engine
