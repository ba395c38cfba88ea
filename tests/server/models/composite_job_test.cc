#include "server/models/composite_job.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/base/deadline_timer.h"
#include "server/base/steady_clock.h"
#include "server/models/pivot_engine.h"
#include "tests/server/fake_engine.h"
#include "tests/server/models/collected.h"
#include "tests/server/served_models.h"

namespace dragoman::server {
namespace {

// An engine that calls a test's hook before Submit returns, so that the test can act during Submit.
class Scripted final : public FakeEngine {
 public:
  engine::Admission Submit(std::unique_ptr<engine::Plan> plan,
                           std::shared_ptr<engine::TranslationSink> sink) override {
    engine::Admission admission = FakeEngine::Submit(std::move(plan), std::move(sink));
    if (before_submit_returns) before_submit_returns();
    return admission;
  }
  std::function<void()> before_submit_returns;
};

class CompositeJobTest : public ::testing::Test {
 protected:
  // Items 0 and 2 go to the first engine and item 1 to the second. Item 3 is already done.
  std::shared_ptr<CompositeJob> Make(const std::shared_ptr<Collected>& sink) {
    std::vector<JobPart> parts(2);
    parts[0] = PartOf(&first_, {"null", "zwei"}, {0, 2});
    parts[1] = PartOf(&second_, {"un"}, {1});
    std::vector<engine::ItemResult> done(1);
    done[0].index = 3;
    done[0].hypotheses.emplace_back().text = "three";
    return std::make_shared<CompositeJob>(&clock_, std::move(parts), std::move(done), sink);
  }

  static JobPart PartOf(engine::Engine* engine, std::vector<std::string> contents,
                        std::vector<int> items) {
    engine::TranslationJob job;
    job.source_language = "de";
    job.target_language = "fr";
    job.contents = std::move(contents);
    job.returns.segments = true;
    JobPart part;
    part.engine = engine;
    part.plan = *engine->Prepare(std::move(job));
    part.items = std::move(items);
    return part;
  }

  static engine::Admission Refusal() {
    engine::Admission refusal;
    refusal.status = absl::ResourceExhaustedError("full");
    refusal.reason = engine::RejectReason::kQueueFull;
    refusal.retry_after = 7;
    return refusal;
  }

  void WaitFirstDone() const {
    while (first_.jobs_in_flight() > 0) std::this_thread::yield();
  }

  void WaitIdle() const {
    while (first_.jobs_in_flight() + second_.jobs_in_flight() > 0) std::this_thread::yield();
  }

  const SteadyClock clock_;
  Scripted first_;
  Scripted second_;
};

TEST_F(CompositeJobTest, IsOneJobToItsSink) {
  const auto sink = std::make_shared<Collected>();
  EXPECT_TRUE(Make(sink)->Start().status.ok());
  EXPECT_TRUE(sink->WaitDone().ok());
  const std::map<int, engine::ItemResult> items = sink->items();
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items.at(0).hypotheses[0].text, "[null]");
  EXPECT_EQ(items.at(1).hypotheses[0].text, "[un]");
  EXPECT_EQ(items.at(2).hypotheses[0].text, "[zwei]");
  EXPECT_EQ(items.at(3).hypotheses[0].text, "three");
  EXPECT_EQ(sink->item_calls(), 4);
  EXPECT_EQ(sink->done_calls(), 1);
  EXPECT_EQ(sink->segments().size(), 3U);
  for (const engine::SegmentUpdate& update : sink->segments()) {
    EXPECT_EQ(update.text, items.at(update.item).hypotheses[0].text);
  }
  EXPECT_EQ(sink->timings().decode, 10);  // the sum of both parts
  WaitIdle();
}

TEST_F(CompositeJobTest, LetsGoOfItsSinkAndModelsAtTheEnd) {
  const auto sink = std::make_shared<Collected>();
  std::weak_ptr<CompositeJob> job;
  {
    const auto made = Make(sink);
    job = made;
    EXPECT_TRUE(made->Start().status.ok());
  }
  EXPECT_TRUE(sink->WaitDone().ok());
  WaitIdle();
  while (!job.expired() || sink.use_count() > 1) std::this_thread::yield();
}

TEST_F(CompositeJobTest, WithoutPartsIsDoneAtOnce) {
  const auto sink = std::make_shared<Collected>();
  std::vector<engine::ItemResult> done(2);
  done[1].index = 1;
  const auto job = std::make_shared<CompositeJob>(&clock_, std::vector<JobPart>(), done, sink);
  EXPECT_TRUE(job->Start().status.ok());
  EXPECT_TRUE(sink->done());
  EXPECT_EQ(sink->items().size(), 2U);
  job->Cancel(engine::CancelCause::kClient);  // has no effect
  EXPECT_EQ(sink->done_calls(), 1);
}

TEST_F(CompositeJobTest, IsRefusedAsAWholeAndTellsNothing) {
  second_.RefuseNext(Refusal());
  first_.HoldJobs();
  const auto sink = std::make_shared<Collected>();
  const engine::Admission admission = Make(sink)->Start();
  EXPECT_EQ(admission.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(admission.reason, engine::RejectReason::kQueueFull);
  EXPECT_EQ(admission.retry_after, 7);
  EXPECT_EQ(first_.WaitCancel().second, engine::CancelCause::kClient);
  WaitIdle();
  EXPECT_EQ(sink->item_calls(), 0);
  EXPECT_EQ(sink->done_calls(), 0);
}

TEST_F(CompositeJobTest, TellsNothingOfAPartThatIsDoneBeforeAnotherIsRefused) {
  second_.before_submit_returns = [this] { WaitFirstDone(); };
  second_.RefuseNext(Refusal());
  const auto sink = std::make_shared<Collected>();
  EXPECT_FALSE(Make(sink)->Start().status.ok());
  WaitIdle();
  EXPECT_EQ(sink->item_calls() + sink->done_calls(), 0);
}

TEST_F(CompositeJobTest, ResultsThatComeBeforeTheLastAdmissionAreKept) {
  second_.before_submit_returns = [this] { WaitFirstDone(); };
  const auto sink = std::make_shared<Collected>();
  EXPECT_TRUE(Make(sink)->Start().status.ok());
  EXPECT_TRUE(sink->WaitDone().ok());
  EXPECT_EQ(sink->items().size(), 4U);
}

TEST_F(CompositeJobTest, ACancelEndsAllParts) {
  first_.HoldJobs();
  second_.HoldJobs();
  const auto sink = std::make_shared<Collected>();
  const auto job = Make(sink);
  EXPECT_TRUE(job->Start().status.ok());
  job->Cancel(engine::CancelCause::kDeadline);
  job->Cancel(engine::CancelCause::kClient);  // has no effect, because only the first cause counts
  EXPECT_EQ(first_.WaitCancel().second, engine::CancelCause::kDeadline);
  EXPECT_EQ(second_.WaitCancel().second, engine::CancelCause::kDeadline);
  EXPECT_EQ(sink->WaitDone().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(sink->done_calls(), 1);
}

TEST_F(CompositeJobTest, APartThatFailsEndsTheOthers) {
  first_.HoldJobs();
  second_.HoldJobs();
  const auto sink = std::make_shared<Collected>();
  EXPECT_TRUE(Make(sink)->Start().status.ok());
  second_.CancelAll(engine::CancelCause::kDrain);
  EXPECT_EQ(first_.WaitCancel().second, engine::CancelCause::kDrain);
  EXPECT_EQ(sink->WaitDone().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(sink->done_calls(), 1);
}

TEST_F(CompositeJobTest, APartThatFailsBeforeTheNextIsSubmittedEndsThatToo) {
  first_.HoldJobs();
  second_.HoldJobs();
  second_.before_submit_returns = [this] {
    first_.CancelAll(engine::CancelCause::kDrain);
    WaitFirstDone();
  };
  const auto sink = std::make_shared<Collected>();
  EXPECT_TRUE(Make(sink)->Start().status.ok());
  EXPECT_EQ(second_.WaitCancel().second, engine::CancelCause::kDrain);
  EXPECT_EQ(sink->WaitDone().code(), absl::StatusCode::kUnavailable);
}

// A composite job of which one part is translated through a pivot.
class CompositePivotTest : public CompositeJobTest {
 protected:
  CompositePivotTest() {
    into_.mutable_info()->name = "fr-en";
    into_.mutable_info()->pairs = {{"fr", "en"}};
    from_.mutable_info()->name = "en-es";
    from_.mutable_info()->pairs = {{"en", "es"}};
    timer_.Start();
    pivot_ = *PivotEngine::Create("fr-es", Borrowed(&into_), Borrowed(&from_), &clock_, &timer_);
  }

  std::shared_ptr<CompositeJob> MakeWithPivot(const std::shared_ptr<Collected>& sink) {
    std::vector<JobPart> parts;
    engine::TranslationJob job;
    job.source_language = "fr";
    job.target_language = "es";
    job.contents = {"zéro", "deux"};
    job.returns.segments = true;
    JobPart pivot;
    pivot.engine = pivot_.get();
    pivot.plan = *pivot_->Prepare(std::move(job));
    pivot.items = {0, 2};
    parts.push_back(std::move(pivot));
    parts.push_back(PartOf(&first_, {"eins"}, {1}));
    sink->held = pivot_;
    return std::make_shared<CompositeJob>(&clock_, std::move(parts),
                                          std::vector<engine::ItemResult>(), sink);
  }

  DeadlineTimer timer_{&clock_};
  FakeEngine into_;
  FakeEngine from_;
  std::shared_ptr<PivotEngine> pivot_;
};

TEST_F(CompositePivotTest, NumbersItemsAsTheWholeJobDoes) {
  const auto sink = std::make_shared<Collected>();
  ASSERT_TRUE(MakeWithPivot(sink)->Start().status.ok());
  EXPECT_TRUE(sink->WaitDone().ok());
  const std::map<int, engine::ItemResult> items = sink->items();
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items.at(0).hypotheses[0].text, "[[zéro]]");
  EXPECT_EQ(items.at(1).hypotheses[0].text, "[eins]");
  EXPECT_FALSE(items.at(1).pivot.has_value());
  EXPECT_EQ(items.at(2).hypotheses[0].text, "[[deux]]");
  EXPECT_EQ(items.at(2).pivot->text, "[deux]");
  EXPECT_EQ(items.at(2).index, 2);
  EXPECT_EQ(sink->segments().size(), 3U);
  for (const engine::SegmentUpdate& update : sink->segments()) {
    EXPECT_EQ(update.text, items.at(update.item).hypotheses[0].text);
  }
  while (pivot_->jobs_in_flight() > 0) std::this_thread::yield();
}

TEST_F(CompositePivotTest, ARefusalOfAnotherPartGivesThePivotsCapacityBack) {
  first_.RefuseNext(Refusal());
  into_.HoldJobs();
  const auto sink = std::make_shared<Collected>();
  EXPECT_FALSE(MakeWithPivot(sink)->Start().status.ok());
  EXPECT_EQ(into_.WaitCancel().second, engine::CancelCause::kClient);
  while (pivot_->jobs_in_flight() > 0) std::this_thread::yield();
  EXPECT_EQ(sink->item_calls() + sink->done_calls(), 0);
  engine::TranslationJob all;
  all.contents.assign(static_cast<size_t>(PivotEngine::kMaxItems), "x");
  const auto whole = std::make_shared<Collected>();
  whole->held = pivot_;
  const engine::Admission admission = pivot_->Translate(std::move(all), whole);
  EXPECT_TRUE(admission.status.ok()) << admission.status;
  pivot_->Cancel(admission.job, engine::CancelCause::kDrain);
  EXPECT_EQ(whole->WaitDone().code(), absl::StatusCode::kUnavailable);
  while (pivot_->jobs_in_flight() > 0) std::this_thread::yield();
}

TEST_F(CompositePivotTest, ACancelEndsBothStages) {
  into_.HoldJobs();
  from_.HoldJobs();
  const auto sink = std::make_shared<Collected>();
  const auto job = MakeWithPivot(sink);
  ASSERT_TRUE(job->Start().status.ok());
  const FakeEngine::Held held = into_.WaitHeld();
  into_.Play(held,
             [&](engine::TranslationSink* to) { to->OnItem(FakeEngine::Answer(held.job, 1)); });
  EXPECT_EQ(from_.WaitHeld().job.contents, std::vector<std::string>{"[deux]"});
  pivot_->CancelAll(engine::CancelCause::kDeadline);
  EXPECT_EQ(into_.WaitCancel().second, engine::CancelCause::kDeadline);
  EXPECT_EQ(from_.WaitCancel().second, engine::CancelCause::kDeadline);
  EXPECT_EQ(sink->WaitDone().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(sink->done_calls(), 1);
}

}  // namespace
}  // namespace dragoman::server
