// Tests how the client ends when no server answers: it prints an error, exits with status 1 and
// does not crash.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/processes.h"

namespace dragoman::testing {
namespace {

// A port of the loopback interface that either refuses connections or accepts them and never
// answers.
class Port {
 public:
  enum Kind { kRefuses, kIsSilent };
  explicit Port(Kind kind) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    // The kernel completes connections, but nothing accepts them from the queue.
    if (kind == kIsSilent) {
      EXPECT_EQ(listen(socket_, 64), 0);
    }
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~Port() { close(socket_); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  const std::string& address() const { return address_; }

 private:
  const int socket_;
  std::string address_;
};

const char kText[] = DRAGOMAN_SOURCE_DIR "/LICENSE";

class GivingUp : public ::testing::Test {
 protected:
  // Makes malloc overwrite freed memory, so that a use after free has an effect.
  void SetUp() override { setenv("MALLOC_PERTURB_", "165", 1); }
  void TearDown() override { unsetenv("MALLOC_PERTURB_"); }

  // Runs the client many times, four at once, because a crash at exit depends on the order in which
  // threads end.
  static void ExpectFailures(const Port& port, const std::string& message,
                             std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", port.address()});
    for (int round = 0; round < 8; ++round) {
      std::vector<std::unique_ptr<ChildProcess>> clients(4);
      for (auto& client : clients) {
        client = std::make_unique<ChildProcess>(ClientCommand(arguments));
      }
      for (const auto& client : clients) {
        ASSERT_EQ(client->Wait(), 1) << client->Errors();
        ASSERT_NE(client->Errors().find(message), std::string::npos) << client->Errors();
      }
    }
  }
};

TEST_F(GivingUp, OnAPortThatRefuses) {
  const Port port(Port::kRefuses);
  ExpectFailures(port, "UNAVAILABLE", {"health"});
  ExpectFailures(port, "UNAVAILABLE", {"translate", "--retries", "1", kText});
  ExpectFailures(port, "UNAVAILABLE", {"translate", "--retries", "0", "--stream", kText});
}

TEST_F(GivingUp, OnAPortThatNeverAnswers) {
  const Port port(Port::kIsSilent);
  ExpectFailures(port, "DEADLINE_EXCEEDED", {"health", "--timeout", "0.05"});
  ExpectFailures(port, "DEADLINE_EXCEEDED", {"translate", "--timeout", "0.05", kText});
  ExpectFailures(port, "DEADLINE_EXCEEDED", {"translate", "--timeout", "0.05", "--stream", kText});
}

}  // namespace
}  // namespace dragoman::testing
