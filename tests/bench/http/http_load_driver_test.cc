#include "tests/bench/http/http_load_driver.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "tests/support/expect_ok.h"

namespace dragoman {
namespace {

using ::testing::HasSubstr;

std::string Answer(int status, const std::string& body, const std::string& fields = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + fields +
         "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(ReadHttpAnswer, WaitsForAllOfIt) {
  const std::string whole = Answer(200, R"({"translatedText":"a"})");
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    const auto part = ExpectOk(ReadHttpAnswer(std::string_view(whole).substr(0, cut)));
    EXPECT_FALSE(part->has_value()) << cut;
  }
  const auto answer = ReadHttpAnswer(whole);
  ASSERT_TRUE(answer.ok() && answer->has_value());
  EXPECT_EQ((*answer)->status, 200);
  EXPECT_EQ((*answer)->body, R"({"translatedText":"a"})");
  EXPECT_TRUE((*answer)->keeps_open);
  EXPECT_FALSE((*ReadHttpAnswer(Answer(200, "", "Connection: close\r\n")))->keeps_open);
}

TEST(ReadHttpAnswer, RefusesWhatItCannotCount) {
  EXPECT_FALSE(ReadHttpAnswer("HTTP/1.0 200 OK\r\n\r\n").ok());
  EXPECT_FALSE(ReadHttpAnswer("SSH-2.0").ok());
  EXPECT_FALSE(ReadHttpAnswer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").ok());
  EXPECT_FALSE(ReadHttpAnswer("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n").ok());
  EXPECT_FALSE(ReadHttpAnswer(Answer(200, "a") + "b").ok());
}

TEST(ToCompletion, OnlyATranslationIsOne) {
  const auto of = [](int status, const std::string& body) {
    return ToCompletion({.status = status, .keeps_open = true, .body = body});
  };
  EXPECT_EQ(of(200, R"({"translatedText":"a"})").items, 1);
  EXPECT_TRUE(of(200, R"({"translatedText":"a"})").status.ok());
  for (const char* body : {"", "[]", "{}", R"({"translatedText":[]})"}) {
    EXPECT_EQ(of(200, body).status.code(), absl::StatusCode::kInternal) << body;
    EXPECT_EQ(of(200, body).items, 0);
  }
  EXPECT_EQ(of(429, "full").status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(of(503, "").status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(of(400, "no q").status.message()), HasSubstr("status 400: no q"));
}

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// A socket that is bound to a free port of the loopback interface.
class BoundSocket {
 public:
  BoundSocket() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~BoundSocket() { close(fd_); }
  int fd() const { return fd_; }
  int port() const { return port_; }

 private:
  const int fd_;
  int port_ = 0;
};

// A server that accepts one connection after another and answers each request with `answer`. An
// answer of "" closes the connection.
class OneByOne {
 public:
  explicit OneByOne(std::function<std::string(int request)> answer) : answer_(std::move(answer)) {
    EXPECT_EQ(listen(socket_.fd(), 8), 0);
    thread_ = std::thread([this] { Serve(); });
  }
  ~OneByOne() { End(); }
  int port() const { return socket_.port(); }
  // Ends the thread. REQUIRES: no connection is open.
  void End() {
    if (!thread_.joinable()) return;
    ended_ = true;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = Loopback(port());
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    thread_.join();
    close(fd);
  }
  // Valid after End.
  const std::string& seen() const { return seen_; }
  int connections() const { return connections_; }

 private:
  void Serve() {
    for (int fd = -1; (fd = accept(socket_.fd(), nullptr, nullptr)) >= 0; close(fd)) {
      if (ended_) {
        close(fd);
        break;
      }
      ++connections_;
      char block[4096];
      for (ssize_t got = 0; (got = read(fd, block, sizeof block)) > 0;) {
        seen_.append(block, static_cast<size_t>(got));
        const std::string bytes = answer_(requests_++);
        if (bytes.empty()) break;
        EXPECT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
      }
    }
  }

  const std::function<std::string(int)> answer_;
  const BoundSocket socket_;
  std::atomic<bool> ended_{false};
  int requests_ = 0;
  int connections_ = 0;
  std::string seen_;
  std::thread thread_;
};

TEST(HttpLoadDriver, RunsAClosedLoopOverOneConnection) {
  OneByOne server([](int) { return Answer(200, R"({"translatedText":"a"})"); });
  client::LoadReport report;
  {
    const auto driver = ExpectOk(HttpLoadDriver::Open("127.0.0.1", server.port(), "/translate",
                                                      {R"({"q":"eins"})", R"({"q":"zwei"})"}, 1));
    client::LoadOptions options;
    options.duration = std::chrono::hours(1);
    options.max_calls = 10;
    report = client::RunLoad(options, driver->get());
  }
  server.End();
  EXPECT_EQ(report.ok, 10);
  EXPECT_EQ(report.items, 10);
  EXPECT_EQ(report.latency.count(), 10);
  EXPECT_EQ(server.connections(), 1);
  EXPECT_THAT(server.seen(), HasSubstr("POST /translate HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_THAT(server.seen(), HasSubstr("Content-Length: 12\r\n\r\n{\"q\":\"zwei\"}POST"));
}

TEST(HttpLoadDriver, ALostConnectionFailsItsCallAndIsMadeAnew) {
  OneByOne server([](int request) {
    if (request == 1) return std::string();
    return Answer(200, R"({"translatedText":"a"})", request == 2 ? "Connection: close\r\n" : "");
  });
  client::LoadReport report;
  {
    const auto driver =
        ExpectOk(HttpLoadDriver::Open("127.0.0.1", server.port(), "/translate", {"{}"}, 1));
    client::LoadOptions options;
    options.duration = std::chrono::hours(1);
    options.max_calls = 5;
    report = client::RunLoad(options, driver->get());
  }
  server.End();
  EXPECT_EQ(report.answered, 5);
  EXPECT_EQ(report.ok, 4);
  EXPECT_EQ(report.unavailable, 1);
  EXPECT_EQ(server.connections(), 3);
}

TEST(HttpLoadDriver, SaysWhereNobodyListens) {
  const BoundSocket silent;
  const auto driver = HttpLoadDriver::Open("127.0.0.1", silent.port(), "/", {"{}"}, 1);
  EXPECT_EQ(driver.status().code(), absl::StatusCode::kUnavailable) << driver.status();
  EXPECT_FALSE(HttpLoadDriver::Open("localhost", silent.port(), "/", {"{}"}, 1).ok());
}

}  // namespace
}  // namespace dragoman
