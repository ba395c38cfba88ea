// Tests the complete engine with the bundled model.
#include "engine/api/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/engine/support/bundled_engine.h"

namespace dragoman::engine {
namespace {

using testing::CollectingSink;

class EngineTest : public testing::BundledEngine {};

TEST_F(EngineTest, TranslatesASentence) {
  Start();
  EXPECT_EQ(Text("Ich habe Hunger."), "I'm hungry.");
  EXPECT_EQ(engine_->info().family, "marian");
  EXPECT_EQ(engine_->info().name, "de-en");
  EXPECT_GT(engine_->info().parameters, 6'000'000);
}

TEST_F(EngineTest, WhiteSpaceAndParagraphsComeBackAsTheyWere) {
  Start();
  EXPECT_EQ(Text(" \n\t "), " \n\t ");
  const std::string one = Text("Ich habe Hunger.");
  EXPECT_EQ(Text("  Ich habe Hunger.\r\n\r\n\tIch habe Hunger. \n"),
            "  " + one + "\r\n\r\n\t" + one + " \n");
  const auto items = Translate(Job({"Ich habe Hunger. Ich habe Hunger.", "", "Ich habe Hunger."}));
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].hypotheses[0].text, one + " " + one);
  EXPECT_EQ(items[1].hypotheses[0].text, "");
  EXPECT_EQ(items[2].hypotheses[0].text, one);
  ASSERT_EQ(items[0].sentences.size(), 2U);
  EXPECT_EQ(items[0].sentences[1].source.begin, 17);
  EXPECT_EQ(items[0].sentences[1].target.begin, static_cast<int64_t>(one.size()) + 1);
}

TEST_F(EngineTest, GivesScoresTokensAndAlternatives) {
  Start();
  TranslationJob job = Job({"Ich habe Hunger."});
  job.decoding.beam_size = 4;
  job.decoding.num_alternatives = 3;
  job.returns.scores = job.returns.tokens = job.returns.token_scores = true;
  const ItemResult item = Translate(job).at(0);
  ASSERT_EQ(item.hypotheses.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    const Hypothesis& h = item.hypotheses[i];
    EXPECT_EQ(h.token_scores.size(), h.tokens.size() + 1);
    EXPECT_NEAR(h.score, h.log_prob / static_cast<float>(h.token_scores.size()), 1e-5);
    if (i > 0) {
      EXPECT_LE(h.score, item.hypotheses[i - 1].score);
    }
  }
  EXPECT_EQ(item.source_tokens.back(), "</s>");
}

TEST_F(EngineTest, LengthLimitsAreThoseOfTheSegmentsOwnSource) {
  Start();
  TranslationJob job = Job({"Ich habe heute Abend leider keine Zeit, weil ich arbeiten muss."});
  job.decoding.max_output_tokens = 4;
  job.returns.tokens = true;
  const ItemResult item = Translate(job).at(0);
  EXPECT_EQ(item.hypotheses[0].tokens.size(), 4U);
  EXPECT_EQ(item.hypotheses[0].finish_reason, kernels::FinishReason::kLength);
  job.decoding.max_output_tokens.reset();
  job.decoding.max_length_ratio = 0.0F;
  job.decoding.max_length_extra = 2;
  EXPECT_EQ(Translate(job).at(0).hypotheses[0].tokens.size(), 2U);
  job.decoding.max_length_extra = 30;
  job.decoding.min_output_tokens = 25;
  EXPECT_GE(Translate(job).at(0).hypotheses[0].tokens.size(), 25U);
}

TEST_F(EngineTest, RefusesABeamWiderThanItsBatchByName) {
  Start();
  TranslationJob job = Job({"Hallo."});
  job.decoding.beam_size = 33;
  EXPECT_THAT(std::string(Refused(job).message()),
              ::testing::HasSubstr("decoding.beam_size: found 33, expected 1..32"));
}

TEST_F(EngineTest, ABeamThatTheMemoryCannotHoldFailsItsItem) {
  EngineConfig config;
  config.kv_memory_mb = 24;
  Start(config);
  TranslationJob job = Job({"Hallo.", std::string(600, 'a')});
  job.decoding.beam_size = 32;
  job.decoding.max_length_ratio = 1000.0F;
  const auto items = Translate(job);
  EXPECT_EQ(items.at(1).status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(EngineTest, RefusesWhenFullWithAHintAndTakesAgainLater) {
  EngineConfig config;
  config.max_queue_segments = 4;
  config.max_queue_tokens = 200;
  Start(config);
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    auto sink = std::make_shared<CollectingSink>();
    const Admission a = engine_->Translate(Job({"Das ist ein ganz gewöhnlicher Satz."}), sink);
    if (a.status.ok()) {
      sinks.push_back(sink);
      continue;
    }
    ++refused;
    EXPECT_EQ(a.status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_GT(a.retry_after, 0);
  }
  EXPECT_GT(refused, 0);
  for (const auto& sink : sinks) {
    EXPECT_TRUE(sink->Wait().ok());
    EXPECT_EQ(sink->done_calls(), 1);
    EXPECT_EQ(sink->item_calls(), 1);
  }
  EXPECT_FALSE(Text("Ich habe Hunger.").empty());
  const EngineStats stats = engine_->Stats();
  EXPECT_TRUE(testing::Balanced(stats.segments));
  EXPECT_EQ(stats.segments.waiting + stats.segments.running, 0);
  EXPECT_EQ(stats.queue_segments, 0);
  EXPECT_EQ(stats.queue_tokens, 0);
}

TEST_F(EngineTest, ARequestLargerThanTheQueueIsInvalid) {
  EngineConfig config;
  config.max_queue_segments = 4;
  Start(config);
  std::string text;
  for (int i = 0; i < 8; ++i) text += "Ich bin da.\n";
  auto sink = std::make_shared<CollectingSink>();
  ASSERT_TRUE(engine_->Translate(Job({text}), sink).status.ok());
  EXPECT_EQ(sink->Wait().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(Text("Ich bin da.").empty());
}

TEST_F(EngineTest, CancelEndsTheJobAndFreesItsRows) {
  Start();
  TranslationJob job = Job(std::vector<std::string>(50, "Ich habe heute keine Zeit für dich."));
  job.decoding.min_output_tokens = 40;
  job.decoding.max_length_extra = 100;
  job.returns.partials = true;
  auto sink = std::make_shared<CollectingSink>();
  const Admission a = engine_->Translate(std::move(job), sink);
  ASSERT_TRUE(a.status.ok());
  sink->WaitForUpdates(1);
  engine_->Cancel(a.job, CancelCause::kClient);
  EXPECT_EQ(sink->Wait().code(), absl::StatusCode::kCancelled);
  engine_->Cancel(a.job, CancelCause::kClient);
  EXPECT_EQ(sink->done_calls(), 1);
  // The cancelled job has released its rows, so the next job can run.
  EXPECT_FALSE(Text("Ich bin da.").empty());
  const EngineStats stats = engine_->Stats();
  EXPECT_TRUE(testing::Balanced(stats.segments));
  EXPECT_EQ(stats.segments.cancelled + stats.segments.eos + stats.segments.length, 51);
  EXPECT_GT(stats.segments.cancelled, 0);
  EXPECT_EQ(stats.segments.waiting + stats.segments.running, 0);
}

TEST_F(EngineTest, AnExpiredJobEndsWithDeadlineExceeded) {
  Start();
  TranslationJob late = Job({"Hallo."});
  late.deadline = clock_.Now();
  EXPECT_EQ(engine_->Translate(late, std::make_shared<CollectingSink>()).status.code(),
            absl::StatusCode::kDeadlineExceeded);
  TranslationJob job = Job(std::vector<std::string>(50, "Ich habe heute keine Zeit für dich."));
  job.decoding.min_output_tokens = 40;
  job.decoding.max_length_extra = 100;
  job.returns.partials = true;
  job.deadline = clock_.Now() + 1000;
  auto sink = std::make_shared<CollectingSink>();
  ASSERT_TRUE(engine_->Translate(std::move(job), sink).status.ok());
  sink->WaitForUpdates(1);
  clock_.Advance(1000);  // the engine notices this at the next step
  EXPECT_EQ(sink->Wait().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(EngineTest, DestructionEndsWhatIsLeft) {
  Start();
  TranslationJob job = Job(std::vector<std::string>(200, "Ich habe heute keine Zeit für dich."));
  job.decoding.beam_size = 12;
  auto sink = std::make_shared<CollectingSink>();
  ASSERT_TRUE(engine_->Translate(std::move(job), sink).status.ok());
  engine_.reset();
  EXPECT_EQ(sink->Wait().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(sink->done_calls(), 1);
}

TEST_F(EngineTest, TextThatIsTooLongIsSplitOrRejectedNeverCut) {
  Start();
  std::string text;
  for (int i = 0; i < 400; ++i) text += "und das Haus ist groß ";
  text += "Ende";
  TranslationJob job = Job({text});
  job.decoding.beam_size = 1;
  const ItemResult split = Translate(job).at(0);
  EXPECT_GT(split.sentences.size(), 1U);
  EXPECT_EQ(split.sentences.front().source.begin, 0);
  EXPECT_EQ(split.sentences.back().source.end, static_cast<int64_t>(text.size()));
  job.on_too_long = OnTooLong::kReject;
  EXPECT_EQ(Translate(job).at(0).status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(EngineTest, PartialsAreBytePrefixesAndFinalsComeBeforeTheirItem) {
  Start();
  TranslationJob job =
      Job({"Wenn es morgen nicht regnet, gehen wir mit den Kindern in den Park. "
           "Danach essen wir bei meiner Mutter zu Abend, weil sie Geburtstag hat."});
  job.decoding.beam_size = 4;
  job.returns.partials = true;
  auto sink = std::make_shared<CollectingSink>();
  ASSERT_TRUE(engine_->Translate(std::move(job), sink).status.ok());
  ASSERT_TRUE(sink->Wait().ok());
  std::map<int, std::string> shown;
  int finals = 0;
  for (const SegmentUpdate& update : sink->updates()) {
    EXPECT_TRUE(update.text.starts_with(shown[update.segment]));
    shown[update.segment] = update.text;
    finals += update.final ? 1 : 0;
  }
  EXPECT_EQ(finals, 2);
  EXPECT_GT(sink->updates().size(), 2U);
  EXPECT_EQ(sink->items().at(0).hypotheses.at(0).text, shown[0] + " " + shown[1]);
}

// Returns a configuration without detokenizer threads. The decode thread then writes texts and
// calls sinks.
EngineConfig InlineText() {
  EngineConfig config;
  config.detokenizer_threads = 0;
  return config;
}

TEST_F(EngineTest, TextOnTheDecodeThreadIsTheSame) {
  std::vector<TranslationJob> jobs;
  for (int i = 0; i < 12; ++i) {
    TranslationJob job =
        Job({"Wenn es morgen nicht regnet, gehen wir in den Park. Danach essen wir.",
             "Ich habe Hunger.", "", "Wo ist der Bahnhof, bitte?"});
    job.decoding.beam_size = 1 + i % 5;
    if (i % 4 == 3) job.format = i % 8 == 3 ? TextFormat::kHtml : TextFormat::kMarkdown;
    job.returns.partials = i % 2 == 0;
    job.returns.tokens = job.returns.scores = true;
    jobs.push_back(std::move(job));
  }
  const auto run = [this, &jobs] {
    std::vector<std::shared_ptr<CollectingSink>> sinks;
    for (const TranslationJob& job : jobs) {
      sinks.push_back(std::make_shared<CollectingSink>());
      EXPECT_TRUE(engine_->Translate(job, sinks.back()).status.ok());
    }
    for (const auto& sink : sinks) EXPECT_TRUE(sink->Wait().ok());
    EXPECT_EQ(engine_->Stats().detokenize_backlog, 0);
    return sinks;
  };
  Start();
  const auto expected = run();
  Start(InlineText());
  const auto found = run();
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_EQ(found[i]->items().size(), jobs[i].contents.size());
    for (size_t item = 0; item < jobs[i].contents.size(); ++item) {
      const ItemResult& a = expected[i]->items()[item];
      const ItemResult& b = found[i]->items()[item];
      ASSERT_EQ(a.hypotheses.size(), b.hypotheses.size());
      EXPECT_EQ(a.hypotheses[0].text, b.hypotheses[0].text);
      EXPECT_EQ(a.hypotheses[0].tokens, b.hypotheses[0].tokens);
      EXPECT_EQ(a.hypotheses[0].score, b.hypotheses[0].score);
    }
    if (jobs[i].returns.partials && jobs[i].format == TextFormat::kPlain) {
      EXPECT_GT(found[i]->updates().size(), 4U);
    }
  }
}

TEST_F(EngineTest, ASinkOnTheDecodeThreadMayCancel) {
  // Cancels its own job and a neighbour's while it handles the first partial.
  class CancellingSink final : public CollectingSink {
   public:
    CancellingSink(Engine* engine, JobId neighbour) : engine_(engine), neighbour_(neighbour) {}
    void SetJob(JobId job) {
      MutexLock lock(&mu_);
      job_ = job;
      known_.NotifyAll();
    }
    void OnSegment(SegmentUpdate update) override {
      JobId job = 0;
      {
        MutexLock lock(&mu_);
        while (job_ == 0) known_.Wait(&mu_);  // Translate may not have returned yet
        job = job_;
      }
      engine_->Cancel(neighbour_, CancelCause::kDeadline);
      engine_->Cancel(job, CancelCause::kClient);
      testing::CollectingSink::OnSegment(std::move(update));
    }

   private:
    Engine* const engine_;
    const JobId neighbour_;
    Mutex mu_;
    CondVar known_;
    JobId job_ ABSL_GUARDED_BY(mu_) = 0;
  };
  Start(InlineText());
  TranslationJob job = Job(std::vector<std::string>(50, "Ich habe heute keine Zeit für dich."));
  job.decoding.min_output_tokens = 40;
  job.decoding.max_length_extra = 100;
  const auto neighbour = std::make_shared<CollectingSink>();
  const Admission first = engine_->Translate(job, neighbour);
  ASSERT_TRUE(first.status.ok());
  job.returns.partials = true;
  job.priority = Priority::kInteractive;
  const auto sink = std::make_shared<CancellingSink>(engine_.get(), first.job);
  const Admission second = engine_->Translate(job, sink);
  ASSERT_TRUE(second.status.ok());
  sink->SetJob(second.job);
  EXPECT_EQ(sink->Wait().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(neighbour->Wait().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(sink->done_calls(), 1);
  EXPECT_FALSE(Text("Ich bin da.").empty());
  const EngineStats stats = engine_->Stats();
  EXPECT_TRUE(testing::Balanced(stats.segments));
  EXPECT_EQ(stats.segments.waiting + stats.segments.running, 0);
}

TEST_F(EngineTest, TextOnTheDecodeThreadFinishesAndEnds) {
  Start(InlineText());
  auto sink = std::make_shared<CollectingSink>();
  ASSERT_TRUE(
      engine_->Translate(Job(std::vector<std::string>(20, "Ich bin müde.")), sink).status.ok());
  EXPECT_TRUE(sink->Wait().ok());
  EXPECT_EQ(sink->items().size(), 20U);

  Start(InlineText());
  TranslationJob job = Job(std::vector<std::string>(200, "Ich habe heute keine Zeit für dich."));
  job.decoding.beam_size = 12;
  job.returns.partials = true;
  sink = std::make_shared<CollectingSink>();
  ASSERT_TRUE(engine_->Translate(std::move(job), sink).status.ok());
  sink->WaitForUpdates(1);
  engine_.reset();
  EXPECT_EQ(sink->Wait().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(sink->done_calls(), 1);
}

TEST_F(EngineTest, ADirectoryThatIsNoModelIsRefused) {
  const auto engine = CreateEngine("/nonexistent/model", {}, &clock_, &observer_);
  ASSERT_FALSE(engine.ok());
  EXPECT_THAT(std::string(engine.status().message()), ::testing::HasSubstr("/nonexistent/model"));
}

TEST_F(EngineTest, EverySchedulerTranslatesAlike) {
  const std::vector<std::string> items = {"Ich habe Hunger.", "Wo ist der Bahnhof, bitte?",
                                          "Guten Morgen.", "Sie liest gern alte Bücher.", "Ja."};
  std::vector<std::string> first;
  for (const RefillRule refill : {RefillRule::kContinuous, RefillRule::kStream,
                                  RefillRule::kHalfEmpty, RefillRule::kStatic}) {
    EngineConfig config;
    config.scheduler.refill = refill;
    config.scheduler.unit = CapacityUnit::kSegments;
    config.scheduler.capacity = 2;
    config.scheduler.selection = kernels::SlotSelection::kShortest;
    config.scheduler.width_budget = 6;
    config.scheduler.lanes = 40;
    config.scheduler.window.order = WindowOrder::kArrival;
    Start(config);
    std::vector<std::string> texts;
    for (const ItemResult& item : Translate(Job(items))) texts.push_back(item.hypotheses[0].text);
    if (first.empty()) first = texts;
    EXPECT_EQ(texts, first);
  }
}

TEST_F(EngineTest, ASchedulerSettingOutOfRangeIsRefused) {
  EngineConfig config;
  config.max_rows = 16;
  config.scheduler.width_budget = 17;
  const auto engine =
      CreateEngine(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en", config, &clock_, &observer_);
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(engine.status().message(), ::testing::HasSubstr("width_budget is 17"));
}

TEST_F(EngineTest, ACountOutOfRangeIsRefusedByName) {
  EngineConfig config;
  config.max_queue_tokens = 0;
  const auto engine = CreateEngine(testing::kBundledModel, config, &clock_, &observer_);
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(engine.status().message(),
              ::testing::HasSubstr("max_queue_tokens is 0, expected at least 1"));
}

}  // namespace
}  // namespace dragoman::engine
