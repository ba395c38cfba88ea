#include "server/net/http_post.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace dragoman {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::StartsWith;

// Takes one connection on the loopback and does what it is told with it.
class OneConnection {
 public:
  explicit OneConnection(std::function<void(int fd)> serve) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, serve = std::move(serve)] {
      const int fd = accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      serve(fd);
      close(fd);
    });
  }
  ~OneConnection() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  int port() const { return port_; }

 private:
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
};

std::string ReadUntil(int fd, const std::string& end) {
  std::string text;
  char c = 0;
  while (!text.ends_with(end) && read(fd, &c, 1) == 1) text += c;
  return text;
}

void Say(int fd, const std::string& text) {
  EXPECT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

int Post(int port, const std::string& body, milliseconds timeout = seconds(30)) {
  return HttpPost({.host = "127.0.0.1", .port = port}, "/v1/traces", "application/json", body,
                  timeout);
}

TEST(HttpPost, SendsTheBodyAndReadsTheStatus) {
  std::string request;
  {
    const OneConnection server([&](int fd) {
      request = ReadUntil(fd, "{}");
      Say(fd, "HTTP/1.1 20");  // in two pieces
      Say(fd, "2 Accepted\r\nContent-Length: 0\r\n\r\n");
    });
    EXPECT_EQ(Post(server.port(), "{}"), 202);
  }
  EXPECT_THAT(request, StartsWith("POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_THAT(request, EndsWith("Content-Length: 2\r\nConnection: close\r\n\r\n{}"));
}

TEST(HttpPost, ABodyLargerThanTheSocketsBuffersGoesThrough) {
  const std::string body(8 << 20, 'x');
  const OneConnection server([&](int fd) {
    ReadUntil(fd, "\r\n\r\n");
    size_t read_bytes = 0;
    std::string buffer(1 << 16, '\0');
    while (read_bytes < body.size()) {
      const ssize_t got = read(fd, buffer.data(), buffer.size());
      if (got <= 0) break;
      read_bytes += static_cast<size_t>(got);
    }
    Say(fd, read_bytes == body.size() ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 400 Short\r\n\r\n");
  });
  EXPECT_EQ(Post(server.port(), body), 200);
}

TEST(HttpPost, WhatIsNoAnswerIsNone) {
  for (const char* answer : {"", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 2x0 OK\r\n", "HTTP/1.1\r\n"}) {
    const OneConnection server([answer](int fd) {
      ReadUntil(fd, "{}");
      Say(fd, answer);
    });
    EXPECT_EQ(Post(server.port(), "{}"), 0) << answer;
  }
}

TEST(HttpPost, NobodyThereIsNoAnswer) {
  int port = 0;
  {
    const OneConnection gone([](int) {});
    port = gone.port();
  }
  EXPECT_EQ(Post(port, "{}"), 0);
  EXPECT_EQ(
      HttpPost({.host = "no-such-host.invalid", .port = 1}, "/", "text/plain", "", seconds(1)), 0);
}

TEST(HttpPost, ASilentServerIsWaitedForOnlySoLong) {
  const OneConnection server([](int fd) { ReadUntil(fd, "never"); });  // until the client goes
  EXPECT_EQ(Post(server.port(), "{}", milliseconds(50)), 0);
}

}  // namespace
}  // namespace dragoman
