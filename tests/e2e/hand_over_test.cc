// A daemon that hands over to a successor, and one whose sockets somebody else keeps open: clients
// that never retry lose no call.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/v1/translation.grpc.pb.h"
#include "tests/e2e/processes.h"

namespace dragoman {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using testing::ChildProcess;
using testing::Daemon;
using ::testing::HasSubstr;

const std::string kModel = std::string("de-en=") + DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

// Clients that call without a pause and never retry, on a connection each.
class Callers {
 public:
  Callers(const std::string& address, int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, address] {
        grpc::ChannelArguments own;  // connection
        own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
        own.SetServiceConfigJSON("{}");  // no policy of retries
        const auto stub = v1::TranslationService::NewStub(
            grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own));
        while (!stop_) Call(stub.get());
      });
    }
  }
  ~Callers() { Stop(); }
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  // Waits for so many more answers.
  void Await(int more) const {
    const int before = answered_;
    while (answered_ + failed_ < before + more) std::this_thread::yield();
  }
  int answered() const { return answered_; }
  int failed() const { return failed_; }

 private:
  void Call(v1::TranslationService::Stub* stub) {
    v1::TranslateRequest request;
    request.add_contents("Guten Morgen!");
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + seconds(120));
    context.set_wait_for_ready(false);
    v1::TranslateResponse response;
    const grpc::Status status = stub->Translate(&context, request, &response);
    if (status.ok()) {
      ++answered_;
    } else if (failed_++ < 5) {
      ADD_FAILURE() << status.error_code() << ": " << status.error_message();
    }
  }

  std::atomic<bool> stop_{false};
  std::atomic<int> answered_{0};
  std::atomic<int> failed_{0};
  std::vector<std::thread> threads_;
};

// The field of the last line of the log with this message; null without one.
nlohmann::json LastOf(const ChildProcess& process, const std::string& message,
                      const std::string& field) {
  nlohmann::json found;
  std::istringstream log(process.Errors());
  for (std::string line; std::getline(log, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object() && json.value("msg", "") == message) found = json[field];
  }
  return found;
}

// Successors outlive the process that started them, and become children of this one.
class HandOverTest : public ::testing::Test {
 protected:
  HandOverTest() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~HandOverTest() override { prctl(PR_SET_CHILD_SUBREAPER, 0); }

  static int EndOf(pid_t pid) {
    int status = 0;
    if (waitpid(pid, &status, 0) != pid) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
};

TEST_F(HandOverTest, ClientsWithoutRetriesLoseNoCall) {
  Daemon daemon(
      {"--cpu-workers", "1", "--connection-age-seconds", "2", "--admin-listen", "127.0.0.1:0"});
  Callers callers(daemon.grpc(), 4);
  callers.Await(50);
  daemon.process().Signal(SIGUSR2);
  // The successor's line, on the same standard output: at the same address.
  const std::string line = daemon.process().ReadLine();
  EXPECT_THAT(line,
              AllOf(HasSubstr("grpc=" + daemon.grpc()), HasSubstr("metrics=" + daemon.http())));
  EXPECT_EQ(daemon.process().Wait(), 0);  // the old one ends, once its connections are renewed
  callers.Await(50);                      // by the successor
  callers.Stop();
  EXPECT_EQ(callers.failed(), 0) << "of " << callers.answered();
  RecordProperty("answered", callers.answered());
  const auto successor = LastOf(daemon.process(), "handed over", "pid").get<pid_t>();
  EXPECT_THAT(daemon.Get("/readyz"), HasSubstr("ready"));
  kill(successor, SIGTERM);
  EXPECT_EQ(EndOf(successor), 0);
}

TEST_F(HandOverTest, ASuccessorThatDoesNotComeUpChangesNothing) {
  const std::string copy = ::testing::TempDir() + "hand_over_" + std::to_string(getpid());
  ASSERT_EQ(symlink(DRAGOMAN_DAEMON, copy.c_str()), 0);
  ChildProcess daemon({copy, "--model", kModel, "--listen", "127.0.0.1:0", "--metrics", "off",
                       "--http", "off", "--admin-listen", "127.0.0.1:0", "--cpu-workers", "1"});
  const std::string line = daemon.ReadLine();
  const size_t at = line.find("grpc=") + 5;
  const std::string address = line.substr(at, line.find(' ', at) - at);
  Callers callers(address, 2);
  callers.Await(20);
  for (const char* broken : {"/bin/false", "/no/such/program"}) {
    unlink(copy.c_str());
    ASSERT_EQ(symlink(broken, copy.c_str()), 0);
    const auto before = LastOf(daemon, "not handed over, this process goes on", "error");
    daemon.Signal(SIGUSR2);
    while (LastOf(daemon, "not handed over, this process goes on", "error") == before) {
      callers.Await(1);
    }
    callers.Await(20);
  }
  callers.Stop();
  EXPECT_EQ(callers.failed(), 0);
  unlink(copy.c_str());
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0);
}

// A socket unit of systemd does so: the socket is open before, between and after the daemons.
TEST_F(HandOverTest, NoConnectionIsRefusedWhileAnotherKeepsTheSocketOpen) {
  const int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(socket_fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(socket_fd, 128), 0);
  getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &size);
  const std::string listen_at = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const auto start = [&] {
    // The shell gives the socket the number that the protocol wants, and its own number away.
    return std::make_unique<ChildProcess>(
        std::vector<std::string>{"/bin/bash", "-c",
                                 "exec 3<&" + std::to_string(socket_fd) +
                                     "; exec env LISTEN_FDS=1 LISTEN_PID=$$ \"$0\" \"$@\"",
                                 DRAGOMAN_DAEMON, "--model", kModel, "--listen", listen_at,
                                 "--metrics", "off", "--http", "off", "--cpu-workers", "1"});
  };
  auto first = start();
  EXPECT_THAT(first->ReadLine(), HasSubstr("grpc=" + listen_at));
  {
    Callers callers(listen_at, 1);
    callers.Await(5);
  }
  first->Signal(SIGTERM);
  EXPECT_EQ(first->Wait(), 0);
  // Nobody serves now: whoever connects waits.
  Callers callers(listen_at, 2);
  const auto second = start();
  EXPECT_THAT(second->ReadLine(), HasSubstr("grpc=" + listen_at));
  callers.Await(10);
  callers.Stop();
  EXPECT_EQ(callers.failed(), 0);
  close(socket_fd);
  second->Signal(SIGTERM);
  EXPECT_EQ(second->Wait(), 0);
}

}  // namespace
}  // namespace dragoman
