#include "server/trace/otlp_exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "server/base/log.h"
#include "tests/server/manual_clock.h"

namespace dragoman {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

// A collector that a test plays: answers wait until they are given.
class Collector {
 public:
  int Post(const std::string& body) {
    MutexLock lock(&mu_);
    bodies_.push_back(body);
    changed_.NotifyAll();
    while (answers_.empty()) changed_.Wait(&mu_);
    const int answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }
  // One for each request; the last holds for all that follow.
  void Answer(std::deque<int> answers) {
    MutexLock lock(&mu_);
    answers_ = std::move(answers);
    changed_.NotifyAll();
  }
  std::string WaitBody(size_t index) {
    MutexLock lock(&mu_);
    while (bodies_.size() <= index) changed_.Wait(&mu_);
    return bodies_[index];
  }
  size_t requests() {
    MutexLock lock(&mu_);
    return bodies_.size();
  }

 private:
  Mutex mu_;
  CondVar changed_;
  std::vector<std::string> bodies_ ABSL_GUARDED_BY(mu_);
  std::deque<int> answers_ ABSL_GUARDED_BY(mu_);
};

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

std::vector<std::string> NamesIn(const std::string& body) {
  std::vector<std::string> names;
  const auto json = nlohmann::json::parse(body);
  for (const auto& span : json["resourceSpans"][0]["scopeSpans"][0]["spans"]) {
    names.push_back(span["name"]);
  }
  return names;
}

class OtlpExporterTest : public ::testing::Test {
 protected:
  OtlpExporterTest() {
    SetLogLevel(LogLevel::kOff);
    options_.gather = milliseconds(0);
    options_.retry_after = milliseconds(1);
    options_.last_words = seconds(60);
  }
  ~OtlpExporterTest() override {
    collector_->Answer({200});
    exporter_.reset();
    SetLogLevel(LogLevel::kInfo);
  }

  void Start() {
    // Shared, for a post may be under way when the exporter is gone.
    exporter_ = std::make_unique<OtlpExporter>(
        std::vector<std::pair<std::string, std::string>>{{"service.name", "test"}},
        [collector = collector_](const std::string& body) -> HttpPostResult {
          return {collector->Post(body), ""};
        },
        &clock_, options_);
  }

  ManualClock clock_;
  OtlpOptions options_;
  std::shared_ptr<Collector> collector_ = std::make_shared<Collector>();
  std::unique_ptr<OtlpExporter> exporter_;
};

TEST_F(OtlpExporterTest, GathersWhatComesWhileABatchIsUnderWay) {
  Start();
  exporter_->Put(Spans({"a"}));
  EXPECT_THAT(NamesIn(collector_->WaitBody(0)), ElementsAre("a"));
  exporter_->Put(Spans({"b", "c"}));
  exporter_->Put(Spans({"d"}));
  collector_->Answer({200});
  EXPECT_THAT(NamesIn(collector_->WaitBody(1)), ElementsAre("b", "c", "d"));
  exporter_.reset();
  EXPECT_EQ(collector_->requests(), 2U);
}

TEST_F(OtlpExporterTest, AFullQueueDropsAndCountsAndNeverWaits) {
  options_.max_queue = 3;
  Start();
  exporter_->Put(Spans({"under way"}));
  collector_->WaitBody(0);
  exporter_->Put(Spans({"a", "b"}));
  exporter_->Put(Spans({"c", "d"}));  // all of them or none
  exporter_->Put(Spans({"e"}));
  EXPECT_EQ(exporter_->counts().queue_full, 2);
  collector_->Answer({200});
  EXPECT_THAT(NamesIn(collector_->WaitBody(1)), ElementsAre("a", "b", "e"));
}

TEST_F(OtlpExporterTest, AFullBatchDoesNotWaitForItsTime) {
  options_.gather = seconds(3600);
  options_.max_batch = 2;
  collector_->Answer({200});
  Start();
  exporter_->Put(Spans({"a"}));
  exporter_->Put(Spans({"b", "c"}));
  EXPECT_THAT(NamesIn(collector_->WaitBody(0)), ElementsAre("a", "b"));
  exporter_.reset();  // sends what is left
  EXPECT_THAT(NamesIn(collector_->WaitBody(1)), ElementsAre("c"));
}

TEST_F(OtlpExporterTest, TriesThreeTimesWhereTheCollectorIsBusyOrAway) {
  collector_->Answer({503, 0, 429, 200});
  Start();
  exporter_->Put(Spans({"a"}));
  for (size_t attempt = 0; attempt < 3; ++attempt) {
    EXPECT_THAT(NamesIn(collector_->WaitBody(attempt)), ElementsAre("a"));
  }
  exporter_->Put(Spans({"b", "c"}));
  EXPECT_THAT(NamesIn(collector_->WaitBody(3)), ElementsAre("b", "c"));
  EXPECT_EQ(exporter_->counts().failed, 1);
  while (exporter_->counts().exported == 0) std::this_thread::yield();
  EXPECT_EQ(exporter_->counts().exported, 2);
}

TEST_F(OtlpExporterTest, WhatTheCollectorRefusesIsNotSentAgain) {
  collector_->Answer({400, 200});
  Start();
  exporter_->Put(Spans({"a"}));
  while (exporter_->counts().failed == 0) std::this_thread::yield();
  EXPECT_EQ(collector_->requests(), 1U);
}

TEST_F(OtlpExporterTest, ACollectorThatHangsDoesNotHoldUpTheEnd) {
  options_.last_words = milliseconds(10);
  Start();
  exporter_->Put(Spans({"a"}));
  collector_->WaitBody(0);
  exporter_.reset();  // comes back
}

TEST(OtlpJson, IsTheProtocolsJson) {
  Span span;
  span.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  span.span_id = "00f067aa0ba902b7";
  span.parent_id = "b7ad6b7169203331";
  span.name = "Translate";
  span.of_server = true;
  span.failed = true;
  span.start = 5;
  span.end = 7;
  span.attributes = {{"dragoman.model", "de-en\xff"}, {"dragoman.items", 3}};
  const auto json = nlohmann::json::parse(
      OtlpJson({span}, {{"service.name", "dragomand"}}, 1'700'000'000'000'000'000));
  const auto& resource = json["resourceSpans"][0];
  EXPECT_EQ(resource["resource"]["attributes"][0]["value"]["stringValue"], "dragomand");
  const auto& out = resource["scopeSpans"][0]["spans"][0];
  EXPECT_EQ(out["traceId"], span.trace_id);
  EXPECT_EQ(out["parentSpanId"], span.parent_id);
  EXPECT_EQ(out["kind"], 2);
  EXPECT_EQ(out["startTimeUnixNano"], "1700000000000000005");
  EXPECT_EQ(out["endTimeUnixNano"], "1700000000000000007");
  EXPECT_EQ(out["status"]["code"], 2);
  EXPECT_EQ(out["attributes"][1]["value"]["intValue"], "3");
}

}  // namespace
}  // namespace dragoman
