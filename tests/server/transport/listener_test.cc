#include "server/transport/listener.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "server/base/log.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

sockaddr_in AddressOf(const Listener& listener) {
  const std::string& address = listener.address();
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port =
      htons(static_cast<uint16_t>(std::stoi(address.substr(address.find_last_of(':') + 1))));
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  return to;
}

int Connect(const Listener& listener) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in to = AddressOf(listener);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  const timeval limit{20, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  return fd;
}

// Reads until the peer closes its side.
std::string ReadToEnd(int fd) {
  std::string out;
  char buffer[4096];
  for (ssize_t n = 0; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;) out.append(buffer, n);
  return out;
}

class ListenerTest : public ::testing::Test {
 protected:
  ListenerTest() { SetLogLevel(LogLevel::kOff); }
  ~ListenerTest() override {
    listener_.reset();
    SetLogLevel(LogLevel::kInfo);
  }

  void Start(ListenerOptions options) {
    options.address = {.host = "127.0.0.1"};
    auto listener = ExpectOk(Listener::Listen(options));
    listener_ = *std::move(listener);
    listener_->Start([this](int fd) {
      engine::MutexLock lock(&mu_);
      taken_.push_back(fd);
      changed_.NotifyAll();
    });
  }

  // Returns connection n that was handed over, counted from 0.
  int Taken(size_t n) {
    engine::MutexLock lock(&mu_);
    while (taken_.size() <= n) changed_.Wait(&mu_);
    return taken_[n];
  }

  static void CloseAsOwner(int fd) {
    shutdown(fd, SHUT_RDWR);
    close(fd);
  }

  void WaitOpen(int64_t count) const {
    while (listener_->Stats().open != count) std::this_thread::yield();
  }

  std::unique_ptr<Listener> listener_;
  engine::Mutex mu_;
  engine::CondVar changed_;
  std::vector<int> taken_;
};

TEST_F(ListenerTest, RefusesAboveTheLimitAndCountsWhatIsClosed) {
  Start({.max_connections = 2});
  const int first = Connect(*listener_);
  const int second = Connect(*listener_);
  Taken(1);
  const int third = Connect(*listener_);
  EXPECT_EQ(ReadToEnd(third), "");
  EXPECT_EQ(listener_->Stats().open, 2);
  EXPECT_EQ(listener_->Stats().refused, 1);
  EXPECT_EQ(listener_->NotAccepting(), "");
  CloseAsOwner(Taken(0));
  WaitOpen(1);
  const int fourth = Connect(*listener_);
  Taken(2);
  EXPECT_EQ(listener_->Stats().accepted, 3);
  for (const int fd : {first, second, third, fourth}) close(fd);
  CloseAsOwner(Taken(1));
  CloseAsOwner(Taken(2));
  EXPECT_TRUE(listener_->WaitEmpty(seconds(20)));
}

TEST_F(ListenerTest, OneAddressGetsNoMoreThanItsOwnLimit) {
  Start({.max_connections = 10, .max_per_peer = 2});
  const int first = Connect(*listener_);
  const int second = Connect(*listener_);
  Taken(1);
  const int third = Connect(*listener_);
  EXPECT_EQ(ReadToEnd(third), "");
  EXPECT_EQ(listener_->Stats().refused, 1);
  // Another address of the same machine counts as another peer.
  const int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in from{};
  from.sin_family = AF_INET;
  inet_pton(AF_INET, "127.0.0.2", &from.sin_addr);
  ASSERT_EQ(bind(other, reinterpret_cast<const sockaddr*>(&from), sizeof(from)), 0);
  const sockaddr_in to = AddressOf(*listener_);
  ASSERT_EQ(connect(other, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  Taken(2);
  // Connections that were closed no longer count.
  CloseAsOwner(Taken(0));
  WaitOpen(2);
  const int fourth = Connect(*listener_);
  Taken(3);
  EXPECT_EQ(listener_->Stats().refused, 1);
  for (const int fd : {first, second, third, other, fourth}) close(fd);
  for (size_t i = 1; i < 4; ++i) CloseAsOwner(Taken(i));
  EXPECT_TRUE(listener_->WaitEmpty(seconds(20)));
}

TEST_F(ListenerTest, DropsTheOldest) {
  Start({.max_connections = 2, .drop_oldest = true});
  const int first = Connect(*listener_);
  const int second = Connect(*listener_);
  Taken(1);
  const int third = Connect(*listener_);
  Taken(2);
  EXPECT_EQ(ReadToEnd(first), "");
  char byte = 0;
  EXPECT_EQ(recv(Taken(0), &byte, 1, 0), 0);  // the owner sees the end of the connection
  EXPECT_LT(recv(second, &byte, 1, MSG_DONTWAIT), 0);
  for (const int fd : {first, second, third}) close(fd);
  for (const int i : {0, 1, 2}) CloseAsOwner(Taken(i));
}

TEST_F(ListenerTest, EndsThoseThatAreTooOld) {
  Start({.max_connections = 2, .longest = milliseconds(30)});
  const int fd = Connect(*listener_);
  EXPECT_EQ(ReadToEnd(fd), "");
  CloseAsOwner(Taken(0));
  EXPECT_TRUE(listener_->WaitEmpty(seconds(20)));
  close(fd);
}

TEST_F(ListenerTest, EndsAllAfterWhatWasSent) {
  Start({.max_connections = 8});
  const int fd = Connect(*listener_);
  const std::string answer(100'000, 'x');
  ASSERT_EQ(send(Taken(0), answer.data(), answer.size(), 0), static_cast<ssize_t>(answer.size()));
  listener_->StopAccepting();
  listener_->EndConnections();
  EXPECT_LT(send(Taken(0), "y", 1, MSG_NOSIGNAL), 0);  // nothing more can be sent
  CloseAsOwner(Taken(0));
  EXPECT_EQ(ReadToEnd(fd), answer);
  close(fd);
  EXPECT_TRUE(listener_->WaitEmpty(seconds(20)));
}

TEST_F(ListenerTest, TellsWhenAcceptingHasStopped) {
  Start({.max_connections = 64});
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int free = dup(client);  // the lowest unused descriptor
  close(free);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{static_cast<rlim_t>(free), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const sockaddr_in to = AddressOf(*listener_);
  ASSERT_EQ(connect(client, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  while (listener_->NotAccepting().empty()) std::this_thread::yield();
  const std::string why = listener_->NotAccepting();
  // Before gtest runs, which may need a descriptor.
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(why, HasSubstr("Too many open files"));
  CloseAsOwner(Taken(0));
  EXPECT_EQ(listener_->NotAccepting(), "");
  close(client);
}

TEST_F(ListenerTest, NamesWhatIsWrongWithAnAddress) {
  Start({.max_connections = 1});
  const auto taken =
      Listener::Listen({.address = *ParseAddress(listener_->address(), AddressForms::kHostPort),
                        .max_connections = 1});
  EXPECT_THAT(std::string(taken.status().message()), HasSubstr("the port is taken"));
  EXPECT_FALSE(Listener::Listen({.address = {.host = "no such host"}, .max_connections = 1}).ok());
}

TEST_F(ListenerTest, EveryAddressHasBothFamilies) {
  for (const char* host : {"0.0.0.0", "::"}) {
    auto listener = ExpectOk(Listener::Listen({.address = {.host = host}, .max_connections = 4}));
    (*listener)->Start([](int fd) { CloseAsOwner(fd); });
    const int fd = Connect(**listener);
    EXPECT_EQ(ReadToEnd(fd), "");
    close(fd);
  }
}

}  // namespace
}  // namespace dragoman::server
