// Tests HTTP over a loopback port with a scripted handler: what reaches the handler, what comes
// back, and what happens to clients that are slow, send or request too much, or leave.
#include "server/transport/exchange_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "engine/base/mutex.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "tests/server/transport/raw_client.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using dragoman::testing::RawClient;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

HttpResponse Text(std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  return response;
}

class ExchangeServerTest : public ::testing::Test, public HttpHandler {
 protected:
  using Exchange = std::shared_ptr<HttpExchange>;

  ExchangeServerTest() {
    SetLogLevel(LogLevel::kOff);
    options_.listener.address = {.host = "127.0.0.1"};
    options_.listener.max_connections = 64;
    options_.read.body_bytes = 1 << 20;
    options_.held_bytes = 16 << 20;
    options_.threads = 2;
    // Echoes the request.
    paths_["/echo"] = [](const Exchange& exchange) {
      const HttpRequest& request = exchange->request();
      exchange->Respond(
          Text(request.method + " " + request.path + "?" + request.query + " " + request.body));
    };
  }
  ~ExchangeServerTest() override {
    {
      engine::MutexLock lock(&mu_);
      kept_.clear();
    }
    server_.reset();
    SetLogLevel(LogLevel::kInfo);
  }

  bool AcceptsWebSocket(const HttpRequest& upgrade) const override {
    return upgrade.path == "/socket";
  }
  void Handle(Exchange exchange) override {
    const auto at = paths_.find(exchange->request().path);
    if (at == paths_.end()) {
      exchange->Respond(Text("no such path"));
    } else {
      at->second(exchange);
    }
  }

  // Requests at /keyed need the key "right" in their headers.
  HttpAdmission Admit(const HttpRequest& head) override {
    EXPECT_EQ(head.body, "");
    HttpAdmission admission{{.name = head.peer}, std::nullopt};
    admission.client.has_key = head.Header("key") == "right";
    if (head.path != "/keyed" || admission.client.has_key) return admission;
    admission.refusal = Text("no key");
    admission.refusal->status = 401;
    return admission;
  }

  HttpResponse Refused(const HttpRequest& head, const Refusal& refusal) override {
    EXPECT_EQ(head.body, "");
    if (head.path != "/own") return PlainRefusal(refusal);
    HttpResponse response = Text("own " + head.method + ": " + refusal.why);
    response.status = refusal.status;
    return response;
  }

  // Requests at this path are kept for WaitForKept, and counted.
  void KeepAt(const std::string& path) {
    paths_[path] = [this](Exchange exchange) {
      engine::MutexLock lock(&mu_);
      kept_.push_back(std::move(exchange));
      changed_.NotifyAll();
    };
  }
  Exchange WaitForKept() {
    engine::MutexLock lock(&mu_);
    while (kept_.empty()) changed_.Wait(&mu_);
    Exchange exchange = std::move(kept_.back());
    kept_.pop_back();
    return exchange;
  }

  void Start() {
    auto server = ExpectOk(ExchangeServer::Start(options_, this, &clock_));
    server_ = *std::move(server);
  }
  // Returns a client that has sent these bytes.
  RawClient Connect(const std::string& bytes = "") {
    RawClient client(server_->address());
    EXPECT_TRUE(client.Send(bytes));
    return client;
  }

  static std::string Get(const std::string& path, const std::string& headers = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
  }
  static std::string Post(const std::string& path, const std::string& body) {
    return "POST " + path +
           " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
  }

  const SteadyClock clock_;
  ExchangeServerOptions options_;
  std::map<std::string, std::function<void(Exchange)>> paths_;
  std::unique_ptr<ExchangeServer> server_;

  engine::Mutex mu_;
  engine::CondVar changed_;
  std::vector<Exchange> kept_ ABSL_GUARDED_BY(mu_);
};

TEST_F(ExchangeServerTest, AConnectionServesOneRequestAfterTheOther) {
  Start();
  RawClient client = Connect();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Send(Post("/echo?n=" + std::to_string(i), "body")));
    const std::string answer = client.ReadAnswer();
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("\r\nDate: "),
                              Not(HasSubstr("Connection:")),
                              EndsWith("POST /echo?n=" + std::to_string(i) + " body")));
  }
  EXPECT_EQ(server_->listener().Stats().accepted, 1);
}

TEST_F(ExchangeServerTest, RequestsSentTogetherAreAnsweredInTheirOrder) {
  Start();
  RawClient client = Connect();
  std::string requests;
  for (int i = 0; i < 50; ++i)
    requests += Post("/echo?" + std::to_string(i), std::string(2000, 'a'));
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(client.ReadAnswer(), HasSubstr("/echo?" + std::to_string(i) + " a"));
  }
}

TEST_F(ExchangeServerTest, HeadHasTheHeadersOfTheBodyThatItLeavesOut) {
  Start();
  RawClient client = Connect("HEAD /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), AllOf(HasSubstr("Content-Length: 12\r\n"), EndsWith("\r\n\r\n")));
}

TEST_F(ExchangeServerTest, HttpOneZeroEndsWithTheConnection) {
  Start();
  RawClient client = Connect("GET /echo HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), AllOf(HasSubstr("Connection: close\r\n"), EndsWith("GET /echo? ")));
  RawClient keeps = Connect();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(keeps.Send("GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    EXPECT_THAT(keeps.ReadAnswer(), HasSubstr("Connection: keep-alive\r\n"));
  }
}

TEST_F(ExchangeServerTest, AClientThatExpectsContinueGetsItBeforeItsBody) {
  Start();
  RawClient client = Connect(
      "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.ReadTo("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.Send("hi"));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("POST /echo? hi"));
}

// An answer is sent in pieces. Each piece arrives before the next one is written.
TEST_F(ExchangeServerTest, PiecesArriveAsTheyAreWritten) {
  KeepAt("/stream");
  Start();
  RawClient client = Connect(Get("/stream"));
  const Exchange exchange = WaitForKept();
  HttpResponse head;
  head.content_type = "text/event-stream";
  exchange->Begin(head);
  EXPECT_THAT(client.ReadTo("\r\n\r\n"), AllOf(HasSubstr("Transfer-Encoding: chunked\r\n"),
                                               HasSubstr("Content-Type: text/event-stream\r\n")));
  for (const std::string piece : {"data: 1\n\n", "data: 22\n\n"}) {
    absl::Notification done;
    exchange->Write(piece, [&done](bool ok) {
      EXPECT_TRUE(ok);
      done.Notify();
    });
    done.WaitForNotification();
    EXPECT_EQ(client.ReadTo("\n\n\r\n"), (piece.size() == 9 ? "9\r\n" : "a\r\n") + piece + "\r\n");
  }
  exchange->End(false);
  EXPECT_EQ(client.ReadTo("\r\n\r\n"), "0\r\n\r\n");
  ASSERT_TRUE(client.Send(Get("/echo")));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("GET /echo? "));
}

TEST_F(ExchangeServerTest, AnAnswerThatIsCutOffHasNoLastChunk) {
  paths_["/cut"] = [](Exchange exchange) {
    exchange->Begin({});
    exchange->Write("part", [exchange](bool) { exchange->End(true); });
  };
  Start();
  RawClient client = Connect(Get("/cut"));
  EXPECT_THAT(client.ReadAll(), EndsWith("\r\n\r\n4\r\npart\r\n"));
}

TEST_F(ExchangeServerTest, PiecesOfHttpOneZeroEndWithTheConnection) {
  paths_["/stream"] = [](Exchange exchange) {
    exchange->Begin({});
    exchange->Write("part", [exchange](bool) { exchange->End(false); });
  };
  Start();
  RawClient client = Connect("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), AllOf(Not(HasSubstr("chunked")), HasSubstr("Connection: close"),
                                      EndsWith("\r\n\r\npart")));
}

TEST_F(ExchangeServerTest, AHandlerIsToldThatItsClientIsGone) {
  KeepAt("/keep");
  Start();
  RawClient client = Connect(Get("/keep"));
  const Exchange exchange = WaitForKept();
  absl::Notification gone;
  exchange->OnGone([&gone] { gone.Notify(); });
  client.Close();
  gone.WaitForNotification();
  absl::Notification again;  // runs at once, because the client has already gone
  exchange->OnGone([&again] { again.Notify(); });
  again.WaitForNotification();
  absl::Notification sent;  // an answer goes nowhere, but the callback still runs
  exchange->Respond(Text("late"), [&sent] { sent.Notify(); });
  sent.WaitForNotification();
}

TEST_F(ExchangeServerTest, AWriterIsToldThatItsClientIsGone) {
  KeepAt("/keep");
  Start();
  RawClient client = Connect(Get("/keep"));
  const Exchange exchange = WaitForKept();
  exchange->Begin({});
  absl::Notification over;
  const std::string piece(1 << 20, 'a');
  std::function<void(bool)> go_on = [&](bool ok) {
    if (ok) {
      exchange->Write(piece, go_on);
    } else {
      over.Notify();
    }
  };
  exchange->Write(piece, go_on);
  client.ReadTo("aaaa");
  client.Close();
  over.WaitForNotification();
}

TEST_F(ExchangeServerTest, ARequestThatNobodyAnswersIsAnsweredWith500) {
  paths_["/drop"] = [](const Exchange&) {};
  Start();
  RawClient client = Connect(Get("/drop"));
  EXPECT_THAT(client.ReadAnswer(), StartsWith("HTTP/1.1 500 "));
  // The handler decides the form of the error, and the connection stays open.
  paths_["/own"] = paths_["/drop"];
  ASSERT_TRUE(client.Send(Post("/own", "a body") + Get("/echo")));
  EXPECT_THAT(client.ReadAnswer(), AllOf(StartsWith("HTTP/1.1 500 "),
                                         EndsWith("own POST: the server has lost this request")));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("GET /echo? "));
}

TEST_F(ExchangeServerTest, BreakEndsAnAnswerThatIsNotRead) {
  KeepAt("/keep");
  Start();
  RawClient client = Connect(Get("/keep"));
  const Exchange exchange = WaitForKept();
  absl::Notification sent;
  exchange->Respond(Text(std::string(64 << 20, 'a')), [&sent] { sent.Notify(); });
  exchange->Break();
  sent.WaitForNotification();
}

TEST_F(ExchangeServerTest, WhatIsWrongWithARequestIsSaidAndEndsTheConnection) {
  Start();
  for (const auto& [request, status] : std::vector<std::pair<std::string, std::string>>{
           {"nonsense\r\n\r\n", "400 Bad Request"},
           {Get("/echo", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), "400 Bad Request"},
           {Get("/echo", "Content-Length: 99999999\r\n"), "413 Payload Too Large"},
           {Get("/echo", "A: " + std::string(40'000, 'a') + "\r\n"),
            "431 Request Header Fields Too Large"}}) {
    RawClient client = Connect();
    client.Send(request + Get("/echo"));
    const std::string answer = client.ReadAll();
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 " + status), HasSubstr("Connection: close\r\n"),
                              Not(HasSubstr("GET /echo"))));
  }
}

TEST_F(ExchangeServerTest, TheHandlerSaysHowARefusalLooks) {
  options_.request_time = milliseconds(100);
  Start();
  for (const auto& [request, answer] : std::vector<std::pair<std::string, std::string>>{
           {Get("/own", "Content-Length: 99999999\r\n"),
            "own GET: found a larger body than allowed, expected at most 1048576 bytes"},
           {Get("/own", "A: " + std::string(40'000, 'a') + "\r\n"),
            "own GET: found more headers than allowed, expected at most 128 of 32768 bytes in all"},
           {"POST /own HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf",
            "own POST: the request took too long to arrive"},
           {Get("/own",
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: "
                "AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"),
            "own GET: no WebSocket is served at this path"}}) {
    RawClient client = Connect();
    client.Send(request);
    EXPECT_THAT(client.ReadAll(), AllOf(HasSubstr("Connection: close\r\n"), EndsWith(answer)));
  }
  // The answer to HEAD has no body.
  RawClient client = Connect();
  client.Send("HEAD /own HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), AllOf(StartsWith("HTTP/1.1 413 "), EndsWith("\r\n\r\n")));
}

// A client that still has much to send reads the refusal, too.
TEST_F(ExchangeServerTest, ARefusalArrivesWhileTheBodyIsStillBeingSent) {
  Start();
  RawClient client = Connect();
  client.Send(Get("/echo", "Transfer-Encoding: chunked\r\n"));
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'a') + "\r\n";
  for (int i = 0; i < 40 && client.Send(chunk); ++i) {
  }
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(ExchangeServerTest, HeadersAndBodiesThatDoNotComeInTimeEndTheConnection) {
  options_.header_time = milliseconds(300);
  options_.request_time = milliseconds(600);
  Start();
  RawClient silent = Connect();
  RawClient headers = Connect();
  RawClient body = Connect();
  ASSERT_TRUE(headers.Send("GET /echo HTTP/1.1\r\nHost:"));
  ASSERT_TRUE(body.Send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n1234"));
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_THAT(headers.ReadAll(), StartsWith("HTTP/1.1 408 "));
  EXPECT_THAT(body.ReadAll(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(ExchangeServerTest, AnAnswerThatIsNotReadInTimeEndsTheConnection) {
  options_.write_time = milliseconds(300);
  KeepAt("/keep");
  Start();
  RawClient client = Connect(Get("/keep"));
  const Exchange exchange = WaitForKept();
  absl::Notification gone;
  exchange->OnGone([&gone] { gone.Notify(); });
  exchange->Respond(Text(std::string(64 << 20, 'a')));
  gone.WaitForNotification();
}

TEST_F(ExchangeServerTest, IdleConnectionsEndAfterTheirTimeAndBusyOnesDoNot) {
  options_.idle_time = milliseconds(300);
  KeepAt("/keep");
  Start();
  RawClient idle = Connect(Get("/echo"));
  idle.ReadAnswer();
  RawClient busy = Connect(Get("/keep"));
  const Exchange exchange = WaitForKept();
  EXPECT_EQ(idle.ReadAll(), "");
  exchange->Respond(Text("done"));
  EXPECT_THAT(busy.ReadAnswer(), EndsWith("done"));
}

// When most of the allowed connections are open, those without a request are closed for new ones.
TEST_F(ExchangeServerTest, IdleConnectionsMakeRoomWhereThereIsLittle) {
  options_.listener.max_connections = 8;
  Start();
  std::vector<RawClient> idle;
  for (int i = 0; i < 8; ++i) {
    idle.push_back(Connect());
    ASSERT_TRUE(idle.back().Send(Get("/echo")));
    idle.back().ReadAnswer();
  }
  std::string answer;
  while (answer.empty()) {  // refused, until there is room
    RawClient client = Connect();
    client.Send(Get("/echo"));
    answer = client.ReadAnswer();
  }
  EXPECT_THAT(answer, EndsWith("GET /echo? "));
}

// A body of "0", "1", ... in pieces of 100,000 bytes each.
class Numbers final : public BodyPieces {
 public:
  Numbers(int count, std::atomic<int>* made) : count_(count), made_(made) {}
  std::string Next() override {
    if (next_ == count_) return "";
    ++*made_;
    return std::string(100'000, static_cast<char>('0' + next_++ % 10));
  }

 private:
  const int count_;
  std::atomic<int>* const made_;
  int next_ = 0;
};

TEST_F(ExchangeServerTest, AnAnswerInPiecesIsMadeWhileItIsRead) {
  std::atomic<int> made{0};
  paths_["/pieces"] = [&made](const Exchange& exchange) {
    HttpResponse response;
    const int count = std::stoi(exchange->request().query);
    response.pieces = std::make_shared<Numbers>(count, &made);
    exchange->Respond(std::move(response));
  };
  Start();
  RawClient unread = Connect(Get("/pieces?1000"));
  EXPECT_THAT(unread.ReadTo("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  RawClient old = Connect("GET /pieces?100 HTTP/1.0\r\n\r\n");
  const std::string whole = old.ReadAll();
  EXPECT_THAT(whole, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(whole.substr(whole.find("\r\n\r\n") + 4).size(), 10'000'000);
  // The sockets buffer some megabytes for the client that does not read.
  EXPECT_LT(made, 100 + 400);
  RawClient head = Connect();
  ASSERT_TRUE(
      head.Send("HEAD /pieces?9 HTTP/1.1\r\nHost: a\r\n\r\nGET /echo HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_THAT(head.ReadTo("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(head.ReadAnswer(), EndsWith("GET /echo? "));
}

TEST_F(ExchangeServerTest, ATextThatIsSharedIsSentAsIt) {
  const auto text = std::make_shared<const std::string>(300'000, 's');
  paths_["/shared"] = [&text](const Exchange& exchange) {
    HttpResponse response;
    response.shared_body = text;
    exchange->Respond(std::move(response));
  };
  Start();
  RawClient client = Connect();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Send(Get("/shared")));
    EXPECT_THAT(client.ReadAnswer(),
                AllOf(HasSubstr("Content-Length: 300000\r\n"), EndsWith(*text)));
  }
  ASSERT_TRUE(client.Send("HEAD /shared HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(client.ReadAll(),
              AllOf(HasSubstr("Content-Length: 300000\r\n"), EndsWith("\r\n\r\n")));
}

TEST_F(ExchangeServerTest, NothingIsReadOfABodyWhoseRequestIsNotAdmitted) {
  Start();
  RawClient stranger = Connect(
      "POST /keyed HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 500000\r\n\r\n");
  EXPECT_THAT(stranger.ReadAll(), AllOf(StartsWith("HTTP/1.1 401 "),
                                        HasSubstr("Connection: close\r\n"), EndsWith("no key")));
  RawClient client = Connect();
  ASSERT_TRUE(
      client.Send("POST /keyed HTTP/1.1\r\nHost: a\r\nKey: right\r\nContent-Length: 6\r\n\r\nbod"));
  ASSERT_TRUE(client.Send("ies"));
  EXPECT_THAT(client.ReadAnswer(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ExchangeServerTest, StrangersWithHalfBodiesCostNoRequestWithAKey) {
  options_.held_bytes = 4 << 20;
  Start();
  const std::string half = "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\n" +
                           std::string(500'000, 'a');
  std::vector<RawClient> strangers;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 12; ++i) {
      strangers.push_back(Connect());
      strangers.back().Send(half);
    }
    RawClient client = Connect();
    const std::string body(900'000, 'k');
    ASSERT_TRUE(client.Send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nKey: right\r\nContent-Length: 900000\r\n\r\n"));
    ASSERT_TRUE(client.Send(body));
    EXPECT_THAT(client.ReadAnswer(), EndsWith(body));
  }
}

TEST_F(ExchangeServerTest, AnAnswerIsCountedBeforeItIsBuilt) {
  options_.held_bytes = 4 << 20;
  KeepAt("/keep");
  Start();
  RawClient large = Connect(Get("/keep"));
  const Exchange built = WaitForKept();
  EXPECT_TRUE(built->Reserve(3 << 20));
  RawClient other = Connect(Get("/keep"));
  const Exchange second = WaitForKept();
  EXPECT_TRUE(second->Reserve(2 << 20));
  // The larger exchange was evicted, and its client was told.
  EXPECT_FALSE(built->Reserve(1));
  EXPECT_THAT(large.ReadAll(), StartsWith("HTTP/1.1 503 "));
  built->Respond(Text("late"));
  second->Respond(Text("done"));
  EXPECT_THAT(other.ReadAnswer(), EndsWith("done"));
}

TEST_F(ExchangeServerTest, OnlyItsOwnHostsAreAnsweredWhereTheyAreChecked) {
  options_.hosts = {"translate.example"};
  Start();
  for (const char* host : {"localhost", "LOCALHOST:8080", "127.0.0.1:1", "192.0.2.7", "[::1]:8080",
                           "translate.example", "Translate.Example:443", "translate.example."}) {
    RawClient client = Connect("GET /echo HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    EXPECT_THAT(client.ReadAnswer(), StartsWith("HTTP/1.1 200 ")) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "translate.example.evil", "[::1", "[evil.example]", "1", "2130706433"}) {
    RawClient client = Connect("GET /echo HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    EXPECT_THAT(client.ReadAll(), AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("--http-hosts")))
        << host;
    RawClient socket = Connect();
    ASSERT_TRUE(
        socket.Send("GET /socket HTTP/1.1\r\nHost: " + std::string(host) +
                    "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                    "Origin: http://" +
                    host + "\r\n\r\n"));
    EXPECT_THAT(socket.ReadAll(), StartsWith("HTTP/1.1 403 ")) << host;
  }
  RawClient old = Connect("GET /echo HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.ReadAll(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ExchangeServerTest, TheGreediestRequestGoesWhenAllTogetherHoldTooMuch) {
  options_.read.body_bytes = 4 << 20;
  options_.held_bytes = 6 << 20;
  Start();
  const std::string head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n";
  RawClient modest = Connect("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nmod");
  std::vector<RawClient> greedy;
  for (int i = 0; i < 3; ++i) {
    greedy.push_back(Connect());
    greedy.back().Send(head + std::string(3'500'000, 'a'));
  }
  int refused = 0;
  for (RawClient& client : greedy) {
    client.Send(std::string(500'000, 'a'));
    client.EndSending();
    refused += client.ReadAll().starts_with("HTTP/1.1 503 ") ? 1 : 0;
  }
  EXPECT_GE(refused, 1);
  ASSERT_TRUE(modest.Send("est"));
  EXPECT_THAT(modest.ReadAnswer(), EndsWith("modest"));
}

// A request stays in memory until its answer is sent, and a handler may keep the request for long.
TEST_F(ExchangeServerTest, RequestsThatWaitForTheirAnswersAreHeldToo) {
  options_.read.body_bytes = 4 << 20;
  options_.held_bytes = 5 << 20;
  KeepAt("/keep");
  Start();
  RawClient large = Connect(Post("/keep", std::string(3'900'000, 'a')));
  const Exchange evicted = WaitForKept();
  absl::Notification gone;
  evicted->OnGone([&gone] { gone.Notify(); });
  RawClient small = Connect(Post("/keep", std::string(1'900'000, 'b')));
  EXPECT_THAT(large.ReadAll(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
  gone.WaitForNotification();
  WaitForKept()->Respond(Text("small"));
  EXPECT_THAT(small.ReadAnswer(), EndsWith("small"));
  // A request that was answered no longer counts.
  ASSERT_TRUE(small.Send(Post("/keep", std::string(4'000'000, 'c'))));
  WaitForKept()->Respond(Text("again"));
  EXPECT_THAT(small.ReadAnswer(), EndsWith("again"));
}

TEST_F(ExchangeServerTest, ASilentClientHoldsUpNobody) {
  options_.threads = 1;
  Start();
  std::vector<RawClient> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(Connect());
    ASSERT_TRUE(silent.back().Send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1"));
  }
  RawClient client = Connect(Get("/echo"));
  EXPECT_THAT(client.ReadAnswer(), EndsWith("GET /echo? "));
}

TEST_F(ExchangeServerTest, AfterRenewEveryAnswerEndsItsConnection) {
  Start();
  RawClient client = Connect(Get("/echo"));
  client.ReadAnswer();
  server_->RenewConnections();
  ASSERT_TRUE(client.Send(Get("/echo")));
  EXPECT_THAT(client.ReadAll(), AllOf(HasSubstr("Connection: close\r\n"), EndsWith("GET /echo? ")));
}

TEST_F(ExchangeServerTest, ShutdownEndsIdleConnectionsAndLetsAnswersOut) {
  KeepAt("/keep");
  Start();
  RawClient idle = Connect(Get("/echo"));
  idle.ReadAnswer();
  RawClient busy = Connect(Get("/keep"));
  Exchange exchange = WaitForKept();
  std::thread end([this] { server_->Shutdown(); });
  EXPECT_EQ(idle.ReadAll(), "");
  exchange->Respond(Text("last words"));
  exchange.reset();
  EXPECT_THAT(busy.ReadAll(), EndsWith("last words"));
  end.join();
}

// At shutdown, every holder of an exchange is told, and the server waits until the exchange is
// released.
TEST_F(ExchangeServerTest, ShutdownTellsThoseWhoWorkOnAnAnswer) {
  KeepAt("/keep");
  Start();
  RawClient busy = Connect(Get("/keep"));
  Exchange exchange = WaitForKept();
  exchange->OnGone([this, exchange] {
    engine::MutexLock lock(&mu_);
    changed_.NotifyAll();
  });
  exchange.reset();
  server_.reset();
  EXPECT_EQ(busy.ReadAll(), "");
}

}  // namespace
}  // namespace dragoman::server
