// Tests translation calls over a scripted transport: what gRPC and HTTP have in common.
#include "server/call/translation_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/call/request_error.h"
#include "server/call/stream_translation.h"
#include "server/call/unary_translation.h"
#include "tests/server/call/request_fixture.h"
#include "tests/server/fake_engine.h"
#include "tests/server/manual_clock.h"
#include "tests/server/served_models.h"

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::chrono::seconds kPatience{30};

// Records what a call does with its transport, unary or stream, and checks the transport's rules.
struct Notes {
  void Announce(const std::string& request_id) {
    engine::MutexLock lock(&mu);
    EXPECT_THAT(ids, IsEmpty()) << "a second name";
    EXPECT_THAT(writes, IsEmpty()) << "a name after a message";
    EXPECT_THAT(ends, IsEmpty()) << "a name after the end";
    ids.push_back(request_id);
  }
  void Finish(const absl::Status& status) {
    engine::MutexLock lock(&mu);
    EXPECT_THAT(ids, SizeIs(1)) << "an end without a name";
    EXPECT_THAT(ends, IsEmpty()) << "a second end";
    EXPECT_FALSE(writing) << "an end beside a write";
    ends.push_back(status);
    changed.NotifyAll();
  }
  absl::Status WaitEnd() {
    engine::MutexLock lock(&mu);
    while (ends.empty()) changed.Wait(&mu);
    return ends.front();
  }

  engine::Mutex mu;
  engine::CondVar changed;
  std::vector<std::string> ids ABSL_GUARDED_BY(mu);
  std::vector<v1::StreamTranslateResponse> writes ABSL_GUARDED_BY(mu);
  bool writing ABSL_GUARDED_BY(mu) = false;
  std::vector<absl::Status> ends ABSL_GUARDED_BY(mu);
};

class FakeUnary final : public UnaryTransport {
 public:
  void AnnounceRequestId(const std::string& request_id) override { notes.Announce(request_id); }
  absl::Status SetAnswer(const v1::TranslateResponse& what) override {
    ++answers;
    answer = what;
    return answer_status;
  }
  void Finish(const absl::Status& status) override { notes.Finish(status); }

  std::string Id() {
    engine::MutexLock lock(&notes.mu);
    return notes.ids.empty() ? "" : notes.ids.front();
  }
  size_t Ends() {
    engine::MutexLock lock(&notes.mu);
    return notes.ends.size();
  }

  Notes notes;
  absl::Status answer_status;
  // Read these only after the end of the call.
  int answers = 0;
  v1::TranslateResponse answer;
};

class FakeStream final : public StreamTransport {
 public:
  void AnnounceRequestId(const std::string& request_id) override { notes.Announce(request_id); }
  void StartWrite(v1::StreamTranslateResponse message) override {
    engine::MutexLock lock(&notes.mu);
    EXPECT_FALSE(notes.writing) << "two writes in flight";
    EXPECT_THAT(notes.ends, IsEmpty()) << "a write after the end";
    notes.writing = true;
    notes.writes.push_back(std::move(message));
    notes.changed.NotifyAll();
  }
  void Finish(const absl::Status& status) override { notes.Finish(status); }
  void Break() override { ++breaks; }

  // Waits for message n, counted from 0. The message's write is then in flight.
  v1::StreamTranslateResponse WaitWrite(size_t n) {
    engine::MutexLock lock(&notes.mu);
    while (notes.writes.size() <= n) notes.changed.Wait(&notes.mu);
    return notes.writes[n];
  }
  void EndWrite() {
    engine::MutexLock lock(&notes.mu);
    notes.writing = false;
  }

  Notes notes;
  std::atomic<int> breaks{0};
};

class CountingEngine final : public FakeEngine {
 public:
  engine::Admission Submit(std::unique_ptr<engine::Plan> plan,
                           std::shared_ptr<engine::TranslationSink> sink) override {
    engine::Admission admission = FakeEngine::Submit(std::move(plan), std::move(sink));
    if (before_submit_returns) before_submit_returns();
    return admission;
  }
  void Cancel(engine::JobId job, engine::CancelCause cause) override {
    ++cancels;
    FakeEngine::Cancel(job, cause);
  }

  std::function<void()> before_submit_returns;
  std::atomic<int> cancels{0};
};

class TranslationCallTest : public ::testing::Test {
 protected:
  TranslationCallTest() {
    SetLogLevel(LogLevel::kInfo);
    SetLogSink([this](std::string_view line) { lines_.emplace_back(line); });
    context_.clock = &clock_;
    context_.timer = &timer_;
    context_.metrics = &metrics_;
    context_.tracker = &tracker_;
    EXPECT_TRUE(models_.Put(Borrowed(&engine_)).ok());
    context_.models = &models_;
    context_.write_timeout = 30 * kNanosPerSecond;
    head_.started = clock_.Now();
    head_.deadline = head_.started + 60 * kNanosPerSecond;
    head_.client = "ipv4:192.0.2.7";
  }
  ~TranslationCallTest() override { SetLogSink(nullptr); }

  std::shared_ptr<UnaryTranslation> Unary() {
    return std::make_shared<UnaryTranslation>(&context_, RpcMethod::kTranslate, head_, &unary_);
  }
  std::shared_ptr<StreamTranslation> Stream() {
    return std::make_shared<StreamTranslation>(&context_, RpcMethod::kStreamTranslate, head_,
                                               &stream_);
  }

  void Advance(engine::Nanos by) {
    clock_.Advance(by);
    timer_.RunDue();
  }

  void ExpectMetric(const std::string& line) const {
    EXPECT_THAT("\n" + metrics_.Scrape(), HasSubstr("\n" + line + "\n"));
  }

  std::vector<std::string> lines_;  // of the log; read them only after the end of the call
  ManualClock clock_;
  DeadlineTimer timer_{&clock_};
  CallTracker tracker_;
  Metrics metrics_{&clock_};
  const std::shared_ptr<ModelMetrics> series_ = metrics_.ForModel("de-en");
  CallContext context_;
  CallHead head_;
  FakeUnary unary_;
  FakeStream stream_;
  CountingEngine engine_;  // its thread ends before what it calls
  ModelTable models_{&clock_, {}, {}};
};

TEST_F(TranslationCallTest, AnswersOnce) {
  head_.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  auto call = Unary();
  EXPECT_EQ(tracker_.in_flight(), 1);
  v1::TranslateRequest request = Minimal();
  request.add_contents("zwei");
  request.mutable_return_options()->set_timings(true);
  (*request.mutable_labels())["team"] = "blue";
  call->HandleRequest(Parse(request));
  EXPECT_TRUE(unary_.notes.WaitEnd().ok());
  EXPECT_EQ(unary_.answers, 1);
  ASSERT_EQ(unary_.answer.translations_size(), 2);
  EXPECT_EQ(unary_.answer.translations(0).translated_text(), "[Guten Tag.]");
  EXPECT_EQ(unary_.answer.translations(1).translated_text(), "[zwei]");
  EXPECT_EQ(unary_.answer.translations(1).model(), "de-en");
  EXPECT_EQ(unary_.answer.timings().total(), 7);
  EXPECT_THAT(unary_.Id(), SizeIs(32));
  EXPECT_EQ(unary_.answer.request_id(), unary_.Id());
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="OK",method="Translate"} 1)");
  EXPECT_EQ(timer_.armed(), 0);

  ASSERT_EQ(lines_.size(), 1U);
  const auto line = nlohmann::json::parse(lines_[0]);
  EXPECT_EQ(line["request_id"], unary_.Id());
  EXPECT_EQ(line["trace_id"], "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(line["code"], "OK");
  EXPECT_EQ(line["items"], 2);
  EXPECT_EQ(line["target_tokens"], 6);
  EXPECT_EQ(line["labels"]["team"], "blue");

  // Cancelling or expiring a call that has ended does nothing.
  call->Cancel();
  call->Expire();
  EXPECT_EQ(unary_.Ends(), 1U);

  clock_.Advance(20 * kNanosPerMilli);
  call->OnSent();
  ExpectMetric(R"(dragoman_stage_duration_seconds_count{model="de-en",stage="send"} 1)");
  call.reset();
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
}

TEST_F(TranslationCallTest, ATracedCallLeavesSpansWhenItIsGone) {
  struct Sink final : SpanSink {
    void Put(std::vector<Span> put) override {
      engine::MutexLock lock(&mu);
      spans = std::move(put);
      ++puts;
      changed.NotifyAll();
    }
    engine::Mutex mu;
    engine::CondVar changed;
    std::vector<Span> spans ABSL_GUARDED_BY(mu);
    int puts ABSL_GUARDED_BY(mu) = 0;
  } sink;
  context_.spans = &sink;
  head_.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  engine_.HoldJobs();
  auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  const FakeEngine::Held held = engine_.WaitHeld();
  EXPECT_EQ(held.job.returns.segment_times, 16);
  engine_.Finish(held.id, absl::UnavailableError("draining"));
  EXPECT_FALSE(unary_.notes.WaitEnd().ok());
  clock_.Advance(20 * kNanosPerMilli);
  call->OnSent();
  call.reset();
  engine::MutexLock lock(&sink.mu);
  while (sink.puts == 0) sink.changed.Wait(&sink.mu);
  ASSERT_EQ(sink.spans.size(), 3U);
  EXPECT_EQ(sink.spans[0].name, "Translate");
  EXPECT_EQ(sink.spans[0].trace_id, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(sink.spans[0].parent_id, "b7ad6b7169203331");
  EXPECT_TRUE(sink.spans[0].failed);
  EXPECT_EQ(sink.spans[1].name, "accept");
  EXPECT_EQ(sink.spans[2].name, "send");
  EXPECT_EQ(sink.spans[2].end - sink.spans[2].start, 20 * kNanosPerMilli);
}

TEST_F(TranslationCallTest, TheEngineHearsWhoseJobItIsAndUntilWhen) {
  engine_.HoldJobs();
  const auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  const FakeEngine::Held held = engine_.WaitHeld();
  EXPECT_EQ(held.job.client, "ipv4:192.0.2.7");
  EXPECT_EQ(held.job.deadline, head_.deadline);
  EXPECT_EQ(held.job.request_id, unary_.Id());
  engine_.Finish(held.id, absl::OkStatus());
  EXPECT_TRUE(unary_.notes.WaitEnd().ok());
}

TEST_F(TranslationCallTest, LivesAsLongAsTheEngineKnowsIt) {
  engine_.HoldJobs();
  auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  const FakeEngine::Held held = engine_.WaitHeld();
  call.reset();
  EXPECT_EQ(tracker_.in_flight(), 1);
  engine_.Finish(held.id, absl::OkStatus());
  EXPECT_TRUE(unary_.notes.WaitEnd().ok());
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
}

TEST_F(TranslationCallTest, AnAnswerThatCannotBeSentFailsTheCall) {
  unary_.answer_status = absl::InternalError("the response could not be serialised");
  const auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  EXPECT_EQ(unary_.notes.WaitEnd().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(unary_.Ends(), 1U);
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="INTERNAL",method="Translate"} 1)");
}

TEST_F(TranslationCallTest, ACallWhoseItemsAllFailAlikeFailsSo) {
  engine_.FailItem(0, absl::InvalidArgumentError("contents[0]: too long"));
  const auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  EXPECT_EQ(unary_.notes.WaitEnd().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(unary_.answers, 0);
}

TEST_F(TranslationCallTest, InvalidRequestsAreCountedAndRefused) {
  const auto call = Unary();
  call->HandleRequest(Parse(v1::TranslateRequest()));
  const absl::Status status = unary_.notes.WaitEnd();
  ExpectInvalid(status, "contents");
  EXPECT_EQ(engine_.submitted(), 0U);
  EXPECT_EQ(timer_.armed(), 0);
  ExpectMetric(R"(dragoman_rejected_total{reason="invalid"} 1)");
  ExpectMetric(
      R"(dragoman_rpcs_total{api="dragoman",code="INVALID_ARGUMENT",method="Translate"} 1)");
}

TEST_F(TranslationCallTest, TheEnginesRefusalIsCountedAndBringsItsHint) {
  engine::Admission refusal;
  refusal.status = absl::ResourceExhaustedError("the queue is full");
  refusal.reason = engine::RejectReason::kQueueFull;
  refusal.retry_after = 3 * kNanosPerSecond;
  engine_.RefuseNext(refusal);
  auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  const absl::Status status = unary_.notes.WaitEnd();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RetryAfterOf(status), 3 * kNanosPerSecond);
  EXPECT_EQ(timer_.armed(), 0);
  ExpectMetric(R"(dragoman_rejected_total{reason="queue_full"} 1)");
  ExpectMetric(
      R"(dragoman_rpcs_total{api="dragoman",code="RESOURCE_EXHAUSTED",method="Translate"} 1)");
  call.reset();
  EXPECT_EQ(tracker_.in_flight(), 0);
}

TEST_F(TranslationCallTest, WithoutAModelItIsUnavailableAndSaysWhenToComeAgain) {
  models_.Remove("de-en");
  const auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  const absl::Status status = unary_.notes.WaitEnd();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(RetryAfterOf(status), kNanosPerSecond);
}

TEST_F(TranslationCallTest, AnUnknownModelIsNotFound) {
  const auto call = Unary();
  call->HandleRequest(ParseWith([](v1::TranslateRequest* r) { r->set_model("fr-en"); }));
  const absl::Status status = unary_.notes.WaitEnd();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("fr-en"));
  EXPECT_EQ(engine_.submitted(), 0U);
  ExpectMetric(R"(dragoman_rejected_total{reason="invalid"} 1)");
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="NOT_FOUND",method="Translate"} 1)");
}

TEST_F(TranslationCallTest, TheDeadlineEndsTheCallAndTheJob) {
  engine_.HoldJobs();
  const auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  engine_.WaitHeld();
  EXPECT_EQ(timer_.armed(), 1);
  Advance(60 * kNanosPerSecond - 1);
  EXPECT_EQ(unary_.Ends(), 0U);
  Advance(1);
  EXPECT_EQ(unary_.notes.WaitEnd().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(engine_.WaitCancel().second, engine::CancelCause::kDeadline);
  EXPECT_EQ(timer_.armed(), 0);
  ExpectMetric(
      R"(dragoman_rpcs_total{api="dragoman",code="DEADLINE_EXCEEDED",method="Translate"} 1)");
}

TEST_F(TranslationCallTest, ACancellationEndsTheCallAndTheJob) {
  engine_.HoldJobs();
  auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  engine_.WaitHeld();
  call->Cancel();
  EXPECT_EQ(unary_.notes.WaitEnd().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(engine_.WaitCancel().second, engine::CancelCause::kClient);
  EXPECT_EQ(timer_.armed(), 0);
  call->Expire();  // the engine is told only the first cause
  EXPECT_EQ(engine_.cancels, 1);
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="CANCELLED",method="Translate"} 1)");
  call.reset();
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
  EXPECT_EQ(unary_.Ends(), 1U);  // the later end of the job has no effect
}

TEST_F(TranslationCallTest, AJobMayEndBeforeItsDeadlineIsArmed) {
  engine_.before_submit_returns = [this] { EXPECT_TRUE(unary_.notes.WaitEnd().ok()); };
  const auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  EXPECT_TRUE(unary_.notes.WaitEnd().ok());
  EXPECT_EQ(timer_.armed(), 0);
  Advance(3600 * kNanosPerSecond);
  EXPECT_EQ(engine_.cancels, 0);
  EXPECT_EQ(unary_.Ends(), 1U);
}

TEST_F(TranslationCallTest, TakesTheRequestIdOfTheHeaders) {
  head_.request_id = "from the headers";
  const auto call = Unary();
  call->HandleRequest(Parse(Minimal()));
  EXPECT_TRUE(unary_.notes.WaitEnd().ok());
  EXPECT_EQ(unary_.Id(), "from the headers");
}

TEST_F(TranslationCallTest, TheRequestsOwnIdComesFirst) {
  head_.request_id = "not\nvalid";
  const auto call = Unary();
  call->HandleRequest(ParseWith([](v1::TranslateRequest* r) { r->set_request_id("mine"); }));
  EXPECT_TRUE(unary_.notes.WaitEnd().ok());
  EXPECT_EQ(unary_.Id(), "mine");
}

TEST_F(TranslationCallTest, RefusesAnInvalidRequestIdOfTheHeaders) {
  for (const std::string& bad : {std::string("a\nb"), std::string(kMaxRequestIdLength + 1, 'a')}) {
    head_.request_id = bad;
    FakeUnary transport;
    const auto call =
        std::make_shared<UnaryTranslation>(&context_, RpcMethod::kTranslate, head_, &transport);
    call->HandleRequest(Parse(Minimal()));
    const absl::Status status = transport.notes.WaitEnd();
    ExpectInvalid(status, "");
    EXPECT_THAT(std::string(status.message()), HasSubstr("x-request-id"));
    EXPECT_THAT(transport.Id(), SizeIs(32));  // the server makes an id of its own
  }
  EXPECT_EQ(engine_.submitted(), 0U);
  ExpectMetric(R"(dragoman_rejected_total{reason="invalid"} 2)");
}

TEST_F(TranslationCallTest, ACallWithoutARequestHasNamesAndMetricsToo) {
  head_.request_id = "id-1";
  const auto call = Unary();
  call->HandleNoRequest(absl::CancelledError("the client has cancelled"));
  EXPECT_EQ(unary_.notes.WaitEnd().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(unary_.Id(), "id-1");
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="CANCELLED",method="Translate"} 1)");
  ExpectMetric(R"(dragoman_rejected_total{reason="invalid"} 0)");
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(lines_[0])["request_id"], "id-1");
}

TEST_F(TranslationCallTest, StreamsSegmentsThenTheirItem) {
  const auto call = Stream();
  call->HandleRequest(Parse(Minimal(), CallKind::kStream));
  const auto segment = stream_.WaitWrite(0);
  EXPECT_EQ(segment.text(), "[Guten Tag.]");
  EXPECT_THAT(segment.request_id(), SizeIs(32));
  stream_.EndWrite();
  call->OnWriteDone(true);
  const auto item = stream_.WaitWrite(1);
  EXPECT_EQ(item.translation().translated_text(), "[Guten Tag.]");
  EXPECT_EQ(item.request_id(), "");  // only the first message carries the id
  stream_.EndWrite();
  call->OnWriteDone(true);
  EXPECT_TRUE(stream_.notes.WaitEnd().ok());
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="OK",method="StreamTranslate"} 1)");
  EXPECT_EQ(timer_.armed(), 0);
}

TEST_F(TranslationCallTest, AStreamThatTakesNothingIsBrokenAndItsJobCancelled) {
  engine_.HoldJobs();
  const auto call = Stream();
  call->HandleRequest(Parse(Minimal(), CallKind::kStream));
  const FakeEngine::Held held = engine_.WaitHeld();
  engine_.Play(
      held, [&](engine::TranslationSink* sink) { sink->OnItem(FakeEngine::Answer(held.job, 0)); });
  stream_.WaitWrite(0);
  Advance(30 * kNanosPerSecond);
  EXPECT_EQ(stream_.breaks, 1);
  EXPECT_EQ(engine_.WaitCancel().second, engine::CancelCause::kClient);
  stream_.EndWrite();
  call->OnWriteDone(false);
  EXPECT_EQ(stream_.notes.WaitEnd().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(engine_.cancels, 1);
  EXPECT_EQ(timer_.armed(), 0);
}

}  // namespace
}  // namespace dragoman::server
