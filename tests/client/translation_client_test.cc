#include "client/translation_client.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "client/status_map.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tests/client/scripted_server.h"
#include "tests/support/expect_ok.h"

namespace dragoman::client {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// A clock on which a wait advances the time and returns at once.
class FakeClock : public ClientClock {
 public:
  TimePoint Now() override { return TimePoint() + nanoseconds(now_.load()); }
  std::function<void()> RunAfter(nanoseconds delay, std::function<void()> task) override {
    now_ += delay.count();
    ++waits_;
    task();
    return [] {};
  }
  nanoseconds waited() const { return nanoseconds(now_.load()); }
  int waits() const { return waits_; }

 private:
  std::atomic<int64_t> now_{0};
  std::atomic<int> waits_{0};
};

// Receives the status with which a call ends.
using Outcome = std::shared_ptr<std::promise<absl::Status>>;

v1::TranslateRequest Request(const std::string& text) {
  v1::TranslateRequest request;
  request.add_contents(text);
  return request;
}

ScriptedReply Refusal(std::optional<std::string> pushback) {
  ScriptedReply reply;
  reply.code = absl::StatusCode::kResourceExhausted;
  reply.message = "the queue is full";
  reply.pushback = std::move(pushback);
  return reply;
}

class Client : public testing::Test {
 protected:
  std::unique_ptr<TranslationClient> Connect(const std::string& address) {
    options_.server = address;
    options_.clock = &clock_;
    return *TranslationClient::Create(options_);
  }

  FakeClock clock_;
  ClientOptions options_;
};

TEST_F(Client, Translates) {
  ScriptedServer server;
  const auto client = Connect(server.address());
  const auto response = ExpectOk(client->Translate(Request("Guten Tag")));
  EXPECT_EQ(response->translations(0).translated_text(), "<Guten Tag>");
  EXPECT_EQ(client->GetServerInfo()->version(), "scripted");
  EXPECT_EQ(client->ListModels()->models(0).name(), "opus-de-en");
  EXPECT_EQ(client->ListLanguages()->pairs_size(), 1);
  EXPECT_TRUE(absl::IsNotFound(client->ListLanguages("other").status()));
}

TEST_F(Client, ACallThatItsCallerCancelsEndsAtOnceThoughTheServerIsSilent) {
  options_.timeout = hours(24);
  ScriptedServer server;
  auto client = Connect(server.address());
  server.Hold();
  const std::vector<std::function<TranslationClient::CancelCall(Outcome)>> methods = {
      [&](Outcome outcome) {
        return client->TranslateAsync(
            std::make_shared<v1::TranslateRequest>(Request("a")),
            [outcome](const auto& response) { outcome->set_value(response.status()); });
      },
      [&](Outcome outcome) {
        return client->StreamTranslateAsync(
            std::make_shared<v1::TranslateRequest>(Request("a")),
            [](const v1::StreamTranslateResponse&) { return true; },
            [outcome](const absl::Status& status) { outcome->set_value(status); });
      }};
  TranslationClient::CancelCall cancel;
  for (size_t i = 0; i < methods.size(); ++i) {
    const auto outcome = std::make_shared<std::promise<absl::Status>>();
    cancel = methods[i](outcome);
    while (server.waiting() == 0) std::this_thread::yield();
    cancel();
    EXPECT_TRUE(absl::IsCancelled(outcome->get_future().get()));
    while (server.cancelled() <= static_cast<int>(i)) std::this_thread::yield();
    cancel();  // nothing is left to cancel
  }
  client = nullptr;
  cancel();
}

TEST_F(Client, ACancellationCutsTheWaitForTheNextAttemptShort) {
  // The real clock. The test sees the waits.
  class WatchedClock : public ClientClock {
   public:
    TimePoint Now() override { return Real()->Now(); }
    std::function<void()> RunAfter(nanoseconds delay, std::function<void()> task) override {
      auto hurry = Real()->RunAfter(delay, std::move(task));
      ++waits;
      return hurry;
    }
    std::atomic<int> waits{0};
  } clock;
  ScriptedServer server([](const v1::TranslateRequest&) { return Refusal("3600000"); });
  options_.timeout = hours(24);
  options_.server = server.address();
  options_.clock = &clock;
  const auto client = *TranslationClient::Create(options_);
  const auto outcome = std::make_shared<std::promise<absl::Status>>();
  const auto cancel = client->TranslateAsync(
      std::make_shared<v1::TranslateRequest>(Request("a")),
      [outcome](const auto& response) { outcome->set_value(response.status()); });
  while (clock.waits == 0) std::this_thread::yield();
  cancel();
  EXPECT_TRUE(absl::IsCancelled(outcome->get_future().get()));
  EXPECT_EQ(server.calls(), 1);
}

TEST_F(Client, ABareCancellationIsAServerThatShutsDown) {
  ScriptedServer server([](const v1::TranslateRequest&) {
    ScriptedReply reply;
    reply.code = absl::StatusCode::kCancelled;
    return reply;
  });
  options_.retry.max_attempts = 1;
  EXPECT_TRUE(absl::IsUnavailable(Connect(server.address())->Translate(Request("a")).status()));
}

TEST_F(Client, ComesBackWhenTheServerSaysSo) {
  std::atomic<int> refusals{3};
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    if (refusals-- > 0) return Refusal("1500");
    ScriptedReply reply;
    reply.response = Bracketed(request);
    return reply;
  });
  const auto client = Connect(server.address());
  const auto response = ExpectOk(client->Translate(Request("a")));
  EXPECT_EQ(response->translations_size(), 1);
  EXPECT_EQ(server.calls(), 4);
  EXPECT_EQ(clock_.waits(), 3);
  EXPECT_GE(clock_.waited(), milliseconds(4500));
  EXPECT_LE(clock_.waited(), milliseconds(5400));
}

TEST_F(Client, HonoursRetryInfoInTheDetails) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(9);
  google::rpc::Status rich;
  rich.set_code(8);
  rich.set_message("the queue is full");
  rich.add_details()->PackFrom(info);
  std::atomic<int> refusals{1};
  ScriptedServer server([&](const v1::TranslateRequest& request) {
    ScriptedReply reply;
    if (refusals-- > 0) {
      reply = Refusal(std::nullopt);
      reply.details = rich.SerializeAsString();
    } else {
      reply.response = Bracketed(request);
    }
    return reply;
  });
  EXPECT_TRUE(Connect(server.address())->Translate(Request("a")).ok());
  EXPECT_GE(clock_.waited(), seconds(9));
}

TEST_F(Client, StopsWhereThePushbackForbidsIt) {
  ScriptedServer server([&](const v1::TranslateRequest&) { return Refusal("-1"); });
  const auto client = Connect(server.address());
  EXPECT_TRUE(absl::IsResourceExhausted(client->Translate(Request("a")).status()));
  EXPECT_EQ(server.calls(), 1);
}

TEST_F(Client, ReportsTheLastStatusAfterAllAttempts) {
  options_.retry.max_attempts = 3;
  ScriptedServer server([&](const v1::TranslateRequest&) { return Refusal("10"); });
  const auto client = Connect(server.address());
  const auto response = client->Translate(Request("a"));
  EXPECT_TRUE(absl::IsResourceExhausted(response.status()));
  EXPECT_EQ(RetryHintOf(response.status()).delay, milliseconds(10));
  EXPECT_EQ(server.calls(), 3);
}

TEST_F(Client, DeadlineCoversAllAttempts) {
  options_.retry.patient = true;
  ScriptedServer server([&](const v1::TranslateRequest&) { return Refusal("1000"); });
  const auto client = Connect(server.address());
  EXPECT_TRUE(absl::IsResourceExhausted(client->Translate(Request("a"), seconds(5)).status()));
  EXPECT_LT(clock_.waited(), seconds(5));
  EXPECT_GE(server.calls(), 4);
  EXPECT_LE(server.calls(), 5);
}

TEST_F(Client, DoesNotRetryOtherErrorsAndKeepsTheirDetails) {
  google::rpc::BadRequest bad;
  auto* violation = bad.add_field_violations();
  violation->set_field("decoding.beam_size");
  violation->set_description("is 65, expected 1..64");
  google::rpc::Status rich;
  rich.add_details()->PackFrom(bad);
  ScriptedServer server([&](const v1::TranslateRequest&) {
    ScriptedReply reply;
    reply.code = absl::StatusCode::kInvalidArgument;
    reply.message = "bad request";
    reply.details = rich.SerializeAsString();
    return reply;
  });
  const auto client = Connect(server.address());
  const absl::Status status = client->Translate(Request("a")).status();
  EXPECT_EQ(ForPeople(status),
            "INVALID_ARGUMENT: bad request (decoding.beam_size: is 65, expected 1..64)");
  EXPECT_EQ(server.calls(), 1);
}

TEST(StatusMap, SaysDetailsOnce) {
  const auto for_people = [](const std::string& message) {
    google::rpc::Status rich;
    rich.set_code(3);
    rich.set_message(message);
    google::rpc::BadRequest bad;
    auto* violation = bad.add_field_violations();
    violation->set_field("decoding.beam_size");
    violation->set_description("is 65, expected 1..64");
    rich.add_details()->PackFrom(bad);
    return ForPeople(FromItem(rich));
  };
  EXPECT_EQ(for_people("decoding.beam_size: is 65, expected 1..64"),
            "INVALID_ARGUMENT: decoding.beam_size: is 65, expected 1..64");
  EXPECT_EQ(for_people("decoding.beam_size is 65, expected 1..64"),
            "INVALID_ARGUMENT: decoding.beam_size is 65, expected 1..64");
  EXPECT_EQ(for_people("no"), "INVALID_ARGUMENT: no (decoding.beam_size: is 65, expected 1..64)");
}

TEST_F(Client, GivesUpOnAServerThatIsNotThere) {
  options_.retry.max_attempts = 2;
  // An address on which no server listens any more.
  std::string address;
  {
    ScriptedServer server;
    address = server.address();
  }
  const auto gone = Connect(address)->Translate(Request("a")).status();
  EXPECT_EQ(gone.message(), "no server answers at " + address +
                                " (connection refused): start dragomand there, or name another "
                                "address");
  EXPECT_EQ(clock_.waits(), 0);
  // With several addresses, the client retries, because another address may still answer.
  EXPECT_TRUE(
      absl::IsUnavailable(Connect(address + "," + address)->Translate(Request("a")).status()));
  EXPECT_EQ(clock_.waits(), 1);
}

TEST_F(Client, TriesAServerAgainThatHasAnswered) {
  options_.retry.max_attempts = 2;
  auto server = std::make_unique<ScriptedServer>();
  const auto client = Connect(server->address());
  EXPECT_TRUE(client->Translate(Request("a")).ok());
  server.reset();
  EXPECT_TRUE(absl::IsUnavailable(client->Translate(Request("a")).status()));
  EXPECT_EQ(clock_.waits(), 1);
}

// A channel must not be destroyed on a thread that runs callbacks, since that would destroy the
// completion queue that the thread uses.
TEST_F(Client, ItsDestructorWaitsForTheCallsInFlight) {
  options_.retry.max_attempts = 2;
  std::string address;
  {
    ScriptedServer server;
    address = server.address();
  }
  const auto request = std::make_shared<const v1::TranslateRequest>(Request("a"));
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> unavailable{0};
    auto client = Connect(address);
    client->TranslateAsync(
        request, [&](const auto& end) { unavailable += absl::IsUnavailable(end.status()); });
    client->StreamTranslateAsync(
        request, [](const auto&) { return true; },
        [&](const absl::Status& end) { unavailable += absl::IsUnavailable(end); });
    client.reset();
    ASSERT_EQ(unavailable, 2);
  }
}

TEST_F(Client, GoesRoundAllAddresses) {
  ScriptedServer one;
  ScriptedServer two;
  const auto client = Connect(one.address() + "," + two.address());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(client->Translate(Request("a")).ok());
  EXPECT_EQ(one.calls(), 5);
  EXPECT_EQ(two.calls(), 5);
}

TEST_F(Client, RetriesAtTheOtherAddressWhenOneIsGone) {
  std::string gone;
  {
    ScriptedServer server;
    gone = server.address();
  }
  ScriptedServer there;
  const auto client = Connect(gone + "," + there.address());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(client->Translate(Request("a")).ok());
  EXPECT_EQ(there.calls(), 10);
}

TEST_F(Client, LeavesAServerThatDoesNotServeAnyMore) {
  ScriptedServer leaving;
  ScriptedServer staying;
  const auto client = Connect(leaving.address() + "," + staying.address());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(client->Translate(Request("a")).ok());
  ASSERT_EQ(leaving.calls(), 2);
  leaving.SetServing(false);
  // The client learns of the change soon. Until then, both servers answer.
  int before = 0;
  do {
    before = leaving.calls();
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(client->Translate(Request("a")).ok());
  } while (leaving.calls() != before);
  // A server that is not serving still answers the other calls.
  EXPECT_FALSE(*Connect(leaving.address())->Healthy());
  EXPECT_TRUE(Connect(leaving.address())->ListModels().ok());
}

TEST_F(Client, AsksASingleServerWhateverItsHealthSays) {
  // A server takes calls for some seconds after it reports NOT_SERVING. Behind a proxy, the report
  // may have come from another server.
  ScriptedServer leaving;
  leaving.SetServing(false);
  const auto client = Connect(leaving.address());
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(client->Translate(Request("x")).ok());
  EXPECT_EQ(leaving.calls(), 5);
}

TEST_F(Client, RefusesAnEmptyAddress) {
  options_.server = "a:1,";
  EXPECT_TRUE(absl::IsInvalidArgument(TranslationClient::Create(options_).status()));
}

TEST_F(Client, StreamsMessagesInOrder) {
  ScriptedServer server(nullptr,
                        [](const v1::TranslateRequest&, const ScriptedServer::Write& write) {
                          for (int i = 0; i < 3; ++i) {
                            v1::StreamTranslateResponse message;
                            message.set_segment(i);
                            write(message);
                          }
                          return ScriptedReply();
                        });
  std::vector<int> segments;
  const absl::Status status =
      Connect(server.address())
          ->StreamTranslate(Request("a"), [&](const v1::StreamTranslateResponse& message) {
            segments.push_back(message.segment());
            return true;
          });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(segments, (std::vector<int>{0, 1, 2}));
}

TEST_F(Client, RetriesAStreamOnlyBeforeItsFirstMessage) {
  std::atomic<int> before{1};
  ScriptedServer server(nullptr,
                        [&](const v1::TranslateRequest&, const ScriptedServer::Write& write) {
                          if (before-- <= 0) write(v1::StreamTranslateResponse());
                          return Refusal("1");
                        });
  int messages = 0;
  const absl::Status status =
      Connect(server.address())->StreamTranslate(Request("a"), [&](const auto&) {
        ++messages;
        return true;
      });
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(messages, 1);
  EXPECT_EQ(server.calls(), 2);
}

TEST_F(Client, CancelsAStreamWhenAskedTo) {
  std::atomic<bool> go_on{false};
  ScriptedServer server(nullptr,
                        [&](const v1::TranslateRequest&, const ScriptedServer::Write& write) {
                          write(v1::StreamTranslateResponse());
                          go_on.wait(false);
                          return ScriptedReply();
                        });
  const absl::Status status =
      Connect(server.address())->StreamTranslate(Request("a"), [](const auto&) { return false; });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  go_on = true;
  go_on.notify_all();
}

TEST_F(Client, AsksForHealth) {
  ScriptedServer server;
  const auto client = Connect(server.address());
  EXPECT_TRUE(*client->Healthy());
  server.SetServing(false);
  EXPECT_FALSE(*client->Healthy());
  EXPECT_TRUE(absl::IsNotFound(client->Healthy("nobody").status()));
}

TEST_F(Client, AnAddressHasNoScheme) {
  options_.server = "localhost:1,http://localhost:8080";
  const absl::Status status = TranslationClient::Create(options_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("'http://localhost:8080' has a scheme"), std::string::npos);
}

// A server that answers every call with OK and one message that is not of our protocol.
class BabblingServer {
 public:
  BabblingServer() {
    grpc::ServerBuilder builder;
    // A server of another test may have enabled the health service for the whole process.
    grpc::EnableDefaultHealthCheckService(false);
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  class Reactor : public grpc::ServerGenericBidiReactor {
   public:
    Reactor() {
      const grpc::Slice slice("\xff\xff\xff");
      message_ = grpc::ByteBuffer(&slice, 1);
      StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
    }
    void OnDone() override { delete this; }

   private:
    grpc::ByteBuffer message_;
  };
  class Service : public grpc::CallbackGenericService {
    grpc::ServerGenericBidiReactor* CreateReactor(
        grpc::GenericCallbackServerContext* /*context*/) override {
      return new Reactor;
    }
  };

  Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(Client, AnAnswerThatCannotBeParsedIsAnError) {
  const BabblingServer server;
  const auto client = Connect(server.address());
  for (const absl::Status& status :
       {client->ListModels().status(), client->ListLanguages().status(),
        client->GetServerInfo().status(), client->Healthy().status(),
        client->DetectLanguage({}).status(), client->Translate(Request("a")).status(),
        client->StreamTranslate(Request("a"), [](const auto&) { return true; })}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_NE(status.message().find("cannot be parsed"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace dragoman::client
