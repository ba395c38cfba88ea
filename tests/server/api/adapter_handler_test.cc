#include "server/api/adapter_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/api/adapter_errors.h"
#include "server/call/request_error.h"
#include "server/call/rpc_status.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::chrono::seconds kPatience{30};

// Renders "begin", each segment's text and "end", or the error. Renders nothing for items.
class TextRenderer final : public StreamRenderer {
 public:
  explicit TextRenderer(absl::Status status = absl::OkStatus()) : status_(std::move(status)) {}
  HttpResponse Head() override {
    HttpResponse head;
    head.content_type = "text/event-stream";
    return head;
  }
  std::string Message(const v1::StreamTranslateResponse& message) override {
    return message.final() ? message.text() + "\n" : "";
  }
  std::string End(const absl::Status& status) override {
    return status.ok() ? "end\n" : "error " + std::string(status.message()) + "\n";
  }
  absl::Status Status() override { return status_; }

 private:
  const absl::Status status_;
};

// A dialect whose body is the text to translate. The body "refuse" is refused. "list" and "usage"
// are answered at once. "stream", "silent" and "broken" are streamed; "broken" ends with an error.
class WordAdapter final : public Adapter {
 public:
  Api api() const override { return Api::kPlugins; }
  Api ApiOf(const HttpRequest& request) const override {
    return request.body == "refuse" ? Api::kCurator : api();
  }
  std::string Key(const HttpRequest& request) const override {
    return std::string(request.Header("x-key"));
  }
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* /*client*/) const override {
    if (request.body == "refuse") return InvalidField("body", "found refuse, expected a word");
    if (request.body == "list") return JsonResponse(200, {"de", "en"});
    if (request.body == "usage") {
      return UsageAction{[](int64_t code_points) { return JsonResponse(200, code_points); }};
    }
    v1::TranslateRequest translate;
    translate.add_contents(request.body);
    if (request.body == "two") translate.add_contents("zwei");
    if (request.body == "broken") {
      return StreamAction{.request = translate,
                          .renderer = std::make_unique<TextRenderer>(absl::InternalError("lost"))};
    }
    if (request.body == "stream" || request.body == "silent") {
      if (request.body == "silent") {
        for (int i = 1; i < 1000; ++i) translate.add_contents("x");
        translate.set_mime_type("text/html");  // so that there are no segments
      }
      return StreamAction{.request = translate, .renderer = std::make_unique<TextRenderer>()};
    }
    if (request.body == "other") {
      return UnaryAction{
          .request = translate,
          .render = [](const v1::TranslateResponse& /*answer*/) { return HttpResponse{}; },
          .api = Api::kMarian};
    }
    return UnaryAction{.request = translate, .render = [](const v1::TranslateResponse& answer) {
                         HttpResponse response;
                         response.body = answer.translations(0).translated_text();
                         if (const absl::Status wrong = ItemErrorOf(answer); !wrong.ok()) {
                           response.status = StatusOfHttp(wrong.code());
                           response.body = "item: " + std::string(wrong.message());
                         }
                         return response;
                       }};
  }
  HttpResponse Error(const HttpRequest& /*request*/, const absl::Status& status) const override {
    HttpResponse response;
    response.status = StatusOfHttp(status);
    response.body = "wrong: " + std::string(status.message());
    return response;
  }
};

class AdapterHandlerTest : public AdapterFixture {
 protected:
  AdapterHandlerTest() { Serve(); }

  std::shared_ptr<FakeExchange> Ask(const std::string& body,
                                    std::pair<std::string, std::string> header = {"a", "b"}) {
    HttpRequest request = Post("/word", body, "text/plain");
    request.headers.push_back(std::move(header));
    return Send(&handler_, std::move(request));
  }

  // Asks for a stream of one piece. The job ends with the status `end` after that piece.
  std::shared_ptr<FakeExchange> AskForOnePiece(const std::string& body, absl::Status end) {
    engine_.HoldJobs();
    auto exchange = Ask(body);
    const FakeEngine::Held held = PlayOnePiece(exchange.get());
    engine_.Finish(held.id, std::move(end));
    return exchange;
  }

  // Makes the engine report a segment of the job that it holds, and waits for the segment's piece.
  FakeEngine::Held PlayOnePiece(FakeExchange* exchange) {
    FakeEngine::Held held = engine_.WaitHeld();
    engine_.Play(held, [](engine::TranslationSink* sink) {
      engine::SegmentUpdate update;
      update.text = "one";
      update.final = true;
      sink->OnSegment(std::move(update));
    });
    exchange->WaitPiece(0);
    return held;
  }

  const WordAdapter adapter_;
  AdapterHandler handler_{&context_,
                          nullptr,
                          {{"POST", "/word", &adapter_},
                           {"GET", "/list", &adapter_, RpcMethod::kListLanguages},
                           {"GET", "/tree/*", &adapter_, RpcMethod::kQuery, true},
                           {kWebSocketMethod, "/word", &adapter_}}};
};

TEST_F(AdapterHandlerTest, ATranslationIsACallOfItsInterface) {
  const auto exchange = Ask("Haus", {"x-request-id", "job 7"});
  const HttpResponse answer = exchange->Wait();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "[Haus]");
  EXPECT_EQ(HeaderOf(answer, "X-Request-Id"), "job 7");
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
  EXPECT_EQ(timer_.armed(), 0);
  ExpectMetric(R"(dragoman_rpcs_total{api="plugins",code="OK",method="Translate"} 1)");
}

TEST_F(AdapterHandlerTest, TheEngineHearsWhoseCallItIsAndItsDeadline) {
  engine_.HoldJobs();
  const auto exchange = Ask("Haus", {"grpc-timeout", "1500m"});
  const FakeEngine::Held held = engine_.WaitHeld();
  EXPECT_EQ(held.job.client, "ipv4:192.0.2.7");
  EXPECT_EQ(held.job.deadline, clock_.Now() + 1500 * kNanosPerMilli);
  Advance(1500 * kNanosPerMilli);
  EXPECT_EQ(engine_.WaitCancel().second, engine::CancelCause::kDeadline);
  EXPECT_EQ(exchange->Wait().status, 504);
}

TEST_F(AdapterHandlerTest, ADeadlineThatIsNotOneIsRefused) {
  for (const char* wrong : {"5", "S", "123456789S", "-1S", "1x", "1.5S"}) {
    const HttpResponse answer = Ask("Haus", {"grpc-timeout", wrong})->Wait();
    EXPECT_EQ(answer.status, 400) << wrong;
    EXPECT_THAT(answer.body, HasSubstr("grpc-timeout"));
  }
  EXPECT_EQ(engine_.submitted(), 0U);
  EXPECT_EQ(Ask("Haus", {"grpc-timeout", "99999999H"})->Wait().status, 200);
}

TEST_F(AdapterHandlerTest, AClientThatLeavesCancelsItsCall) {
  engine_.HoldJobs();
  const auto exchange = Ask("Haus");
  engine_.WaitHeld();
  exchange->Leave();
  EXPECT_EQ(engine_.WaitCancel().second, engine::CancelCause::kClient);
  EXPECT_EQ(exchange->Wait().status, 499);
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
  ExpectMetric(R"(dragoman_rpcs_total{api="plugins",code="CANCELLED",method="Translate"} 1)");
}

TEST_F(AdapterHandlerTest, AClientThatWasGoneBeforeIsCancelledAtOnce) {
  engine_.HoldJobs();
  auto exchange = std::make_shared<FakeExchange>(Post("/word", "Haus"));
  exchange->Leave();
  handler_.Handle(exchange);
  EXPECT_EQ(engine_.WaitCancel().second, engine::CancelCause::kClient);
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
}

TEST_F(AdapterHandlerTest, AnErrorHasTheDialectsFormAndTheHint) {
  engine::Admission refusal;
  refusal.status = absl::ResourceExhaustedError("the queue is full");
  refusal.reason = engine::RejectReason::kQueueFull;
  refusal.retry_after = 2 * kNanosPerSecond + 1;
  engine_.RefuseNext(refusal);
  const HttpResponse answer = Ask("Haus")->Wait();
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.body, "wrong: the queue is full");
  EXPECT_EQ(HeaderOf(answer, "Retry-After"), "3");
  EXPECT_THAT(HeaderOf(answer, "X-Request-Id"), SizeIs(32));
  ExpectMetric(R"(dragoman_rejected_total{reason="queue_full"} 1)");
}

TEST_F(AdapterHandlerTest, WhatAAdapterRefusesIsCountedAsARejectedCall) {
  const HttpResponse answer = Ask("refuse")->Wait();
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "wrong: body: found refuse, expected a word");
  ExpectMetric(R"(dragoman_rejected_total{reason="invalid"} 1)");
  ExpectMetric(
      R"(dragoman_rpcs_total{api="curator",code="INVALID_ARGUMENT",method="Translate"} 1)");
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
}

TEST_F(AdapterHandlerTest, ACallCountsForTheInterfaceThatItsActionNames) {
  EXPECT_EQ(Ask("other")->Wait().status, 200);
  ExpectMetric(R"(dragoman_rpcs_total{api="marian",code="OK",method="Translate"} 1)");
}

TEST_F(AdapterHandlerTest, UsageIsThatOfAllCallsThatHaveSucceeded) {
  std::atomic<int64_t> translated{0};
  context_.translated = &translated;
  EXPECT_EQ(Ask("usage")->Wait().body, "0");
  EXPECT_EQ(Ask("Häuser")->Wait().status, 200);
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
  EXPECT_EQ(Ask("usage")->Wait().body, "6");
  engine_.FailItem(1, absl::InvalidArgumentError("contents[1]: too long"));
  EXPECT_EQ(Ask("two")->Wait().status, 400);
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
  EXPECT_EQ(Ask("usage")->Wait().body, "6");
}

TEST_F(AdapterHandlerTest, AnAnswerThatIsAnErrorCountsAsOne) {
  engine_.FailItem(1, absl::InvalidArgumentError("contents[1]: too long"));
  const HttpResponse answer = Ask("two")->Wait();
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "item: contents[1]: too long");
  ExpectMetric(
      R"(dragoman_rpcs_total{api="plugins",code="INVALID_ARGUMENT",method="Translate"} 1)");
}

TEST_F(AdapterHandlerTest, AnAnswerThatNeedsNoCallIsCountedToo) {
  HttpRequest request = Get("/list");
  request.body = "list";
  const auto exchange = std::make_shared<FakeExchange>(request);
  exchange->HoldSends();
  handler_.Handle(exchange);
  EXPECT_EQ(tracker_.in_flight(), 1);  // a drain waits for it
  exchange->Send(true);
  EXPECT_EQ(exchange->Wait().body, R"(["de","en"])");
  EXPECT_EQ(tracker_.in_flight(), 0);
  ExpectMetric(R"(dragoman_rpcs_total{api="plugins",code="OK",method="ListLanguages"} 1)");
}

TEST_F(AdapterHandlerTest, PathsAndMethodsThatNoAdapterHas) {
  const HttpResponse missing = Send(&handler_, Get("/words"))->Wait();
  EXPECT_EQ(missing.status, 404);
  const auto body = nlohmann::json::parse(missing.body);
  EXPECT_EQ(body["error"]["code"], 404);
  EXPECT_EQ(body["error"]["status"], "NOT_FOUND");

  // Adapter errors answer paths that belong to an adapter.
  const HttpResponse method = Send(&handler_, Post("/list", "x"))->Wait();
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(HeaderOf(method, "Allow"), "GET, HEAD");
  EXPECT_EQ(method.body, "wrong: method: found 'POST' for this path, expected GET, HEAD");
  ExpectMetric(R"(dragoman_rpcs_total{api="plugins",code="UNIMPLEMENTED",method="unknown"} 1)");

  const HttpResponse above = Send(&handler_, Get("/tree"))->Wait();
  EXPECT_EQ(above.status, 404);
  EXPECT_EQ(above.body, "wrong: path: found '/tree', which no interface of this server has");
  EXPECT_EQ(Send(&handler_, Get("/word/more"))->Wait().body.substr(0, 6), "wrong:");
  ExpectMetric(R"(dragoman_rpcs_total{api="plugins",code="NOT_FOUND",method="unknown"} 2)");
  EXPECT_EQ(Send(&handler_, Get("/tree/a/b"))->Wait().status, 200);
  EXPECT_EQ(Send(&handler_, Get("/tree/\xff"))->Wait().status, 404);
  ExpectMetric(R"(dragoman_rpcs_total{api="dragoman",code="NOT_FOUND",method="unknown"} 2)");
  // The engine releases the call of /tree/a/b only after the call's answer.
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
}

TEST_F(AdapterHandlerTest, WhatTheServerRefusesHasTheFormOfThePathsAdapter) {
  HttpRequest head;
  head.method = "POST";
  head.path = "/word";
  const Refusal large = {413, "found a body of 9 bytes, expected at most 8"};
  HttpResponse answer = handler_.Refused(head, large);
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.body, "wrong: found a body of 9 bytes, expected at most 8");
  ExpectMetric(R"(dragoman_rpcs_total{api="plugins",code="INVALID_ARGUMENT",method="unknown"} 1)");
  answer = handler_.Refused(head, {503, "too much at once"});
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(HeaderOf(answer, "Retry-After"), "1");
  ExpectMetric(R"(dragoman_rpcs_total{api="plugins",code="UNAVAILABLE",method="unknown"} 1)");
  EXPECT_EQ(handler_.Refused(head, {408, "too slow"}).status, 408);
  head.path = "/elsewhere";
  answer = handler_.Refused(head, large);
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(nlohmann::json::parse(answer.body)["error"]["code"], 413);
  // A request without a known path has no adapter, so its refusal is plain text.
  for (const char* path : {"", "/\xff"}) {
    head.path = path;
    answer = handler_.Refused(head, large);
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.body, large.why + "\n");
  }
}

TEST_F(AdapterHandlerTest, OnlyPathsWithSuchARouteAreOpenToWebSockets) {
  EXPECT_TRUE(handler_.AcceptsWebSocket(Get("/word")));
  EXPECT_FALSE(handler_.AcceptsWebSocket(Get("/list")));
  HttpRequest message = Get("/word");
  message.method = std::string(kWebSocketMethod);
  message.body = "Haus";
  EXPECT_EQ(Send(&handler_, message)->Wait().body, "[Haus]");
}

TEST_F(AdapterHandlerTest, KeysAreLookedAtFirst) {
  const TempDirectory directory;
  const std::string path =
      directory.Write("keys.json", absl::StrCat(R"({"clients": [{"name": "web", "keys": [")",
                                                HashOfKey("dgm_secret"), R"("]}]})"));
  const auto keys = ExpectOk(ApiKeys::Open(path));
  AdapterHandler handler(
      &context_, keys->get(),
      {{"POST", "/word", &adapter_}, {"GET", "/open", &adapter_, RpcMethod::kQuery, true}});
  HttpRequest request = Post("/word", "refuse");
  const HttpResponse none = Send(&handler, request)->Wait();
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(HeaderOf(none, "WWW-Authenticate"), "Bearer");
  EXPECT_THAT(none.body, HasSubstr("found no API key"));
  request.headers.emplace_back("x-key", "dgm_wrong");
  EXPECT_EQ(Send(&handler, request)->Wait().status, 401);
  ExpectMetric(R"(dragoman_rejected_total{reason="denied"} 2)");
  EXPECT_EQ(Send(&handler, Get("/open"))->Wait().status, 200);

  engine_.HoldJobs();
  request = Post("/word", "Haus");
  request.headers.emplace_back("x-key", "dgm_secret");
  const auto exchange = Send(&handler, request);
  const FakeEngine::Held held = engine_.WaitHeld();
  EXPECT_EQ(held.job.client, "key:web");
  engine_.Finish(held.id, absl::UnavailableError("draining"));
  EXPECT_EQ(exchange->Wait().status, 503);
}

TEST_F(AdapterHandlerTest, UsageIsThatOfTheKeysClient) {
  const TempDirectory directory;
  const std::string path = directory.Write(
      "keys.json",
      absl::StrCat(R"({"clients": [{"name": "a", "keys": [")", HashOfKey("dgm_a"),
                   R"("]}, {"name": "b", "keys": [")", HashOfKey("dgm_b"), R"("]}]})"));
  const auto keys = ExpectOk(ApiKeys::Open(path));
  AdapterHandler handler(&context_, keys->get(), {{"POST", "/word", &adapter_}});
  const auto ask = [&](const char* key, const char* body) {
    HttpRequest request = Post("/word", body);
    request.headers.emplace_back("x-key", key);
    const std::string answer = Send(&handler, request)->Wait().body;
    EXPECT_TRUE(tracker_.WaitIdle(kPatience));
    return answer;
  };
  EXPECT_EQ(ask("dgm_a", "Haus"), "[Haus]");
  EXPECT_EQ(ask("dgm_a", "usage"), "4");
  EXPECT_EQ(ask("dgm_b", "usage"), "0");
  // Reading the key file again keeps the usage that was counted.
  EXPECT_TRUE((*keys)->Reload().ok());
  EXPECT_EQ(ask("dgm_a", "usage"), "4");
}

TEST_F(AdapterHandlerTest, SegmentsAreSentAsTheyCome) {
  engine_.HoldJobs();
  const auto exchange = Ask("stream");
  const FakeEngine::Held held = engine_.WaitHeld();
  engine_.Play(held, [](engine::TranslationSink* sink) {
    engine::SegmentUpdate update;
    update.text = "one";
    update.final = true;
    sink->OnSegment(std::move(update));
  });
  EXPECT_EQ(exchange->WaitPiece(0), "one\n");
  engine_.Finish(held.id, absl::OkStatus());
  const HttpResponse answer = exchange->Wait();
  EXPECT_EQ(answer.content_type, "text/event-stream");
  EXPECT_EQ(answer.body, "one\nend\n");
  EXPECT_THAT(HeaderOf(answer, "X-Request-Id"), SizeIs(32));
  EXPECT_FALSE(exchange->cut_off());
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
  ExpectMetric(R"(dragoman_rpcs_total{api="plugins",code="OK",method="StreamTranslate"} 1)");
}

TEST_F(AdapterHandlerTest, MessagesThatAddNothingAreSkipped) {
  const auto exchange = Ask("silent");
  EXPECT_EQ(exchange->Wait().body, "end\n");
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
}

TEST_F(AdapterHandlerTest, AStreamThatFailsBeforeItsFirstPieceIsAnOrdinaryError) {
  engine_.RefuseNext(
      {.status = absl::UnavailableError("draining"), .reason = engine::RejectReason::kDraining});
  const HttpResponse answer = Ask("stream")->Wait();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "wrong: draining");
  EXPECT_EQ(HeaderOf(answer, "Retry-After"), "1");
}

TEST_F(AdapterHandlerTest, AStreamThatFailsLaterSaysSoInItsLastPiece) {
  const auto exchange = AskForOnePiece("stream", absl::InternalError("broken"));
  EXPECT_EQ(exchange->Wait().body, "one\nerror broken\n");
  EXPECT_FALSE(exchange->cut_off());
}

TEST_F(AdapterHandlerTest, AStreamWhoseAnswerIsAnErrorCountsAsOne) {
  const auto exchange = AskForOnePiece("broken", absl::OkStatus());
  EXPECT_EQ(exchange->Wait().body, "one\nerror lost\n");
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
  ExpectMetric(R"(dragoman_rpcs_total{api="plugins",code="INTERNAL",method="StreamTranslate"} 1)");
}

TEST_F(AdapterHandlerTest, AClientThatReadsNothingIsCutOff) {
  engine_.HoldJobs();
  auto exchange = std::make_shared<FakeExchange>(Post("/word", "stream"));
  exchange->HoldSends();
  handler_.Handle(exchange);
  PlayOnePiece(exchange.get());
  Advance(context_.write_timeout);
  EXPECT_EQ(exchange->breaks(), 1);
  EXPECT_EQ(engine_.WaitCancel().second, engine::CancelCause::kClient);
  exchange->Send(false);  // the write of the piece fails
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
}

TEST_F(AdapterHandlerTest, AnAnswerThatIsNotTakenIsCutOff) {
  auto exchange = std::make_shared<FakeExchange>(Post("/word", "Haus"));
  exchange->HoldSends();
  handler_.Handle(exchange);
  exchange->Wait();
  EXPECT_EQ(tracker_.in_flight(), 1);
  Advance(context_.write_timeout);
  EXPECT_EQ(exchange->breaks(), 1);
  EXPECT_TRUE(tracker_.WaitIdle(kPatience));
}

}  // namespace
}  // namespace dragoman::server
