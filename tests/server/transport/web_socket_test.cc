// Tests WebSockets over a loopback port. Messages become requests, and a violation of the protocol
// ends the connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/transport/exchange_server.h"
#include "tests/server/transport/raw_client.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using dragoman::testing::RawClient;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint8_t kFinal = 0x80;
constexpr uint8_t kContinuation = 0;
constexpr uint8_t kText = 1;
constexpr uint8_t kBinary = 2;
constexpr uint8_t kClose = 8;
constexpr uint8_t kPing = 9;
constexpr uint8_t kPong = 10;

// Returns a frame as a client sends it. The mask is zero, which leaves the text readable.
std::string Frame(uint8_t first, std::string_view payload, bool masked = true) {
  std::string frame(1, static_cast<char>(first));
  const uint8_t mask = masked ? 0x80 : 0;
  if (payload.size() < 126) {
    frame += static_cast<char>(mask | payload.size());
  } else if (payload.size() < 65'536) {
    frame += static_cast<char>(mask | 126);
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size() & 0xff);
  } else {
    frame += static_cast<char>(mask | 127);
    for (int shift = 56; shift >= 0; shift -= 8) {
      frame += static_cast<char>(static_cast<uint64_t>(payload.size()) >> shift & 0xff);
    }
  }
  if (masked) frame.append(4, '\0');
  return frame.append(payload);
}

class WebSocketTest : public ::testing::Test, public HttpHandler {
 protected:
  WebSocketTest() {
    SetLogLevel(LogLevel::kOff);
    options_.listener.address = {.host = "127.0.0.1"};
    options_.listener.max_connections = 64;
    options_.read.body_bytes = 100'000;
    options_.held_bytes = 16 << 20;
  }
  ~WebSocketTest() override {
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
  // Echoes a message, except: keeps "keep...", drops "drop" and fails at "fail STATUS".
  void Handle(std::shared_ptr<HttpExchange> exchange) override {
    const HttpRequest& request = exchange->request();
    if (request.body == "drop") return;
    if (request.body.starts_with("keep")) {
      engine::MutexLock lock(&mu_);
      kept_.push_back(std::move(exchange));
      changed_.NotifyAll();
      return;
    }
    HttpResponse response;
    if (request.body.starts_with("fail ")) {
      response.status = std::stoi(request.body.substr(5));
      // Byte 123 is in the middle of a character.
      response.body = std::string(122, 'a') + "\xC3\xA4";
      exchange->Respond(std::move(response));
      return;
    }
    response.body = request.method + " " + request.path + "?" + request.query + " " +
                    std::string(request.Header("x-mine")) + " " + request.body;
    exchange->Respond(std::move(response));
  }
  HttpResponse Refused(const HttpRequest& head, const Refusal& refusal) override {
    EXPECT_EQ(head.body, "");
    HttpResponse response;
    response.status = refusal.status;
    response.body = "own " + head.method + " " + head.path + ": " + refusal.why;
    return response;
  }
  std::shared_ptr<HttpExchange> WaitForKept() {
    engine::MutexLock lock(&mu_);
    while (kept_.empty()) changed_.Wait(&mu_);
    auto exchange = std::move(kept_.back());
    kept_.pop_back();
    return exchange;
  }

  void Start() {
    auto server = ExpectOk(ExchangeServer::Start(options_, this, &clock_));
    server_ = *std::move(server);
  }
  static std::string UpgradeOf(const std::string& path, const std::string& headers = "") {
    return "GET " + path +
           " HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
           headers + "\r\n";
  }
  RawClient Open(const std::string& headers = "") {
    RawClient client(server_->address());
    client.Send(UpgradeOf("/socket?a=b", headers));
    const std::string answer = client.ReadTo("\r\n\r\n");
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 101 "),
                              HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")));
    return client;
  }
  // Reads the server's next frame. Returns the first byte and the payload.
  static std::pair<uint8_t, std::string> ReadFrame(RawClient* client) {
    const std::string head = client->ReadBytes(2);
    if (head.size() < 2) return {0, "the connection ended"};
    size_t size = static_cast<uint8_t>(head[1]);
    if (size >= 126) {
      const std::string more = client->ReadBytes(size == 126 ? 2 : 8);
      size = 0;
      for (const char byte : more) size = size << 8 | static_cast<uint8_t>(byte);
    }
    return {static_cast<uint8_t>(head[0]), client->ReadBytes(size)};
  }
  // Reads the next frame. Returns the close code, or 0 if the frame is no close frame or none
  // comes.
  static int ReadClose(RawClient* client) { return ReadFarewell(client).first; }
  // Returns the close code and the reason.
  static std::pair<int, std::string> ReadFarewell(RawClient* client) {
    const auto [first, payload] = ReadFrame(client);
    if (first != (kFinal | kClose) || payload.size() < 2) return {0, payload};
    return {static_cast<uint8_t>(payload[0]) << 8 | static_cast<uint8_t>(payload[1]),
            payload.substr(2)};
  }

  const SteadyClock clock_;
  ExchangeServerOptions options_;
  std::unique_ptr<ExchangeServer> server_;
  engine::Mutex mu_;
  engine::CondVar changed_;
  std::vector<std::shared_ptr<HttpExchange>> kept_ ABSL_GUARDED_BY(mu_);
};

TEST_F(WebSocketTest, EachMessageIsARequestWithTheHeadersOfTheUpgrade) {
  Start();
  RawClient client = Open("X-Mine: yes\r\n");
  for (const char* text : {"one", "two", ""}) {
    ASSERT_TRUE(client.Send(Frame(kFinal | kText, text)));
    EXPECT_EQ(ReadFrame(&client), std::make_pair(uint8_t{kFinal | kText},
                                                 "WEBSOCKET /socket?a=b yes " + std::string(text)));
  }
  ASSERT_TRUE(client.Send(Frame(kText, "in ") + Frame(kFinal | kPing, "p") +
                          Frame(kFinal | kContinuation, "parts")));
  EXPECT_EQ(ReadFrame(&client).first, kFinal | kPong);
  EXPECT_EQ(ReadFrame(&client).second, "WEBSOCKET /socket?a=b yes in parts");
  ASSERT_TRUE(client.Send(Frame(kFinal | kClose, "\x03\xe8")));
  EXPECT_EQ(ReadClose(&client), 1000);
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(WebSocketTest, MessagesSentTogetherAreAnsweredInTheirOrder) {
  Start();
  RawClient client = Open();
  std::string frames;
  for (int i = 0; i < 100; ++i) frames += Frame(kFinal | kText, std::to_string(i));
  ASSERT_TRUE(client.Send(frames));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ReadFrame(&client).second, "WEBSOCKET /socket?a=b  " + std::to_string(i));
  }
}

TEST_F(WebSocketTest, OnlyPathsOfTheHandlerAndPagesOfThisServerGetOne) {
  Start();
  const auto answer_to = [this](const std::string& request) {
    RawClient client(server_->address());
    client.Send(request);
    return client.ReadAll();
  };
  EXPECT_THAT(answer_to(UpgradeOf("/else")), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(answer_to(UpgradeOf("/socket", "Origin: http://evil.example\r\n")),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(answer_to(UpgradeOf("/socket", "Content-Length: 2\r\n") + "hi"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to(UpgradeOf("/socket") + Frame(kFinal | kText, "early")),
              StartsWith("HTTP/1.1 400 "));
  Open("Origin: http://a\r\n");
}

TEST_F(WebSocketTest, PagesOfAllowedOriginsGetOne) {
  options_.origins = {"https://page.example"};
  Start();
  Open("Origin: https://page.example\r\n");
  RawClient client(server_->address());
  client.Send(UpgradeOf("/socket", "Origin: https://page.example.evil\r\n"));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 403 "));
}

TEST_F(WebSocketTest, WhatBreaksTheProtocolEndsTheConnection) {
  Start();
  const auto closes_with = [this](const std::string& frames) {
    RawClient client = Open();
    client.Send(frames);
    return ReadClose(&client);
  };
  EXPECT_EQ(closes_with(Frame(kFinal | kText, "not masked", false)), 1002);
  EXPECT_EQ(closes_with(Frame(kFinal | 3, "an opcode that is reserved")), 1002);
  EXPECT_EQ(closes_with(Frame(kFinal | 0x40 | kText, "compressed")), 1002);
  EXPECT_EQ(closes_with(Frame(kFinal | kContinuation, "of nothing")), 1002);
  EXPECT_EQ(closes_with(Frame(kFinal | kPing, std::string(126, 'p'))), 1002);
  EXPECT_EQ(closes_with(Frame(kText, "a text") + Frame(kFinal | kText, "within it")), 1002);
  EXPECT_EQ(closes_with(Frame(kPing, "in fragments")), 1002);
  EXPECT_EQ(closes_with(Frame(kFinal | kClose, "1")), 1002);
  EXPECT_EQ(closes_with(Frame(kFinal | kClose, "\x03\xed")), 1002);  // 1005 is never sent
  EXPECT_EQ(closes_with(Frame(kFinal | kText, "\xff\xfe")), 1007);
  EXPECT_EQ(closes_with(Frame(kFinal | kText, "\xc3")), 1007);
  EXPECT_EQ(closes_with(Frame(kFinal | kBinary, "binary")), 1003);
  // 4999 is the last close code that an application may send. 5000 is invalid.
  EXPECT_EQ(closes_with(Frame(kFinal | kClose, "\x13\x87")), 4999);
  EXPECT_EQ(closes_with(Frame(kFinal | kClose, "\x13\x88")), 0);
}

TEST_F(WebSocketTest, MessagesHaveTheLimitOfBodies) {
  Start();
  RawClient client = Open();
  ASSERT_TRUE(client.Send(Frame(kFinal | kText, std::string(50'000, 'a'))));
  EXPECT_EQ(ReadFrame(&client).second.size(), 50'000U + 23);
  // A message may have 100,000 bytes in total, in frames of any size.
  for (const size_t part : {100'000U, 50'000U, 40'000U}) {
    for (size_t sent = 0; sent < 100'000; sent += part) {
      const size_t size = std::min<size_t>(part, 100'000 - sent);
      client.Send(Frame(sent == 0 ? kText : kContinuation, std::string(size, 'a')));
    }
    client.Send(Frame(kFinal | kContinuation, ""));
    EXPECT_EQ(ReadFrame(&client).second.size(), 100'000U + 23);
  }
  const std::string words =
      "own WEBSOCKET /socket: found a longer message than allowed, expected at "
      "most 100000 bytes";
  client.Send(Frame(kFinal | kText, std::string(100'001, 'a')));
  EXPECT_EQ(ReadFarewell(&client), std::pair(1009, words));
  // The limit also holds for a message in several frames.
  RawClient parts = Open();
  for (int i = 0; i < 3; ++i) {
    parts.Send(Frame(i == 0 ? kText : kContinuation, std::string(50'000, 'a')));
  }
  EXPECT_EQ(ReadFarewell(&parts), std::pair(1009, words));
  // A frame that announces too many bytes is refused before it is complete.
  RawClient begun = Open();
  begun.Send(Frame(kFinal | kText, std::string(200'000, 'a')).substr(0, 100));
  EXPECT_EQ(ReadFarewell(&begun), std::pair(1009, words));
  RawClient announced = Open();
  announced.Send(std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10) + "mask");
  EXPECT_EQ(ReadClose(&announced), 1009);
}

TEST_F(WebSocketTest, AHandlerIsToldThatItsClientIsGone) {
  Start();
  for (const bool politely : {false, true}) {
    RawClient client = Open();
    ASSERT_TRUE(client.Send(Frame(kFinal | kText, "keep")));
    const auto exchange = WaitForKept();
    engine::Mutex mu;
    engine::CondVar changed;
    bool gone = false;
    exchange->OnGone([&] {
      engine::MutexLock lock(&mu);
      gone = true;
      changed.NotifyAll();
    });
    if (politely) {
      client.Send(Frame(kFinal | kClose, "\x03\xe8"));
    } else {
      client.Close();
    }
    engine::MutexLock lock(&mu);
    while (!gone) changed.Wait(&mu);
  }
}

TEST_F(WebSocketTest, MessagesThatWaitForTheirAnswersAreHeldToo) {
  options_.held_bytes = 105'000;
  Start();
  RawClient large = Open();
  ASSERT_TRUE(large.Send(Frame(kFinal | kText, "keep" + std::string(90'000, 'a'))));
  auto evicted = WaitForKept();
  RawClient small = Open();
  ASSERT_TRUE(small.Send(Frame(kFinal | kText, "keep" + std::string(20'000, 'b'))));
  EXPECT_EQ(large.ReadAll(), "");
  HttpResponse answer;
  answer.body = "small";
  WaitForKept()->Respond(std::move(answer));
  EXPECT_EQ(ReadFrame(&small).second, "small");
}

TEST_F(WebSocketTest, AnErrorClosesTheConnectionWithItsReason) {
  Start();
  for (const auto& [status, code] : {std::pair(400, 1008), {429, 1013}, {503, 1013}, {500, 1011}}) {
    RawClient client = Open();
    ASSERT_TRUE(client.Send(Frame(kFinal | kText, "fail " + std::to_string(status))));
    const auto [first, payload] = ReadFrame(&client);
    EXPECT_EQ(first, kFinal | kClose);
    ASSERT_GE(payload.size(), 2U);
    EXPECT_EQ(static_cast<uint8_t>(payload[0]) << 8 | static_cast<uint8_t>(payload[1]), code);
    EXPECT_EQ(payload.substr(2), std::string(122, 'a'));
  }
}

TEST_F(WebSocketTest, AMessageThatNobodyAnswersEndsTheConnection) {
  Start();
  RawClient client = Open();
  ASSERT_TRUE(client.Send(Frame(kFinal | kText, "drop")));
  EXPECT_EQ(
      ReadFarewell(&client),
      std::pair(1011, std::string("own WEBSOCKET /socket: the server has lost this message")));
}

TEST_F(WebSocketTest, MessagesThatDoNotComeInTimeEndTheConnection) {
  options_.request_time = std::chrono::milliseconds(300);
  Start();
  RawClient client = Open();
  ASSERT_TRUE(client.Send(Frame(kText, "the first part")));
  EXPECT_EQ(
      ReadFarewell(&client),
      std::pair(1008, std::string("own WEBSOCKET /socket: the message took too long to arrive")));
}

TEST_F(WebSocketTest, ThoseThatSayNothingEndAfterTheirTime) {
  options_.web_socket_idle_time = std::chrono::milliseconds(300);
  Start();
  RawClient client = Open();
  ASSERT_TRUE(client.Send(Frame(kFinal | kText, "one")));
  ReadFrame(&client);
  EXPECT_EQ(ReadClose(&client), 1001);
}

TEST_F(WebSocketTest, ShutdownSaysGoodbye) {
  Start();
  RawClient client = Open();
  ASSERT_TRUE(client.Send(Frame(kFinal | kText, "one")));
  ReadFrame(&client);
  auto end = std::thread([this] { server_->Shutdown(); });
  EXPECT_EQ(ReadClose(&client), 1001);
  client.Send(Frame(kFinal | kClose, "\x03\xe9"));
  EXPECT_EQ(client.ReadAll(), "");
  end.join();
}

}  // namespace
}  // namespace dragoman::server
