// Tests the whole server over a loopback port with a scripted engine: the status table of the wire
// contract line by line, request ids, health, cancellation, deadlines and drain.
#include "server/process/serving.h"

#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/v1/translation.grpc.pb.h"
#include "engine/base/field_error.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/server/process/serving_fixture.h"

namespace dragoman::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ServingTest : public ServingFixture {
 protected:
  ServingTest() { google::protobuf::SetLogHandler(nullptr); }

  void Start(bool with_engine = true) {
    ASSERT_NO_FATAL_FAILURE(StartServing(with_engine));
    channel_ = grpc::CreateChannel(serving_->address(), grpc::InsecureChannelCredentials());
    stub_ = v1::TranslationService::NewStub(channel_);
    health_ = ::grpc::health::v1::Health::NewStub(channel_);
  }

  static v1::TranslateRequest Request(const std::vector<std::string>& items) {
    v1::TranslateRequest request;
    for (const auto& item : items) request.add_contents(item);
    return request;
  }

  grpc::Status Translate(const v1::TranslateRequest& request) {
    context_ = std::make_unique<grpc::ClientContext>();
    response_.Clear();
    return stub_->Translate(context_.get(), request, &response_);
  }

  // Calls Translate on another thread.
  std::future<grpc::Status> TranslateLater(grpc::ClientContext* context) {
    return std::async(std::launch::async, [this, context] {
      v1::TranslateResponse response;
      return stub_->Translate(context, Request({"Hallo"}), &response);
    });
  }

  // Calls both Translate and StreamTranslate, because gRPC handles unary and streaming calls
  // differently.
  std::vector<grpc::Status> BothWays(const v1::TranslateRequest& request) {
    std::vector<grpc::Status> statuses = {Translate(request)};
    grpc::ClientContext context;
    const auto reader = stub_->StreamTranslate(&context, request);
    v1::StreamTranslateResponse message;
    while (reader->Read(&message)) {
    }
    statuses.push_back(reader->Finish());
    return statuses;
  }

  grpc::Status RawCall(const std::string& method, const std::string& bytes) {
    grpc::GenericStub stub(channel_);
    grpc::ClientContext context;
    const grpc::Slice slice(bytes);
    const grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer response;
    std::promise<grpc::Status> done;
    stub.UnaryCall(&context, method, {}, &request, &response,
                   [&done](grpc::Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  }

  ::grpc::health::v1::HealthCheckResponse::ServingStatus Health(const std::string& service) {
    grpc::ClientContext context;
    ::grpc::health::v1::HealthCheckRequest request;
    ::grpc::health::v1::HealthCheckResponse response;
    request.set_service(service);
    const grpc::Status status = health_->Check(&context, request, &response);
    return status.ok() ? response.status()
                       : ::grpc::health::v1::HealthCheckResponse::SERVICE_UNKNOWN;
  }

  template <typename Detail>
  static Detail DetailOf(const grpc::Status& status) {
    google::rpc::Status rpc;
    Detail detail;
    EXPECT_TRUE(rpc.ParseFromString(status.error_details()));
    EXPECT_EQ(rpc.code(), static_cast<int>(status.error_code()));
    EXPECT_EQ(rpc.details_size(), 1);
    if (rpc.details_size() > 0) {
      EXPECT_TRUE(rpc.details(0).UnpackTo(&detail));
    }
    return detail;
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::TranslationService::Stub> stub_;
  std::unique_ptr<::grpc::health::v1::Health::Stub> health_;
  std::unique_ptr<grpc::ClientContext> context_;
  v1::TranslateResponse response_;
};

// ------------------------------------------------------------------ results

TEST_F(ServingTest, AnswersItemsInOrder) {
  Start();
  auto request = Request({"eins", "zwei", "drei"});
  request.set_request_id("id-1");
  request.mutable_return_options()->set_timings(true);
  request.mutable_return_options()->set_scores(true);
  const grpc::Status status = Translate(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response_.translations_size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(response_.translations(i).index(), i);
    EXPECT_EQ(response_.translations(i).translated_text(), "[" + request.contents(i) + "]");
    EXPECT_EQ(response_.translations(i).model(), "de-en");
    EXPECT_EQ(response_.translations(i).score(), -0.5F);
  }
  EXPECT_EQ(response_.request_id(), "id-1");
  EXPECT_EQ(response_.timings().total(), 7);
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="OK",method="Translate"} 1)");
  ExpectMetric(R"(dragoman_segments_total{model="de-en",outcome="eos"} 3)");
}

TEST_F(ServingTest, ScoresPairsInOrderOrAsTheyCome) {
  Start();
  engine_.FailItem(1, absl::InvalidArgumentError("pairs[1].target: too long"));
  v1::ScoreRequest request;
  for (const char* source : {"eins", "zwei", "drei"}) {
    v1::ScoreRequest::Pair* const pair = request.add_pairs();
    pair->set_source(source);
    pair->set_target("one");
  }
  request.set_request_id("id-1");
  grpc::ClientContext context;
  v1::ScoreResponse response;
  const grpc::Status status = stub_->Score(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.model(), "de-en");
  EXPECT_EQ(response.request_id(), "id-1");
  ASSERT_EQ(response.scores_size(), 3);
  for (int i = 0; i < 3; ++i) {
    const v1::PairScore& scored = response.scores(i);
    EXPECT_EQ(scored.index(), i);
    EXPECT_EQ(scored.score(), i == 1 ? 0.0F : -0.5F);
    EXPECT_EQ(scored.error().message(), i == 1 ? "pairs[1].target: too long" : "");
  }

  grpc::ClientContext streaming;
  const auto reader = stub_->StreamScore(&streaming, request);
  std::vector<std::string> streamed(3);
  v1::StreamScoreResponse message;
  for (bool first = true; reader->Read(&message); first = false) {
    EXPECT_EQ(message.request_id(), first ? "id-1" : "");
    EXPECT_EQ(message.model(), first ? "de-en" : "");
    streamed.at(static_cast<size_t>(message.score().index())) = message.score().DebugString();
  }
  EXPECT_TRUE(reader->Finish().ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(streamed[static_cast<size_t>(i)], response.scores(i).DebugString());
  }
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="OK",method="Score"} 1)");
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="OK",method="StreamScore"} 1)");
}

TEST_F(ServingTest, SendsPartialsBeforeTheEnd) {
  Start();
  engine_.HoldJobs();
  auto request = Request({"Guten Tag"});
  request.mutable_return_options()->set_partials(true);
  grpc::ClientContext context;
  const auto reader = stub_->StreamTranslate(&context, request);
  const FakeEngine::Held held = engine_.WaitHeld();
  EXPECT_TRUE(held.job.returns.partials);
  engine_.Play(held, [](engine::TranslationSink* sink) {
    engine::SegmentUpdate update;
    update.text = "Good";
    sink->OnSegment(update);
  });
  v1::StreamTranslateResponse message;
  ASSERT_TRUE(reader->Read(&message));  // while the job is still running
  EXPECT_EQ(message.text(), "Good");
  EXPECT_FALSE(message.final());
  engine_.Play(
      held, [&](engine::TranslationSink* sink) { sink->OnItem(FakeEngine::Answer(held.job, 0)); });
  engine_.Finish(held.id, absl::OkStatus());
  ASSERT_TRUE(reader->Read(&message));
  EXPECT_EQ(message.translation().translated_text(), "[Guten Tag]");
  EXPECT_FALSE(reader->Read(&message));
  EXPECT_TRUE(reader->Finish().ok());
}

// ------------------------------------------------------------------ the status table

TEST_F(ServingTest, InvalidArgumentEmptyContents) {
  Start();
  for (const grpc::Status& status : BothWays({})) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailOf<google::rpc::BadRequest>(status).field_violations(0).field(), "contents");
  }
  EXPECT_EQ(engine_.submitted(), 0U);
  ExpectMetric(R"(dragoman_rejected_total{reason="invalid"} 2)");
}

TEST_F(ServingTest, InvalidArgumentAboveTheConfiguredLimits) {
  config_.max_items = 2;
  config_.max_code_points = 4;
  Start();
  EXPECT_EQ(Translate(Request({"a", "b", "c"})).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(Translate(Request({"äöüß"})).ok());
  for (const grpc::Status& status : BothWays(Request({"äöüßa"}))) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr("5 code points"));
  }
}

TEST_F(ServingTest, InvalidArgumentAboveGrpcsDefaultMessageSize) {
  Start();
  const grpc::Status status = Translate(Request({std::string(5 << 20, 'a')}));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServingTest, InvalidArgumentNotUtf8) {
  Start();
  const std::string bytes("\x0A\x04Gr\xFC\xDF", 6);
  for (const char* method : {"Translate", "StreamTranslate"}) {
    const grpc::Status status =
        RawCall(std::string("/dragoman.v1.TranslationService/") + method, bytes);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    EXPECT_THAT(status.error_message(), HasSubstr("contents[0]: not UTF-8"));
    EXPECT_EQ(DetailOf<google::rpc::BadRequest>(status).field_violations(0).field(), "contents[0]");
  }
  EXPECT_EQ(RawCall("/dragoman.v1.TranslationService/ListLanguages", std::string("\x12\x01\xFF", 3))
                .error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(RawCall("/dragoman.v1.TranslationService/Translate", "\xFF\xFF").error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServingTest, InvalidArgumentBadOption) {
  Start();
  auto request = Request({"Hallo"});
  request.mutable_decoding()->set_beam_size(17);  // the fake engine's batch has 16 rows
  for (const grpc::Status& status : BothWays(request)) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailOf<google::rpc::BadRequest>(status).field_violations(0).field(),
              "decoding.beam_size");
  }
}

TEST_F(ServingTest, ResourceExhaustedWithRetryHint) {
  Start();
  for (const auto& [reason, name] :
       {std::make_pair(engine::RejectReason::kQueueFull, "queue_full"),
        std::make_pair(engine::RejectReason::kTokenBudget, "token_budget")}) {
    engine::Admission refusal;
    refusal.status = absl::ResourceExhaustedError("the queue is full");
    refusal.reason = reason;
    refusal.retry_after = 250 * kNanosPerMilli;
    engine_.RefuseNext(refusal);
    engine_.RefuseNext(refusal);
    for (const grpc::Status& status : BothWays(Request({"Hallo"}))) {
      EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
      EXPECT_EQ(DetailOf<google::rpc::RetryInfo>(status).retry_delay().nanos(), 250'000'000);
    }
    const auto& trailing = context_->GetServerTrailingMetadata();
    ASSERT_EQ(trailing.count("grpc-retry-pushback-ms"), 1U);
    EXPECT_EQ(trailing.find("grpc-retry-pushback-ms")->second, "250");
    ExpectMetric(std::string("dragoman_rejected_total{reason=\"") + name + "\"} 2");
  }
}

TEST_F(ServingTest, UnavailableWhileLoading) {
  Start(/*with_engine=*/false);
  for (const grpc::Status& status : BothWays(Request({"Hallo"}))) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(DetailOf<google::rpc::RetryInfo>(status).retry_delay().seconds(), 1);
  }
  EXPECT_EQ(serving_->NotReady(), "loading");
}

TEST_F(ServingTest, WhatIsRefusedIsTriedAgainByGrpcItself) {
  // gRPC applies a client's retry policy only to responses that are Trailers-Only (gRFC A6).
  Start();
  engine_.StopAdmission();
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON(
      R"({"methodConfig":[{"name":[{"service":"dragoman.v1.TranslationService"}],"retryPolicy":)"
      R"({"maxAttempts":2,"initialBackoff":"0.01s","maxBackoff":"0.01s","backoffMultiplier":1,)"
      R"("retryableStatusCodes":["UNAVAILABLE"]}}]})");
  channel_ =
      grpc::CreateCustomChannel(serving_->address(), grpc::InsecureChannelCredentials(), arguments);
  stub_ = v1::TranslationService::NewStub(channel_);
  auto request = Request({"Hallo"});
  request.set_request_id("mine");
  for (const grpc::Status& status : BothWays(request)) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(DetailOf<google::rpc::RetryInfo>(status).retry_delay().seconds(), 1);
  }
  const auto& trailing = context_->GetServerTrailingMetadata();
  EXPECT_EQ(trailing.count("grpc-retry-pushback-ms"), 1U);
  ASSERT_EQ(trailing.count("x-request-id"), 1U);
  EXPECT_EQ(trailing.find("x-request-id")->second, "mine");
  EXPECT_EQ(context_->GetServerInitialMetadata().count("x-request-id"), 0U);
  ExpectMetric(R"(dragoman_rejected_total{reason="draining"} 4)");
}

TEST_F(ServingTest, OptionsOfANewerClientAreUnimplemented) {
  Start();
  auto request = Request({"Hallo"});
  v1::DecodingOptions* decoding = request.mutable_decoding();
  decoding->GetReflection()->MutableUnknownFields(decoding)->AddVarint(99, 1);
  for (const grpc::Status& status : BothWays(request)) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
    EXPECT_THAT(status.error_message(), HasSubstr("DecodingOptions field 99"));
  }
  ExpectMetric(R"(dragoman_rejected_total{reason="unsupported"} 2)");
}

TEST_F(ServingTest, TheEnginesRefusalsNameTheirFields) {
  Start();
  std::vector<std::string> lines;
  SetLogSink([&lines](std::string_view line) { lines.emplace_back(line); });
  const auto refuse = [this](absl::Status status) {
    engine::Admission refusal;
    refusal.status = std::move(status);
    refusal.reason = engine::RejectReason::kInvalid;
    engine_.RefuseNext(refusal);
    SetLogLevel(LogLevel::kInfo);
    grpc::Status answer = Translate(Request({"Hallo"}));
    SetLogLevel(LogLevel::kOff);
    return answer;
  };
  grpc::Status status = refuse(absl::NotFoundError("glossary_config.glossary 'x' is unknown"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  status = refuse(engine::InvalidRequest({"terms[1]", "a second target 'Geheimnis'", "one"}));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("'Geheimnis'"));
  EXPECT_EQ(DetailOf<google::rpc::BadRequest>(status).field_violations(0).field(), "terms[1]");
  ExpectMetric(R"(dragoman_rejected_total{reason="invalid"} 2)");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["error"], "refused for terms[1]");
}

TEST_F(ServingTest, UnimplementedMethodsAreNamed) {
  Start();
  const auto admin = v1::AdminService::NewStub(channel_);
  grpc::ClientContext load_context;
  v1::LoadModelResponse loaded;
  const grpc::Status load = admin->LoadModel(&load_context, {}, &loaded);
  EXPECT_EQ(load.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(load.error_message(),
              AllOf(HasSubstr("/dragoman.v1.AdminService/LoadModel"), HasSubstr("--admin-listen")));
  for (const char* method : {"UnloadModel", "Drain", "SetLogLevel"}) {
    const grpc::Status status = RawCall(std::string("/dragoman.v1.AdminService/") + method, "");
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
    EXPECT_THAT(status.error_message(), HasSubstr(method));
  }
  EXPECT_EQ(RawCall("/dragoman.v1.TranslationService/Nonsense", "").error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="UNIMPLEMENTED",method="unknown"} 5)");
}

TEST_F(ServingTest, DeadlineIsEndedByTheServerToo) {
  Start();
  engine_.HoldJobs();
  for (size_t i = 0; i < 2; ++i) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + milliseconds(60));
    grpc::Status status;
    if (i == 0) {
      status = TranslateLater(&context).get();
    } else {
      const auto reader = stub_->StreamTranslate(&context, Request({"Hallo"}));
      v1::StreamTranslateResponse message;
      while (reader->Read(&message)) {
      }
      status = reader->Finish();
    }
    EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    // The engine was told to cancel the job, and why.
    const FakeEngine::Held held = engine_.WaitHeld();
    EXPECT_NE(held.job.deadline, engine::kNoDeadline);
    EXPECT_EQ(engine_.WaitCancel(i), std::make_pair(held.id, engine::CancelCause::kDeadline));
  }
  EXPECT_TRUE(serving_->DrainCalls({seconds(10)}).clean);
  ExpectMetric(
      R"(dragoman_rpcs_total{api="dragoman",code="DEADLINE_EXCEEDED",method="Translate"} 1)");
  ExpectMetric(
      R"(dragoman_rpcs_total{api="dragoman",code="DEADLINE_EXCEEDED",method="StreamTranslate"} 1)");
  ExpectMetric(R"(dragoman_segments_total{model="de-en",outcome="deadline"} 2)");
}

TEST_F(ServingTest, DeadlineOfTheServerWhereTheClientHasNone) {
  config_.longest_call_seconds = 1;
  Start();
  engine_.HoldJobs();
  for (const grpc::Status& status : BothWays(Request({"Hallo"}))) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    // The message comes from the engine or the server. A client's own timer says "Deadline
    // Exceeded".
    EXPECT_THAT(status.error_message(), ::testing::AnyOf("the deadline has passed", "expired"));
  }
  EXPECT_EQ(engine_.WaitCancel().second, engine::CancelCause::kDeadline);
}

TEST_F(ServingTest, CancellationReachesTheEngine) {
  Start();
  engine_.HoldJobs();
  grpc::ClientContext unary_context;
  auto unary = TranslateLater(&unary_context);
  const FakeEngine::Held first = engine_.WaitHeld();
  unary_context.TryCancel();
  EXPECT_EQ(unary.get().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(engine_.WaitCancel(0), std::make_pair(first.id, engine::CancelCause::kClient));

  grpc::ClientContext stream_context;
  const auto reader = stub_->StreamTranslate(&stream_context, Request({"Hallo"}));
  const FakeEngine::Held second = engine_.WaitHeld();
  stream_context.TryCancel();
  v1::StreamTranslateResponse message;
  EXPECT_FALSE(reader->Read(&message));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(engine_.WaitCancel(1), std::make_pair(second.id, engine::CancelCause::kClient));

  EXPECT_TRUE(serving_->DrainCalls({seconds(10)}).clean);
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="CANCELLED",method="Translate"} 1)");
  ExpectMetric(
      R"(dragoman_rpcs_total{api="dragoman",code="CANCELLED",method="StreamTranslate"} 1)");
}

TEST_F(ServingTest, InternalFailsItsItemAlone) {
  Start();
  engine_.FailItem(1, absl::InternalError("not a number in the decoder"));
  ASSERT_TRUE(Translate(Request({"eins", "zwei", "drei"})).ok());
  EXPECT_EQ(response_.translations(0).translated_text(), "[eins]");
  EXPECT_EQ(response_.translations(1).error().code(), grpc::StatusCode::INTERNAL);
  EXPECT_EQ(response_.translations(1).index(), 1);
  EXPECT_EQ(response_.translations(1).translated_text(), "");
  EXPECT_EQ(response_.translations(2).translated_text(), "[drei]");

  grpc::ClientContext context;
  const auto reader = stub_->StreamTranslate(&context, Request({"eins", "zwei"}));
  v1::StreamTranslateResponse message;
  int failed = 0;
  while (reader->Read(&message)) {
    if (!message.has_error()) continue;
    ++failed;
    EXPECT_EQ(message.item(), 1);
    EXPECT_EQ(message.error().code(), grpc::StatusCode::INTERNAL);
    EXPECT_EQ(message.translation().error().code(), grpc::StatusCode::INTERNAL);
  }
  EXPECT_EQ(failed, 1);
  EXPECT_TRUE(reader->Finish().ok());
}

// ------------------------------------------------------------------ names

TEST_F(ServingTest, EchoesOrMakesRequestIds) {
  Start();
  const auto id_of = [this] {
    const auto& initial = context_->GetServerInitialMetadata();
    const auto entry = initial.find("x-request-id");
    return entry == initial.end() ? std::string()
                                  : std::string(entry->second.data(), entry->second.size());
  };
  auto request = Request({"Hallo"});
  ASSERT_TRUE(Translate(request).ok());
  EXPECT_EQ(response_.request_id().size(), 32U);
  EXPECT_EQ(id_of(), response_.request_id());
  request.set_request_id("from the field");
  ASSERT_TRUE(Translate(request).ok());
  EXPECT_EQ(response_.request_id(), "from the field");
  EXPECT_EQ(id_of(), "from the field");

  request.clear_request_id();
  context_ = std::make_unique<grpc::ClientContext>();
  context_->AddMetadata("x-request-id", "from-metadata");
  ASSERT_TRUE(stub_->Translate(context_.get(), request, &response_).ok());
  EXPECT_EQ(response_.request_id(), "from-metadata");
  context_ = std::make_unique<grpc::ClientContext>();
  context_->AddMetadata("x-request-id", std::string(129, 'x'));
  EXPECT_EQ(stub_->Translate(context_.get(), request, &response_).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServingTest, LogsNamesAndSizesAndNoText) {
  Start();
  std::vector<std::string> lines;
  SetLogSink([&lines](std::string_view line) { lines.emplace_back(line); });
  SetLogLevel(LogLevel::kInfo);
  auto request = Request({"Geheimnis", "Staatsgeheimnis"});
  request.set_request_id("id-7");
  (*request.mutable_labels())["team"] = "blue";
  grpc::ClientContext context;
  context.AddMetadata("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  ASSERT_TRUE(stub_->Translate(&context, request, &response_).ok());
  SetLogLevel(LogLevel::kOff);
  SetLogSink(nullptr);
  ASSERT_EQ(lines.size(), 1U);
  const auto json = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(json["request_id"], "id-7");
  EXPECT_EQ(json["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(json["method"], "Translate");
  EXPECT_EQ(json["code"], "OK");
  EXPECT_EQ(json["items"], 2);
  EXPECT_EQ(json["code_points"], 24);
  EXPECT_EQ(json["source_tokens"], 6);
  EXPECT_EQ(json["labels"]["team"], "blue");
  EXPECT_GE(json["duration_ms"].get<double>(), 0.0);
  EXPECT_THAT(lines[0], ::testing::Not(HasSubstr("eheimnis")));
}

// ------------------------------------------------------------------ what is there

TEST_F(ServingTest, ListsWhatThereIs) {
  Start();
  grpc::ClientContext languages_context;
  v1::ListLanguagesResponse languages;
  ASSERT_TRUE(stub_->ListLanguages(&languages_context, {}, &languages).ok());
  ASSERT_EQ(languages.languages_size(), 2);
  EXPECT_EQ(languages.languages(0).language_code(), "de");
  EXPECT_TRUE(languages.languages(0).support_source());
  EXPECT_FALSE(languages.languages(0).support_target());
  ASSERT_EQ(languages.pairs_size(), 1);
  EXPECT_EQ(languages.pairs(0).target_language_code(), "en");

  grpc::ClientContext unknown_context;
  v1::ListLanguagesRequest unknown;
  unknown.set_model("xx");
  EXPECT_EQ(stub_->ListLanguages(&unknown_context, unknown, &languages).error_code(),
            grpc::StatusCode::NOT_FOUND);

  grpc::ClientContext models_context;
  v1::ListModelsResponse models;
  ASSERT_TRUE(stub_->ListModels(&models_context, {}, &models).ok());
  ASSERT_EQ(models.models_size(), 1);
  EXPECT_EQ(models.models(0).name(), "de-en");
  EXPECT_TRUE(models.models(0).is_default());
  EXPECT_EQ(models.models(0).default_beam(), 4);

  grpc::ClientContext info_context;
  v1::GetServerInfoResponse info;
  ASSERT_TRUE(stub_->GetServerInfo(&info_context, {}, &info).ok());
  EXPECT_EQ(info.limits().max_items(), 1024);
  EXPECT_EQ(info.limits().max_code_points(), 30'000);
  EXPECT_EQ(info.limits().max_beam(), 64);
  EXPECT_EQ(info.limits().max_wanted_ids(), 160);
  EXPECT_EQ(info.limits().queue_segments(), 100);
  EXPECT_EQ(info.limits().longest_call().seconds(), 60);
  EXPECT_THAT(info.models(), ElementsAre("de-en"));
  EXPECT_EQ(info.limits().max_constraint_tokens(), 128);
  EXPECT_EQ(info.limits().max_forbidden_nodes(), 4096);
  EXPECT_EQ(info.limits().max_phrase_bytes(), 1024);
  EXPECT_EQ(info.limits().max_terms(), 1024);
  EXPECT_EQ(info.unimplemented_fields_size(), 0);
  EXPECT_FALSE(info.draining());
}

TEST_F(ServingTest, HealthKnowsServerServiceAndModel) {
  using Response = ::grpc::health::v1::HealthCheckResponse;
  Start();
  for (const char* service : {"", "dragoman.v1.TranslationService", "de-en"}) {
    EXPECT_EQ(Health(service), Response::SERVING) << service;
  }
  EXPECT_EQ(Health("nonsense"), Response::SERVICE_UNKNOWN);
  EXPECT_EQ(serving_->NotReady(), "");
  engine_.SetLiveWorkers(0);
  EXPECT_EQ(serving_->NotReady(), "no worker is left");
}

TEST_F(ServingTest, ReflectionNamesTheService) {
  Start();
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto next = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto call = stub.PrepareCall(
      &context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  call->StartCall(nullptr);
  ASSERT_TRUE(next());
  const grpc::Slice list_services(std::string("\x3A\x01*", 3));  // field 7, a string
  call->Write(grpc::ByteBuffer(&list_services, 1), nullptr);
  ASSERT_TRUE(next());
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  ASSERT_TRUE(next());
  grpc::Slice slice;
  ASSERT_TRUE(answer.DumpToSingleSlice(&slice).ok());
  const std::string text(reinterpret_cast<const char*>(slice.begin()), slice.size());
  EXPECT_THAT(text, HasSubstr("dragoman.v1.TranslationService"));
  context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  next();
}

TEST_F(ServingTest, ATakenPortIsAnError) {
  Start();
  ServerConfig second = config_;
  second.listen = *ParseAddress(serving_->address(), AddressForms::kHostPort);
  const auto other = Serving::Start(second, &models_, &clock_, &metrics_);
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(std::string(other.status().message()), HasSubstr(serving_->address()));
}

// ------------------------------------------------------------------ slow readers, drain

TEST_F(ServingTest, AReaderThatNeverReadsIsCutOff) {
  config_.write_timeout_seconds = 1;
  Start();
  engine_.HoldJobs();
  grpc::ClientContext context;
  const auto reader = stub_->StreamTranslate(&context, Request({"Hallo"}));
  const FakeEngine::Held held = engine_.WaitHeld();
  engine_.Play(held, [](engine::TranslationSink* sink) {
    for (int segment = 0; segment < 32; ++segment) {  // far more than flow control lets through
      engine::SegmentUpdate update;
      update.segment = segment;
      update.text.assign(1 << 20, 'x');
      update.final = true;
      sink->OnSegment(std::move(update));
    }
  });
  EXPECT_EQ(engine_.WaitCancel(), std::make_pair(held.id, engine::CancelCause::kClient));
  EXPECT_TRUE(serving_->DrainCalls({seconds(10)}).clean);
  ExpectMetric(
      R"(dragoman_rpcs_total{api="dragoman",code="CANCELLED",method="StreamTranslate"} 1)");
  v1::StreamTranslateResponse message;
  while (reader->Read(&message)) {
  }
  EXPECT_FALSE(reader->Finish().ok());
}

TEST_F(ServingTest, DrainWaitsForWhatWasAccepted) {
  Start();
  engine_.HoldJobs();
  grpc::ClientContext held_context;
  auto held_call = TranslateLater(&held_context);
  const FakeEngine::Held held = engine_.WaitHeld();
  EXPECT_EQ(serving_->in_flight(), 1);

  grpc::ClientContext watch_context;
  const auto watch = health_->Watch(&watch_context, {});
  ::grpc::health::v1::HealthCheckResponse health;
  ASSERT_TRUE(watch->Read(&health));
  EXPECT_EQ(health.status(), ::grpc::health::v1::HealthCheckResponse::SERVING);

  auto drain =
      std::async(std::launch::async, [this] { return serving_->DrainCalls({seconds(60)}); });
  ASSERT_TRUE(watch->Read(&health));
  EXPECT_EQ(health.status(), ::grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(serving_->NotReady(), "draining");
  engine_.Play(
      held, [&](engine::TranslationSink* sink) { sink->OnItem(FakeEngine::Answer(held.job, 0)); });
  engine_.Finish(held.id, absl::OkStatus());
  EXPECT_TRUE(held_call.get().ok());
  const DrainResult result = drain.get();  // an open Watch does not delay the drain
  EXPECT_TRUE(result.clean);
  EXPECT_EQ(serving_->in_flight(), 0);
  ExpectMetric("dragoman_draining 1");
  ExpectMetric("dragoman_ready 0");
  // The port is closed.
  grpc::ClientContext late;
  EXPECT_EQ(TranslateLater(&late).get().error_code(), grpc::StatusCode::UNAVAILABLE);
}

// An interrupt ends the lame-duck period here, so that the test does not depend on time.
TEST_F(ServingTest, ALameDuckTakesCallsAndIsNotReady) {
  Start();
  grpc::ClientContext watch_context;
  const auto watch = health_->Watch(&watch_context, {});
  ::grpc::health::v1::HealthCheckResponse health;
  ASSERT_TRUE(watch->Read(&health));

  auto drain = std::async(std::launch::async, [this] {
    return serving_->DrainCalls({seconds(60), seconds(3600)});
  });
  ASSERT_TRUE(watch->Read(&health));
  EXPECT_EQ(health.status(), ::grpc::health::v1::HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(serving_->NotReady(), "draining");
  EXPECT_EQ(serving_->NotLive(), "");
  ExpectMetric("dragoman_draining 1");
  ExpectMetric("dragoman_ready 0");
  for (int call = 0; call < 3; ++call) {  // on the old connection
    grpc::ClientContext context;
    EXPECT_TRUE(TranslateLater(&context).get().ok());
  }
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto fresh = v1::TranslationService::NewStub(
      grpc::CreateCustomChannel(serving_->address(), grpc::InsecureChannelCredentials(), own));
  grpc::ClientContext context;
  v1::TranslateResponse response;
  // And on a new connection.
  EXPECT_TRUE(fresh->Translate(&context, Request({"neu"}), &response).ok());

  serving_->Hurry();
  drain.get();
  EXPECT_EQ(serving_->in_flight(), 0);
}

TEST_F(ServingTest, DrainLimitAnswersUnavailable) {
  Start();
  engine_.HoldJobs();
  grpc::ClientContext context;
  auto call = TranslateLater(&context);
  engine_.WaitHeld();
  const DrainResult result = serving_->DrainCalls({milliseconds(1)});
  EXPECT_FALSE(result.clean);
  EXPECT_EQ(result.cut_off, 1);
  const grpc::Status status = call.get();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(DetailOf<google::rpc::RetryInfo>(status).retry_delay().seconds(), 1);
  EXPECT_EQ(engine_.WaitCancel().second, engine::CancelCause::kDrain);
  EXPECT_EQ(serving_->in_flight(), 0);
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="UNAVAILABLE",method="Translate"} 1)");
}

TEST_F(ServingTest, HurryEndsTheDrainAtOnce) {
  Start();
  engine_.HoldJobs();
  grpc::ClientContext context;
  auto call = TranslateLater(&context);
  engine_.WaitHeld();
  serving_->Hurry();
  EXPECT_EQ(serving_->DrainCalls({seconds(3600)}).cut_off, 1);
  EXPECT_EQ(call.get().error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace dragoman::server
