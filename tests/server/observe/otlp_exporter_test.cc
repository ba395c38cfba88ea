#include "server/observe/otlp_exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/base/mutex.h"
#include "server/base/log.h"
#include "tests/server/manual_clock.h"

namespace dragoman::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A scripted collector. Take blocks until the test provides an answer or the exporter gives up.
class Collector {
 public:
  absl::StatusOr<OtlpAnswer> Take(const OtlpRequest& request) {
    engine::MutexLock lock(&mu_);
    requests_.push_back(request);
    changed_.NotifyAll();
    while (answers_.empty() && !cancelled_) changed_.Wait(&mu_);
    if (cancelled_) return absl::CancelledError("");
    auto answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }
  void Cancel() {
    engine::MutexLock lock(&mu_);
    cancelled_ = true;
    changed_.NotifyAll();
  }
  // Provides an answer for each request. The last one also answers all later requests.
  void Answer(std::deque<absl::StatusOr<OtlpAnswer>> answers) {
    engine::MutexLock lock(&mu_);
    answers_ = std::move(answers);
    changed_.NotifyAll();
  }
  OtlpRequest WaitRequest(size_t index) {
    engine::MutexLock lock(&mu_);
    while (requests_.size() <= index) changed_.Wait(&mu_);
    return requests_[index];
  }
  size_t requests() {
    engine::MutexLock lock(&mu_);
    return requests_.size();
  }

 private:
  engine::Mutex mu_;
  engine::CondVar changed_;
  std::vector<OtlpRequest> requests_ ABSL_GUARDED_BY(mu_);
  std::deque<absl::StatusOr<OtlpAnswer>> answers_ ABSL_GUARDED_BY(mu_);
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
};

class Channel final : public OtlpChannel {
 public:
  explicit Channel(std::shared_ptr<Collector> collector) : collector_(std::move(collector)) {}
  absl::StatusOr<OtlpAnswer> Export(const OtlpRequest& request) override {
    return collector_->Take(request);
  }
  void Cancel() override { collector_->Cancel(); }

 private:
  // Shared with the test, which inspects it afterwards.
  const std::shared_ptr<Collector> collector_;
};

const OtlpAnswer kTaken;

std::vector<Span> Spans(const std::vector<std::string>& names) {
  std::vector<Span> spans;
  for (const std::string& name : names) {
    Span span;
    span.trace_id = std::string(32, 'a');
    span.span_id = std::string(16, 'b');
    span.name = name;
    spans.push_back(span);
  }
  return spans;
}

std::vector<std::string> NamesIn(const OtlpRequest& request) {
  std::vector<std::string> names;
  for (const auto& span : request.resource_spans(0).scope_spans(0).spans()) {
    names.push_back(span.name());
  }
  return names;
}

class OtlpExporterTest : public ::testing::Test {
 protected:
  OtlpExporterTest() {
    SetLogSink([this](std::string_view line) {
      engine::MutexLock lock(&mu_);
      log_ += line;
    });
    options_.gather = milliseconds(0);
    options_.last_words = seconds(60);
  }
  ~OtlpExporterTest() override {
    collector_->Answer({kTaken});
    exporter_.reset();
    SetLogSink(nullptr);
  }

  void Start() {
    exporter_ =
        std::make_unique<OtlpExporter>(ProcessAttributes{{"service.name", "test"}},
                                       std::make_unique<Channel>(collector_), &clock_, options_);
  }
  std::string log() {
    engine::MutexLock lock(&mu_);
    return log_;
  }

  ManualClock clock_;
  OtlpOptions options_;
  std::shared_ptr<Collector> collector_ = std::make_shared<Collector>();
  std::unique_ptr<OtlpExporter> exporter_;

 private:
  engine::Mutex mu_;
  std::string log_ ABSL_GUARDED_BY(mu_);
};

TEST_F(OtlpExporterTest, GathersWhatComesWhileABatchIsUnderWay) {
  Start();
  exporter_->Put(Spans({"a"}));
  EXPECT_THAT(NamesIn(collector_->WaitRequest(0)), ElementsAre("a"));
  exporter_->Put(Spans({"b", "c"}));
  exporter_->Put(Spans({"d"}));
  collector_->Answer({kTaken});
  EXPECT_THAT(NamesIn(collector_->WaitRequest(1)), ElementsAre("b", "c", "d"));
  while (exporter_->counts().exported < 4) std::this_thread::yield();
  EXPECT_EQ(collector_->requests(), 2U);
}

TEST_F(OtlpExporterTest, AFullQueueDropsAndCountsAndNeverWaits) {
  options_.max_queue = 3;
  Start();
  exporter_->Put(Spans({"under way"}));
  collector_->WaitRequest(0);
  exporter_->Put(Spans({"a", "b"}));
  exporter_->Put(Spans({"c", "d"}));  // the queue takes all spans of a Put or none
  exporter_->Put(Spans({"e"}));
  EXPECT_EQ(exporter_->counts().queue_full, 2);
  collector_->Answer({kTaken});
  EXPECT_THAT(NamesIn(collector_->WaitRequest(1)), ElementsAre("a", "b", "e"));
}

TEST_F(OtlpExporterTest, AFullBatchDoesNotWaitForItsTime) {
  options_.gather = seconds(3600);
  options_.max_batch = 2;
  Start();
  collector_->Answer({kTaken});
  exporter_->Put(Spans({"a"}));
  exporter_->Put(Spans({"b", "c"}));
  EXPECT_THAT(NamesIn(collector_->WaitRequest(0)), ElementsAre("a", "b"));
}

TEST_F(OtlpExporterTest, SendsAtTheEndWhatIsQueued) {
  options_.gather = seconds(3600);
  Start();
  collector_->Answer({kTaken});
  exporter_->Put(Spans({"a"}));
  exporter_.reset();
  ASSERT_EQ(collector_->requests(), 1U);
  EXPECT_THAT(NamesIn(collector_->WaitRequest(0)), ElementsAre("a"));
}

TEST_F(OtlpExporterTest, CountsALostBatchAndSaysOnceThatItIsLost) {
  Start();
  collector_->Answer(
      {absl::UnavailableError("away"), absl::UnavailableError("still away"), kTaken});
  exporter_->Put(Spans({"a"}));
  collector_->WaitRequest(0);
  exporter_->Put(Spans({"b"}));
  collector_->WaitRequest(1);
  exporter_->Put(Spans({"c", "d"}));
  while (exporter_->counts().exported < 2) std::this_thread::yield();
  EXPECT_EQ(exporter_->counts().failed, 2);
  exporter_.reset();
  EXPECT_THAT(
      log(), AllOf(HasSubstr("spans are not exported"), HasSubstr("UNAVAILABLE"), HasSubstr("away"),
                   Not(HasSubstr("still away")), HasSubstr("spans are exported again")));
}

TEST_F(OtlpExporterTest, CountsTheSpansThatACollectorRejects) {
  Start();
  collector_->Answer({OtlpAnswer{.rejected = 2, .message = "too old"}});
  exporter_->Put(Spans({"a", "b", "c"}));
  while (exporter_->counts().exported < 1) std::this_thread::yield();
  EXPECT_EQ(exporter_->counts().failed, 2);
  exporter_.reset();
  EXPECT_THAT(log(), HasSubstr("too old"));
}

TEST_F(OtlpExporterTest, ACollectorThatHangsDoesNotHoldUpTheEnd) {
  options_.last_words = milliseconds(10);
  Start();
  exporter_->Put(Spans({"a"}));
  collector_->WaitRequest(0);
  exporter_->Put(Spans({"b"}));
  exporter_.reset();  // returns even though the collector does not answer
  EXPECT_EQ(collector_->requests(), 1U);
}

TEST(ToOtlp, HasEveryFieldOfASpan) {
  Span span;
  span.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  span.span_id = "00f067aa0ba902b7";
  span.parent_id = "b7ad6b7169203331";
  span.name = "Translate";
  span.of_server = true;
  span.failed = true;
  span.start = 5;
  span.end = 7;
  span.attributes = {{"dragoman.model", "de-en"}, {"raw", "\xff"}, {"dragoman.items", 3}};
  const OtlpRequest request =
      ToOtlp({span}, {{"service.name", "dragomand"}}, 1'700'000'000'000'000'000);
  const auto& resource = request.resource_spans(0);
  EXPECT_EQ(resource.resource().attributes(0).value().string_value(), "dragomand");
  const auto& out = resource.scope_spans(0).spans(0);
  EXPECT_EQ(absl::BytesToHexString(out.trace_id()), span.trace_id);
  EXPECT_EQ(absl::BytesToHexString(out.span_id()), span.span_id);
  EXPECT_EQ(absl::BytesToHexString(out.parent_span_id()), span.parent_id);
  EXPECT_EQ(out.name(), "Translate");
  EXPECT_EQ(out.kind(), 2);
  EXPECT_EQ(out.start_time_unix_nano(), 1'700'000'000'000'000'005U);
  EXPECT_EQ(out.end_time_unix_nano(), 1'700'000'000'000'000'007U);
  EXPECT_EQ(out.status().code(), 2);
  EXPECT_EQ(out.attributes(0).value().string_value(), "de-en");
  EXPECT_EQ(out.attributes(1).value().bytes_value(), "\xff");
  EXPECT_EQ(out.attributes(2).value().int_value(), 3);
}

}  // namespace
}  // namespace dragoman::server
