#include "server/models/pivot_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/field_error.h"
#include "server/base/steady_clock.h"
#include "tests/server/fake_engine.h"
#include "tests/server/models/collected.h"
#include "tests/server/served_models.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PivotEngineTest : public ::testing::Test {
 protected:
  PivotEngineTest() {
    first_.mutable_info()->name = "de-en";
    second_.mutable_info()->name = "en-fr";
    second_.mutable_info()->pairs = {{"en", "fr"}};
    second_.mutable_info()->max_rows = 8;
    timer_.Start();
    auto made = ExpectOk(
        PivotEngine::Create("de-fr", Borrowed(&first_), Borrowed(&second_), &clock_, &timer_));
    pivot_ = *std::move(made);
  }

  static engine::TranslationJob Job(std::vector<std::string> contents) {
    engine::TranslationJob job;
    job.contents = std::move(contents);
    job.source_language = "de";
    job.target_language = "fr";
    job.returns.segments = true;
    return job;
  }

  // The sink holds the engine, as a call does, because a job may still be running its last lines
  // when the sink is notified.
  std::shared_ptr<Collected> NewSink() const {
    auto sink = std::make_shared<Collected>();
    sink->held = pivot_;
    return sink;
  }

  std::shared_ptr<Collected> Submit(engine::TranslationJob job) {
    const auto sink = NewSink();
    const engine::Admission admission = pivot_->Translate(std::move(job), sink);
    EXPECT_TRUE(admission.status.ok()) << admission.status;
    latest_ = admission.job;
    return sink;
  }

  static engine::Admission Refusal(absl::Status status, engine::RejectReason reason,
                                   engine::Nanos retry_after = 0) {
    engine::Admission refusal;
    refusal.status = std::move(status);
    refusal.reason = reason;
    refusal.retry_after = retry_after;
    return refusal;
  }

  const SteadyClock clock_;
  DeadlineTimer timer_{&clock_};
  FakeEngine first_;
  FakeEngine second_;
  std::shared_ptr<PivotEngine> pivot_;
  engine::JobId latest_ = 0;
};

TEST_F(PivotEngineTest, EveryItemGoesThroughBoth) {
  const auto sink = Submit(Job({"eins", "zwei"}));
  EXPECT_TRUE(sink->WaitDone().ok());
  const std::map<int, engine::ItemResult> items = sink->items();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items.at(1).hypotheses[0].text, "[[zwei]]");
  EXPECT_EQ(items.at(1).pivot->text, "[zwei]");
  EXPECT_EQ(items.at(1).pivot->first_model, "de-en");
  EXPECT_EQ(items.at(1).pivot->second_model, "en-fr");
  EXPECT_EQ(items.at(1).pivot->language, "en");
  EXPECT_EQ(items.at(1).pivot->score, -0.5F);
  ASSERT_EQ(sink->segments().size(), 2U);
  // A range in the item's text, not in the intermediate text.
  EXPECT_EQ(sink->segments()[0].source.end, 4);
  EXPECT_EQ(sink->done_calls(), 1);
  EXPECT_EQ(sink->timings().decode, 5 * (1 + static_cast<engine::Nanos>(second_.submitted())));
  EXPECT_GT(sink->timings().total, 0);
  while (pivot_->jobs_in_flight() > 0) std::this_thread::yield();  // the job may still be ending
}

TEST_F(PivotEngineTest, EachModelResolvesItsLanguagesOnce) {
  EXPECT_TRUE(Submit(Job({"eins", "zwei"}))->WaitDone().ok());
  EXPECT_EQ(first_.resolutions(), 1);
  EXPECT_EQ(second_.resolutions(), 1);
}

TEST_F(PivotEngineTest, AnItemGoesOnWhileTheFirstModelHasOthers) {
  first_.HoldJobs();
  second_.HoldJobs();
  const auto sink = Submit(Job({"eins", "zwei"}));
  const FakeEngine::Held first = first_.WaitHeld();
  first_.Play(first,
              [&](engine::TranslationSink* to) { to->OnItem(FakeEngine::Answer(first.job, 1)); });
  const FakeEngine::Held second = second_.WaitHeld();
  EXPECT_EQ(second.job.contents, std::vector<std::string>{"[zwei]"});
  EXPECT_EQ(second.job.source_language, "en");
  second_.Play(second,
               [&](engine::TranslationSink* to) { to->OnItem(FakeEngine::Answer(second.job, 0)); });
  second_.Finish(second.id, absl::OkStatus());
  EXPECT_FALSE(sink->done());
  first_.Play(first,
              [&](engine::TranslationSink* to) { to->OnItem(FakeEngine::Answer(first.job, 0)); });
  first_.Finish(first.id, absl::OkStatus());
  const FakeEngine::Held third = second_.WaitHeld();
  EXPECT_EQ(third.job.contents, std::vector<std::string>{"[eins]"});
  second_.Play(third,
               [&](engine::TranslationSink* to) { to->OnItem(FakeEngine::Answer(third.job, 0)); });
  second_.Finish(third.id, absl::OkStatus());
  EXPECT_TRUE(sink->WaitDone().ok());
  EXPECT_EQ(sink->items().at(0).hypotheses[0].text, "[[eins]]");
  EXPECT_EQ(sink->items().at(1).hypotheses[0].text, "[[zwei]]");
}

TEST_F(PivotEngineTest, DrawsGoOnTogetherInTheirOrder) {
  first_.HoldJobs();
  second_.HoldJobs();
  engine::TranslationJob job = Job({"eins", "zwei"});
  job.decoding.sampling.emplace();
  const auto sink = Submit(job);
  const FakeEngine::Held first = first_.WaitHeld();
  for (const int item : {1, 0}) {
    first_.Play(first, [&](engine::TranslationSink* to) {
      to->OnItem(FakeEngine::Answer(first.job, item));
    });
  }
  EXPECT_EQ(second_.submitted(), 0U);
  first_.Finish(first.id, absl::OkStatus());
  const FakeEngine::Held second = second_.WaitHeld();
  EXPECT_EQ(second.job.contents, (std::vector<std::string>{"[eins]", "[zwei]"}));
  EXPECT_EQ(second.job.decoding.sampling->seed, 77U);
  pivot_->Cancel(latest_, engine::CancelCause::kClient);
  EXPECT_EQ(sink->WaitDone().code(), absl::StatusCode::kCancelled);
}

TEST_F(PivotEngineTest, AnItemThatFailsInEitherFailsAlone) {
  first_.FailItem(0, absl::InvalidArgumentError("too long"));
  const auto sink = Submit(Job({"eins", "zwei", "drei"}));
  EXPECT_TRUE(sink->WaitDone().ok());
  EXPECT_EQ(sink->items().at(0).status.message(), "too long");
  EXPECT_TRUE(sink->items().at(2).status.ok());
  EXPECT_EQ(sink->item_calls(), 3);
}

TEST_F(PivotEngineTest, WhatTheSecondModelCannotTakeYetWaitsAndIsNotLost) {
  for (int i = 0; i < 3; ++i) {
    second_.RefuseNext(Refusal(absl::ResourceExhaustedError("full"),
                               engine::RejectReason::kQueueFull, kNanosPerMilli));
  }
  const auto sink = Submit(Job({"eins", "zwei"}));
  EXPECT_TRUE(sink->WaitDone().ok());
  EXPECT_EQ(sink->items().at(0).hypotheses[0].text, "[[eins]]");
  EXPECT_EQ(sink->items().at(1).hypotheses[0].text, "[[zwei]]");
  EXPECT_EQ(sink->item_calls(), 2);
}

// A fixture for jobs of `client` with `items` items. Tests hold the first engine.
class PivotShareTest : public PivotEngineTest {
 protected:
  static engine::TranslationJob JobOf(std::string client, int64_t items) {
    engine::TranslationJob job = Job(std::vector<std::string>(static_cast<size_t>(items), "x"));
    job.client = std::move(client);
    return job;
  }
  // Submits one more job of `client` and returns the answer. Cancels an admitted job and waits for
  // its end.
  engine::Admission Ask(const std::string& client, int64_t items = 1) {
    const auto sink = NewSink();
    engine::Admission admission = pivot_->Translate(JobOf(client, items), sink);
    if (admission.status.ok()) {
      pivot_->Cancel(admission.job, engine::CancelCause::kClient);
      static_cast<void>(sink->WaitDone());
    }
    return admission;
  }
  void EndAll() {
    pivot_->CancelAll(engine::CancelCause::kDrain);
    while (pivot_->jobs_in_flight() > 0) std::this_thread::yield();
  }
  // Submits jobs of `client` until one is refused. Returns the reason.
  engine::RejectReason Fill(const std::string& client, int64_t items = 256) {
    for (;;) {
      const engine::Admission admission = pivot_->Translate(JobOf(client, items), NewSink());
      if (!admission.status.ok()) {
        EXPECT_EQ(admission.status.code(), absl::StatusCode::kResourceExhausted);
        EXPECT_GT(admission.retry_after, 0);
        return admission.reason;
      }
    }
  }
};

TEST_F(PivotShareTest, AClientThatTakesAllItCanKeepsNobodyElseOut) {
  first_.HoldJobs();
  EXPECT_EQ(Fill("hog"), engine::RejectReason::kClientShare);
  EXPECT_EQ(Fill("hog", 1), engine::RejectReason::kClientShare);
  for (int i = 0; i < 20; ++i) {
    const engine::Admission polite =
        pivot_->Translate(JobOf("polite" + std::to_string(i), 3), NewSink());
    EXPECT_TRUE(polite.status.ok()) << polite.status;
  }
  // This job is larger than what is reserved for other clients, so it is refused as if the queue
  // were full.
  EXPECT_EQ(Ask("large", PivotEngine::kMaxItems / 2).reason, engine::RejectReason::kQueueFull);
  EndAll();
  EXPECT_TRUE(Ask("hog", PivotEngine::kMaxItems).status.ok());
  EndAll();
}

// Items that wait for the second engine count until that engine takes them.
TEST_F(PivotShareTest, ItemsThatWaitForTheSecondModelCount) {
  first_.HoldJobs();
  second_.HoldJobs();
  const auto full = Refusal(absl::ResourceExhaustedError("full"), engine::RejectReason::kQueueFull,
                            3600 * kNanosPerSecond);
  constexpr int kItems = static_cast<int>(PivotEngine::kMaxItems);
  // The second engine refuses every call: one for each item on a slow machine, and one more each
  // second.
  for (int i = 0; i < kItems + 200; ++i) second_.RefuseNext(full);
  const auto sink = Submit(JobOf("hog", kItems));
  const engine::JobId waiting = latest_;
  const FakeEngine::Held first = first_.WaitHeld();
  first_.Play(first, [&](engine::TranslationSink* to) {
    for (int i = 0; i < kItems; ++i) to->OnItem(FakeEngine::Answer(first.job, i));
  });
  first_.Finish(first.id, absl::OkStatus());
  EXPECT_EQ(Ask("hog").reason, engine::RejectReason::kClientShare);
  EXPECT_TRUE(Ask("polite").status.ok());
  // The job waits between the two engines, and neither engine would end it.
  pivot_->Cancel(waiting, engine::CancelCause::kDeadline);
  EXPECT_EQ(sink->WaitDone().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(Ask("hog", kItems).status.ok());
  EndAll();
}

TEST_F(PivotShareTest, AnItemCountsUntilTheSecondModelHasItOrItHasEnded) {
  constexpr int kItems = static_cast<int>(PivotEngine::kMaxItems);
  // The first engine fails one of the items.
  first_.FailItem(0, absl::InvalidArgumentError("too long"));
  EXPECT_TRUE(Submit(JobOf("hog", kItems))->WaitDone().ok());
  EXPECT_TRUE(Ask("hog", kItems).status.ok());
  // An item that the second engine is working on counts in that engine's own queue.
  second_.HoldJobs();
  const auto sink = Submit(JobOf("hog", 2));
  second_.WaitHeld();
  while (!Ask("hog", kItems).status.ok()) std::this_thread::yield();
  EXPECT_FALSE(sink->done());
  EndAll();
}

TEST_F(PivotEngineTest, CancellingEndsBothLegs) {
  first_.HoldJobs();
  second_.HoldJobs();
  const auto sink = Submit(Job({"eins", "zwei"}));
  const FakeEngine::Held first = first_.WaitHeld();
  first_.Play(first,
              [&](engine::TranslationSink* to) { to->OnItem(FakeEngine::Answer(first.job, 0)); });
  second_.WaitHeld();
  pivot_->Cancel(latest_, engine::CancelCause::kDeadline);
  EXPECT_EQ(sink->WaitDone().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(first_.WaitCancel().second, engine::CancelCause::kDeadline);
  EXPECT_EQ(sink->done_calls(), 1);
}

TEST_F(PivotEngineTest, AFailureOfOneLegEndsTheJobOnce) {
  first_.HoldJobs();
  second_.HoldJobs();
  const auto sink = Submit(Job({"eins", "zwei"}));
  const FakeEngine::Held first = first_.WaitHeld();
  first_.Play(first,
              [&](engine::TranslationSink* to) { to->OnItem(FakeEngine::Answer(first.job, 0)); });
  const FakeEngine::Held second = second_.WaitHeld();
  second_.Finish(second.id, absl::UnavailableError("every worker has stopped"));
  const absl::Status status = sink->WaitDone();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "every worker has stopped");
  EXPECT_EQ(first_.WaitCancel().second, engine::CancelCause::kDrain);
  EXPECT_EQ(sink->done_calls(), 1);
}

TEST_F(PivotEngineTest, ARefusalOfTheFirstIsThePivots) {
  first_.RefuseNext(
      Refusal(absl::ResourceExhaustedError("full"), engine::RejectReason::kQueueFull, 5));
  const auto sink = NewSink();
  const engine::Admission admission = pivot_->Translate(Job({"x"}), sink);
  EXPECT_EQ(admission.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(admission.retry_after, 5);
  EXPECT_EQ(pivot_->jobs_in_flight(), 0);
  EXPECT_EQ(sink.use_count(), 1);
}

TEST_F(PivotEngineTest, ARefusalOfTheSecondThatStaysIsTheJobsEnd) {
  second_.RefuseNext(
      Refusal(absl::InvalidArgumentError("no such profile here"), engine::RejectReason::kInvalid));
  EXPECT_EQ(Submit(Job({"x"}))->WaitDone().message(), "no such profile here");
}

TEST_F(PivotEngineTest, OptionsWithoutAMeaningAreRefusedByName) {
  const auto fields = [this](const std::function<void(engine::TranslationJob*)>& change) {
    engine::TranslationJob job = Job({"x"});
    change(&job);
    const engine::Admission admission = pivot_->Translate(job, std::make_shared<Collected>());
    EXPECT_EQ(admission.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(admission.reason, engine::RejectReason::kInvalid);
    EXPECT_THAT(std::string(admission.status.message()), HasSubstr("de-en+en-fr"));
    std::string names;
    for (const engine::FieldError& error : engine::FieldErrorsOf(admission.status))
      names += error.field + " ";
    return names;
  };
  EXPECT_EQ(fields([](engine::TranslationJob* job) {
              job->terms.push_back({"a", "b", false});
            }),
            "terms ");
  EXPECT_EQ(fields([](engine::TranslationJob* job) { job->targets = {"y"}; }), "pairs ");
  EXPECT_EQ(fields([](engine::TranslationJob* job) { job->glossary = "law"; }), "glossary_config ");
  EXPECT_EQ(fields([](engine::TranslationJob* job) {
              job->returns.alignment = true;
              job->decoding.alignment_layer = 1;
              job->decoding.alignment_heads = {0};
            }),
            "return_options.alignment decoding.alignment_layer decoding.alignment_heads ");
  EXPECT_EQ(first_.submitted(), 0U);
}

TEST_F(PivotEngineTest, MistakesForEitherModelAndThePivotAreReportedTogether) {
  engine::TranslationJob job = Job({"eins"});
  job.glossary = "law";
  job.decoding.beam_size = 17;  // too many for both engines
  std::vector<std::string> fields;
  for (const engine::FieldError& error : engine::FieldErrorsOf(pivot_->Prepare(job).status())) {
    fields.push_back(error.field + " " + error.expected);
  }
  EXPECT_EQ(fields,
            (std::vector<std::string>{"glossary_config none",
                                      "decoding.beam_size 1..16, the rows of this server's batch",
                                      "decoding.beam_size 1..8, the rows of this server's batch"}));
}

TEST_F(PivotEngineTest, ABeamThatTheSecondHasNoRoomForIsRefusedAtOnce) {
  engine::TranslationJob job;
  job.contents = {"eins"};
  job.source_language = "de";
  job.target_language = "fr";
  job.decoding.beam_size = 9;  // the second engine's batch has 8 rows, the first engine's 16
  const engine::Admission admission = pivot_->Translate(job, std::make_shared<Collected>());
  EXPECT_EQ(admission.reason, engine::RejectReason::kInvalid);
  EXPECT_THAT(std::string(admission.status.message()), HasSubstr("decoding.beam_size: found 9"));
  EXPECT_EQ(first_.submitted(), 0U);
}

TEST_F(PivotEngineTest, SaysWhatBothHaveInCommon) {
  const engine::ModelInfo& info = pivot_->info();
  EXPECT_EQ(info.name, "de-fr");
  ASSERT_EQ(info.pairs.size(), 1U);
  EXPECT_EQ(info.pairs[0].source, "de");
  EXPECT_EQ(info.pairs[0].target, "fr");
  EXPECT_EQ(info.max_rows, 8);
  EXPECT_TRUE(pivot_->FindLanguages("de", "fr").ok());
  EXPECT_FALSE(pivot_->FindLanguages("de", "en").ok());
  EXPECT_FALSE(pivot_->FindLanguages("it", "fr").ok());
  second_.SetLiveWorkers(0);
  EXPECT_EQ(pivot_->Stats().live_workers, 0);
  EXPECT_EQ(pivot_->Stats().segments.accepted, 0);
}

TEST_F(PivotEngineTest, TheLanguageBetweenFollowsTheRequest) {
  FakeEngine many;
  many.mutable_info()->pairs = {{"de", "en"}, {"de", "es"}};
  FakeEngine last;
  last.mutable_info()->pairs = {{"es", "pt"}, {"en", "fr"}};
  auto made =
      ExpectOk(PivotEngine::Create("x", Borrowed(&many), Borrowed(&last), &clock_, &timer_));
  const std::shared_ptr<PivotEngine> pivot = *std::move(made);
  EXPECT_EQ(pivot->info().pairs.size(), 2U);
  const auto sink = std::make_shared<Collected>();
  sink->held = pivot;
  engine::TranslationJob job = Job({"x"});
  job.target_language = "pt";
  ASSERT_TRUE(pivot->Translate(job, sink).status.ok());
  EXPECT_TRUE(sink->WaitDone().ok());
  EXPECT_EQ(sink->items().at(0).pivot->language, "es");
}

TEST_F(PivotEngineTest, ModelsWithoutALanguageBetweenAreRefused) {
  FakeEngine other;
  other.mutable_info()->name = "it-fr";
  other.mutable_info()->pairs = {{"it", "fr"}};
  const auto made = PivotEngine::Create("x", Borrowed(&first_), Borrowed(&other), &clock_, &timer_);
  EXPECT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(made.status().message()),
              AllOf(HasSubstr("de-en translates de-en"), HasSubstr("it-fr translates it-fr")));
}

TEST_F(PivotEngineTest, AThousandJobsAreAllAnsweredOnce) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (int i = 0; i < 250; ++i) {
        const auto sink = NewSink();
        const std::string text = std::to_string(1000 * t + i);
        if (i % 5 == 0) {
          second_.RefuseNext(Refusal(absl::ResourceExhaustedError("full"),
                                     engine::RejectReason::kQueueFull, kNanosPerMilli));
        }
        const engine::Admission admission = pivot_->Translate(Job({text, text, text}), sink);
        if (i % 7 == 0) pivot_->Cancel(admission.job, engine::CancelCause::kClient);
        const absl::Status status = sink->WaitDone();
        const bool whole = status.ok() && sink->item_calls() == 3 &&
                           sink->items().at(2).hypotheses[0].text == "[[" + text + "]]";
        const bool cancelled = i % 7 == 0 && absl::IsCancelled(status);
        if (!whole && !cancelled) ++wrong;
        if (sink->done_calls() != 1) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
  while (pivot_->jobs_in_flight() > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace dragoman::server
