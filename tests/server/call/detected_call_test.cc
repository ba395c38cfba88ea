// Tests calls whose items' languages are detected, with several models and a scripted transport.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/call/detection.h"
#include "server/call/request_error.h"
#include "server/call/stream_translation.h"
#include "server/call/unary_translation.h"
#include "tests/server/call/request_fixture.h"
#include "tests/server/fake_detector.h"
#include "tests/server/fake_engine.h"
#include "tests/server/manual_clock.h"
#include "tests/server/served_models.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience{30};

class Unary final : public UnaryTransport {
 public:
  void AnnounceRequestId(const std::string& /*request_id*/) override {}
  absl::Status SetAnswer(const v1::TranslateResponse& what) override {
    answer = what;
    return absl::OkStatus();
  }
  void Finish(const absl::Status& status) override {
    engine::MutexLock lock(&mu_);
    EXPECT_FALSE(ended_) << "a second end";
    ended_ = true;
    status_ = status;
    changed_.NotifyAll();
  }
  absl::Status WaitEnd() {
    engine::MutexLock lock(&mu_);
    while (!ended_) changed_.Wait(&mu_);
    return status_;
  }

  v1::TranslateResponse answer;  // read it only after the end of the call

 private:
  engine::Mutex mu_;
  engine::CondVar changed_;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mu_);
};

class DetectedCallTest : public ::testing::Test {
 protected:
  DetectedCallTest() {
    SetLogLevel(LogLevel::kInfo);
    SetLogSink([this](std::string_view line) { lines_.emplace_back(line); });
    context_.clock = &clock_;
    context_.timer = &timer_;
    context_.metrics = &metrics_;
    context_.tracker = &tracker_;
    context_.models = &models_;
    context_.detector = &detector_;
    french_.mutable_info()->name = "fr-en";
    french_.mutable_info()->pairs = {{"fr", "en"}};
    back_.mutable_info()->name = "en-de";
    back_.mutable_info()->pairs = {{"en", "de"}};
    for (FakeEngine* engine : {&german_, &french_, &back_}) {
      EXPECT_TRUE(models_.Put(Borrowed(engine)).ok());
    }
    head_.started = clock_.Now();
    head_.deadline = head_.started + 60 * kNanosPerSecond;
    head_.client = "ipv4:192.0.2.7";
  }
  ~DetectedCallTest() override {
    EXPECT_TRUE(tracker_.WaitIdle(kPatience));
    SetLogSink(nullptr);
  }

  static v1::TranslateRequest Request(const std::vector<std::string>& contents) {
    v1::TranslateRequest request;
    for (const std::string& text : contents) request.add_contents(text);
    request.set_source_language_code("auto");
    request.set_target_language_code("en");
    return request;
  }

  // Runs the call and returns its final status.
  absl::Status Run(const v1::TranslateRequest& request) {
    Start(request);
    return unary_.WaitEnd();
  }
  std::shared_ptr<UnaryTranslation> Start(const v1::TranslateRequest& request) {
    auto call =
        std::make_shared<UnaryTranslation>(&context_, RpcMethod::kTranslate, head_, &unary_);
    call->HandleRequest(Parse(request));
    return call;
  }

  void ExpectMetric(const std::string& line) const {
    EXPECT_THAT("\n" + metrics_.Scrape(), HasSubstr("\n" + line + "\n"));
  }

  std::vector<std::string> lines_;  // of the log; read them only after the end of the call
  ManualClock clock_;
  DeadlineTimer timer_{&clock_};
  CallTracker tracker_;
  Metrics metrics_{&clock_};
  const FakeDetector detector_;
  CallContext context_;
  CallHead head_;
  Unary unary_;
  FakeEngine german_;
  FakeEngine french_;
  FakeEngine back_;
  ModelTable models_{&clock_, {}, {}};
};

TEST_F(DetectedCallTest, EachItemGoesToTheModelOfItsLanguageAndComesBackInItsPlace) {
  ASSERT_TRUE(Run(Request({"de: eins", "fr: un", "en: one", "??", "de: zwei", "ja: ichi"})).ok());
  const auto& items = unary_.answer.translations();
  ASSERT_EQ(items.size(), 6);
  EXPECT_EQ(items[0].translated_text(), "[de: eins]");
  EXPECT_EQ(items[0].model(), "de-en");
  EXPECT_EQ(items[0].detected_language_code(), "de");
  EXPECT_FLOAT_EQ(items[0].detection_confidence(), FakeDetector::kConfidence);
  EXPECT_EQ(items[1].translated_text(), "[fr: un]");
  EXPECT_EQ(items[1].model(), "fr-en");
  EXPECT_EQ(items[1].detected_language_code(), "fr");
  EXPECT_EQ(items[4].translated_text(), "[de: zwei]");
  EXPECT_EQ(items[4].index(), 4);
  // Item 2 is already in the target language. The language of item 3 is unknown, and no model has
  // that of item 5.
  EXPECT_EQ(items[2].translated_text(), "en: one");
  EXPECT_EQ(items[2].model(), "");
  EXPECT_EQ(items[2].detected_language_code(), "en");
  for (const int unknown : {3, 5}) {
    EXPECT_EQ(items[unknown].model(), "");
    EXPECT_EQ(items[unknown].detected_language_code(), "");
    EXPECT_TRUE(items[unknown].has_detection_confidence());
    EXPECT_EQ(items[unknown].detection_confidence(), 0);
    EXPECT_EQ(items[unknown].finish_reason(), v1::EOS);
  }
  EXPECT_EQ(items[3].translated_text(), "??");
  // One job for each language.
  EXPECT_EQ(german_.submitted(), 1U);
  EXPECT_EQ(french_.submitted(), 1U);
  EXPECT_EQ(back_.submitted(), 0U);
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="OK",method="Translate"} 1)");
  // The call counts once, as one of several models.
  ExpectMetric(
      R"(dragoman_rpc_duration_seconds_count{api="dragoman",method="Translate",model="*"} 1)");
  EXPECT_THAT(metrics_.Scrape(), ::testing::Not(HasSubstr(R"(method="Translate",model="")")));
  ASSERT_EQ(lines_.size(), 1U);
  const auto line = nlohmann::json::parse(lines_[0]);
  EXPECT_EQ(line["model"], "de-en,fr-en");
  EXPECT_EQ(line["items"], 6);
}

// "Hand" is a word of both languages. Only a certain detection keeps the text from the model.
TEST_F(DetectedCallTest, ADoubtfulWordIsTranslatedFromTheOnlySource) {
  v1::TranslateRequest request =
      Request({"en:Hand", "en!:Hand", "xx:Hand", "en: Hand in Hand", "?"});
  request.set_model("de-en");
  ASSERT_TRUE(Run(request).ok());
  const auto& items = unary_.answer.translations();
  for (const int word : {0, 2}) {
    EXPECT_EQ(items[word].translated_text(), "[" + request.contents(word) + "]");
    EXPECT_EQ(items[word].detected_language_code(), "de");
    EXPECT_EQ(items[word].detection_confidence(), 0);
  }
  for (const int unchanged : {1, 3, 4}) {
    EXPECT_EQ(items[unchanged].translated_text(), request.contents(unchanged));
    EXPECT_EQ(items[unchanged].model(), "");
  }
  EXPECT_EQ(items[1].detected_language_code(), "en");
  EXPECT_EQ(items[4].detected_language_code(), "");
}

TEST_F(DetectedCallTest, ADoubtfulWordOfTheTargetIsKeptWhereSeveralSourcesAreServed) {
  ASSERT_TRUE(Run(Request({"en:Hand", "xx:Hand", "fr:main"})).ok());
  const auto& items = unary_.answer.translations();
  EXPECT_EQ(items[0].translated_text(), "en:Hand");
  EXPECT_EQ(items[0].detected_language_code(), "en");
  EXPECT_EQ(items[1].translated_text(), "xx:Hand");
  EXPECT_EQ(items[1].detected_language_code(), "");
  EXPECT_EQ(items[2].translated_text(), "[fr:main]");
}

TEST_F(DetectedCallTest, WithoutItNothingIsSaidOfLanguages) {
  v1::TranslateRequest request = Request({"de: eins"});
  request.set_source_language_code("de");
  ASSERT_TRUE(Run(request).ok());
  EXPECT_FALSE(unary_.answer.translations(0).has_detection_confidence());
  EXPECT_EQ(unary_.answer.translations(0).detected_language_code(), "");
}

TEST_F(DetectedCallTest, ACallThatNoModelIsNeededForIsAnsweredAtOnce) {
  v1::TranslateRequest request = Request({"en: one", ""});
  request.set_source_language_code("AUTO");
  ASSERT_TRUE(Run(request).ok());
  EXPECT_EQ(unary_.answer.translations(0).translated_text(), "en: one");
  EXPECT_EQ(unary_.answer.translations(1).translated_text(), "");
  EXPECT_EQ(german_.submitted() + french_.submitted(), 0U);
  EXPECT_EQ(timer_.armed(), 0);
  ExpectMetric(
      R"(dragoman_rpc_duration_seconds_count{api="dragoman",method="Translate",model=""} 1)");
}

TEST_F(DetectedCallTest, ACallOverOneModelCountsAsThatModels) {
  const auto series = metrics_.ForModel("de-en");
  ASSERT_TRUE(Run(Request({"de: eins", "en: one"})).ok());
  ExpectMetric(
      R"(dragoman_rpc_duration_seconds_count{api="dragoman",method="Translate",model="de-en"} 1)");
}

TEST_F(DetectedCallTest, TheJobsAreThoseOfARequestWithTheLanguageGiven) {
  german_.HoldJobs();
  v1::TranslateRequest request = Request({"fr: un", "de: eins", "de: zwei"});
  for (const char* prefix : {"A", "", "C"}) request.add_target_prefixes(prefix);
  request.set_mime_type("text/plain");
  request.mutable_decoding()->set_beam_size(3);
  request.set_priority(v1::INTERACTIVE);
  Start(request);
  const FakeEngine::Held held = german_.WaitHeld();
  EXPECT_THAT(held.job.contents, ElementsAre("de: eins", "de: zwei"));
  EXPECT_THAT(held.job.target_prefixes, ElementsAre("", "C"));
  EXPECT_EQ(held.job.source_language, "de");
  EXPECT_EQ(held.job.target_language, "en");
  EXPECT_EQ(held.job.decoding.beam_size, 3);
  EXPECT_EQ(held.job.priority, engine::Priority::kInteractive);
  EXPECT_EQ(held.job.client, "ipv4:192.0.2.7");
  EXPECT_EQ(held.job.deadline, head_.deadline);
  german_.Finish(held.id, absl::OkStatus());
  EXPECT_TRUE(unary_.WaitEnd().ok());
}

TEST_F(DetectedCallTest, AllDrawsHaveOneSeed) {
  v1::TranslateRequest request = Request({"de: eins", "fr: un"});
  request.mutable_decoding()->mutable_sampling();
  ASSERT_TRUE(Run(request).ok());
  EXPECT_TRUE(unary_.answer.translations(0).has_seed());
  EXPECT_EQ(unary_.answer.translations(0).seed(), unary_.answer.translations(1).seed());
  EXPECT_NE(unary_.answer.translations(0).seed(), 77U) << "drawn by an engine for its part alone";
}

TEST_F(DetectedCallTest, AnOptionThatOnePartCannotHaveIsRefusedBeforeAnyPartIsSubmitted) {
  french_.mutable_info()->max_rows = 2;
  v1::TranslateRequest request = Request({"de: eins", "fr: un"});
  request.mutable_decoding()->set_beam_size(3);
  EXPECT_EQ(Run(request).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(german_.submitted() + french_.submitted(), 0U);
}

TEST_F(DetectedCallTest, IsRefusedAsAWhole) {
  engine::Admission refusal;
  refusal.status = absl::ResourceExhaustedError("the queue is full");
  refusal.reason = engine::RejectReason::kQueueFull;
  refusal.retry_after = 3 * kNanosPerSecond;
  french_.RefuseNext(refusal);
  german_.HoldJobs();
  const absl::Status status = Run(Request({"de: eins", "fr: un"}));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RetryAfterOf(status), 3 * kNanosPerSecond);
  german_.WaitCancel();
  ExpectMetric(R"(dragoman_rejected_total{reason="queue_full"} 1)");
  ExpectMetric(
      R"(dragoman_rpcs_total{api="dragoman",code="RESOURCE_EXHAUSTED",method="Translate"} 1)");
}

TEST_F(DetectedCallTest, ItsClientsCancellationReachesAllModels) {
  german_.HoldJobs();
  french_.HoldJobs();
  const auto call = Start(Request({"de: eins", "fr: un", "en: one"}));
  call->Cancel();
  EXPECT_EQ(german_.WaitCancel().second, engine::CancelCause::kClient);
  EXPECT_EQ(french_.WaitCancel().second, engine::CancelCause::kClient);
  EXPECT_EQ(unary_.WaitEnd().code(), absl::StatusCode::kCancelled);
}

TEST_F(DetectedCallTest, ItsDeadlineReachesAllModels) {
  german_.HoldJobs();
  french_.HoldJobs();
  Start(Request({"de: eins", "fr: un"}));
  clock_.Advance(60 * kNanosPerSecond);
  timer_.RunDue();
  EXPECT_EQ(german_.WaitCancel().second, engine::CancelCause::kDeadline);
  EXPECT_EQ(french_.WaitCancel().second, engine::CancelCause::kDeadline);
  EXPECT_EQ(unary_.WaitEnd().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(DetectedCallTest, ADrainEndsIt) {
  german_.HoldJobs();
  french_.HoldJobs();
  Start(Request({"de: eins", "fr: un"}));
  models_.CancelAll(engine::CancelCause::kDrain);
  EXPECT_EQ(unary_.WaitEnd().code(), absl::StatusCode::kUnavailable);
}

TEST_F(DetectedCallTest, AnItemThatFailsFailsAloneAndSaysWhatItsLanguageIs) {
  german_.FailItem(0, absl::InvalidArgumentError("too long"));
  ASSERT_TRUE(Run(Request({"fr: un", "de: eins"})).ok());
  const v1::Translation& failed = unary_.answer.translations(1);
  EXPECT_TRUE(failed.has_error());
  EXPECT_EQ(failed.index(), 1);
  EXPECT_EQ(failed.model(), "de-en");
  EXPECT_EQ(failed.detected_language_code(), "de");
  EXPECT_FALSE(unary_.answer.translations(0).has_error());
}

TEST_F(DetectedCallTest, OfANamedModelOnlyItsSourcesAreLookedFor) {
  v1::TranslateRequest request = Request({"de: eins", "fr: un"});
  request.set_model("fr-en");
  ASSERT_TRUE(Run(request).ok());
  EXPECT_EQ(unary_.answer.translations(0).translated_text(), "de: eins");
  EXPECT_EQ(unary_.answer.translations(0).detected_language_code(), "");
  EXPECT_EQ(unary_.answer.translations(1).translated_text(), "[fr: un]");
}

TEST_F(DetectedCallTest, RefusalsAreThoseOfOtherCalls) {
  v1::TranslateRequest unknown = Request({"de: eins"});
  unknown.set_model("xx");
  EXPECT_EQ(Run(unknown).code(), absl::StatusCode::kNotFound);
}

TEST_F(DetectedCallTest, ATargetThatNoModelHasIsRefused) {
  v1::TranslateRequest request = Request({"de: eins"});
  request.set_target_language_code("it");
  EXPECT_EQ(Run(request).code(), absl::StatusCode::kInvalidArgument);
  ExpectMetric(R"(dragoman_rejected_total{reason="invalid"} 1)");
}

TEST_F(DetectedCallTest, SeveralTargetsNeedOneToBeNamed) {
  v1::TranslateRequest request = Request({"de: eins"});
  request.clear_target_language_code();
  ExpectInvalid(Run(request), "target_language_code");
}

TEST_F(DetectedCallTest, AServerWithoutADetectorNamesTheField) {
  context_.detector = nullptr;
  const absl::Status status = Run(Request({"de: eins"}));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("source_language_code"));
  ExpectMetric(R"(dragoman_rejected_total{reason="unsupported"} 1)");
}

class KeyedCallTest : public DetectedCallTest {
 protected:
  void UseKey(ClientEntry entry) {
    entry.name = "web";
    client_ = std::make_shared<Client>(entry);
    head_.grant = std::make_shared<Grant>(client_);
  }
  std::shared_ptr<Client> client_;
};

TEST_F(KeyedCallTest, OnlyTheModelsOfTheKeyCount) {
  UseKey({.models = {"fr-en"}});
  ASSERT_TRUE(Run(Request({"de: eins", "fr: un"})).ok());
  EXPECT_EQ(unary_.answer.translations(0).detected_language_code(), "");
  EXPECT_EQ(unary_.answer.translations(1).translated_text(), "[fr: un]");
  v1::DetectLanguageRequest request;
  request.add_contents("de: eins");
  const auto found = ExpectOk(DetectLanguages(context_, client_.get(), request));
  EXPECT_TRUE(found->detections(0).languages().empty());
}

TEST_F(KeyedCallTest, AModelThatIsNotTheKeysIsDenied) {
  UseKey({.models = {"fr-en"}});
  v1::TranslateRequest request = Request({"de: eins"});
  request.set_model("de-en");
  EXPECT_EQ(Run(request).code(), absl::StatusCode::kPermissionDenied);
  v1::DetectLanguageRequest detect;
  detect.add_contents("de: eins");
  detect.set_model("de-en");
  EXPECT_EQ(DetectLanguages(context_, client_.get(), detect).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(KeyedCallTest, CharactersCountOnceForACallAndForADetection) {
  UseKey({.models = {"*"}, .characters_per_minute = 20});
  v1::DetectLanguageRequest detect;
  detect.add_contents("de: 345678901");
  EXPECT_TRUE(DetectLanguages(context_, client_.get(), detect).ok());
  const auto again = DetectLanguages(context_, client_.get(), detect).status();
  EXPECT_EQ(again.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(RetryAfterOf(again).has_value());
  // A refused call returns its characters to the bucket: seven are left.
  engine::Admission refusal;
  refusal.status = absl::ResourceExhaustedError("full");
  refusal.reason = engine::RejectReason::kQueueFull;
  german_.RefuseNext(refusal);
  EXPECT_EQ(Run(Request({"de: 345"})).message(), "full");
  EXPECT_EQ(client_->Take(7, clock_.Now()), 0);
}

TEST_F(DetectedCallTest, DetectLanguageAnswersByItem) {
  v1::DetectLanguageRequest request;
  for (const char* text : {"fr: un", "??", "en: one"}) request.add_contents(text);
  const auto found = ExpectOk(DetectLanguages(context_, nullptr, request));
  ASSERT_EQ(found->detections_size(), 3);
  ASSERT_EQ(found->detections(0).languages_size(), 1);
  EXPECT_EQ(found->detections(0).languages(0).language_code(), "fr");
  EXPECT_FLOAT_EQ(found->detections(0).languages(0).confidence(), FakeDetector::kConfidence);
  EXPECT_TRUE(found->detections(1).languages().empty());
  EXPECT_EQ(found->detections(2).languages(0).language_code(), "en");
}

TEST_F(DetectedCallTest, DetectLanguageRefusesByField) {
  v1::DetectLanguageRequest request;
  request.set_mime_type("text/rtf");
  request.set_model(std::string(300, 'm'));
  const absl::Status status = DetectLanguages(context_, nullptr, request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(FieldsAtFault(status), ElementsAre("contents", "mime_type", "model"));
  request.Clear();
  request.add_contents("de: eins");
  request.set_model("xx");
  EXPECT_EQ(DetectLanguages(context_, nullptr, request).status().code(),
            absl::StatusCode::kNotFound);
  context_.detector = nullptr;
  EXPECT_THAT(std::string(DetectLanguages(context_, nullptr, request).status().message()),
              AllOf(HasSubstr("DetectLanguage"), HasSubstr("--language-model")));
}

}  // namespace
}  // namespace dragoman::server
