// Tests the HTTP side over a loopback port: which requests wait for a slow scrape, and which do
// not.
#include "server/transport/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "server/base/log.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kConnections = 64;

class HttpTest : public ::testing::Test {
 protected:
  HttpTest() {
    SetLogLevel(LogLevel::kOff);
    HttpHooks hooks;
    hooks.metrics = [this] { return Scrape(); };
    hooks.not_live = [] { return std::string(); };
    hooks.not_ready = [] { return std::string(); };
    auto server =
        ExpectOk(HttpServer::Start({.host = "127.0.0.1"}, std::move(hooks), kConnections));
    server_ = *std::move(server);
  }
  ~HttpTest() override {
    Release();
    server_.reset();
    for (const int fd : open_) close(fd);
    SetLogLevel(LogLevel::kInfo);
  }

  // The hook of /metrics. No scrape ends while scrapes are held. The text contains the scrape's
  // number.
  std::string Scrape() {
    engine::MutexLock lock(&mu_);
    const int number = ++scrapes_;
    changed_.NotifyAll();
    while (held_) changed_.Wait(&mu_);
    return "scrape " + std::to_string(number) + "\n";
  }
  void Hold() {
    engine::MutexLock lock(&mu_);
    held_ = true;
  }
  void Release() {
    engine::MutexLock lock(&mu_);
    held_ = false;
    changed_.NotifyAll();
  }
  void WaitForScrape(int number) {
    engine::MutexLock lock(&mu_);
    while (scrapes_ < number) changed_.Wait(&mu_);
  }
  int scrapes() {
    engine::MutexLock lock(&mu_);
    return scrapes_;
  }

  // Opens a connection and sends a request on it.
  int Ask(const std::string& path) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string& bound = server_->address();
    address.sin_port = htons(static_cast<uint16_t>(std::stoi(bound.substr(bound.rfind(':') + 1))));
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    // A client that waits this long has got no answer.
    const timeval patience{5, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    EXPECT_EQ(send(fd, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    open_.push_back(fd);
    return fd;
  }

  // Reads until the server closes the connection. Returns "" if nothing came in time; errno is then
  // EAGAIN.
  static std::string Answer(int fd) {
    std::string text;
    char buffer[4096];
    errno = 0;
    for (ssize_t n = 0; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
      text.append(buffer, static_cast<size_t>(n));
    }
    return text;
  }
  std::string Get(const std::string& path) { return Answer(Ask(path)); }

  engine::Mutex mu_;
  engine::CondVar changed_;
  bool held_ ABSL_GUARDED_BY(mu_) = false;
  int scrapes_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<int> open_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpTest, ProbesAndTheStatusPageWaitForNoScrape) {
  Hold();
  const int scrape = Ask("/metrics");
  WaitForScrape(1);
  EXPECT_THAT(Get("/livez"), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("ok\n")));
  EXPECT_THAT(Get("/readyz"), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("ready\n")));
  EXPECT_THAT(Get("/status"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Get("/nothing"), StartsWith("HTTP/1.1 404"));
  Release();
  EXPECT_THAT(Answer(scrape), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("scrape 1\n")));
}

// An answer is never older than its request: a request that comes during a scrape gets the next
// one.
TEST_F(HttpTest, WhoComesDuringAScrapeSharesTheNextOne) {
  Hold();
  std::vector<int> askers = {Ask("/metrics")};
  WaitForScrape(1);
  for (int i = 0; i < 3; ++i) askers.push_back(Ask("/metrics"));
  // The server's only thread handles this request after the earlier ones, so it knows them by then.
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200"));
  Release();
  EXPECT_THAT(Answer(askers[0]), EndsWith("scrape 1\n"));
  for (size_t i = 1; i < askers.size(); ++i) {
    EXPECT_THAT(Answer(askers[i]), EndsWith("scrape 2\n"));
  }
  EXPECT_EQ(scrapes(), 2);
  EXPECT_THAT(Get("/metrics"), EndsWith("scrape 3\n"));
}

TEST_F(HttpTest, TooManyThatWaitForAScrapeAreRefusedAndTakeNoPlaceOfOthers) {
  Hold();
  std::vector<int> askers = {Ask("/metrics")};
  WaitForScrape(1);
  while (askers.size() < kMaxWaitingScrapes + 1) askers.push_back(Ask("/metrics"));
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Get("/metrics"), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("scrapes wait")));
  Release();
  for (const int fd : askers) EXPECT_THAT(Answer(fd), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpTest, AtTheEndWhoeverWaitsIsToldAndNobodyIsForgotten) {
  Hold();
  const int first = Ask("/metrics");
  WaitForScrape(1);
  const int second = Ask("/metrics");
  EXPECT_THAT(Get("/livez"), StartsWith("HTTP/1.1 200"));
  auto ended = std::async(std::launch::async, [this] { server_.reset(); });
  Release();
  ended.get();
  for (const int fd : {first, second}) {
    Answer(fd);
    EXPECT_NE(errno, EAGAIN) << "the connection is still open";
  }
}

}  // namespace
}  // namespace dragoman::server
