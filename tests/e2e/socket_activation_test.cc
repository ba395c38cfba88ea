// Restarts a daemon on a listening socket that stays open, as a systemd socket unit provides.
// Clients that open a connection for each call and never retry must lose no call.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/v1/translation.grpc.pb.h"
#include "tests/e2e/processes.h"

namespace dragoman {
namespace {

using std::chrono::seconds;
using testing::ChildProcess;
using ::testing::HasSubstr;

const std::string kModel = std::string("de-en=") + DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

// Client threads that call without a pause and never retry, each call on its own connection.
class Callers {
 public:
  Callers(const std::string& address, int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, address] {
        while (!stop_) Call(address);
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
  // Waits for `more` further calls to end.
  void Await(int more) const {
    const int before = answered_;
    while (answered_ + failed_ < before + more) std::this_thread::yield();
  }
  int answered() const { return answered_; }
  int failed() const { return failed_; }

 private:
  void Call(const std::string& address) {
    grpc::ChannelArguments own;  // not a shared connection
    own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    own.SetServiceConfigJSON("{}");  // no retries
    const auto stub = v1::TranslationService::NewStub(
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), own));
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

// The socket is open before the first daemon, between the daemons and after the second.
TEST(SocketActivation, ClientsThatOpenConnectionsLoseNoCallInARestart) {
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
    // The shell duplicates the socket to descriptor 3, as the protocol of systemd requires.
    return std::make_unique<ChildProcess>(
        std::vector<std::string>{"/bin/bash", "-c",
                                 "exec 3<&" + std::to_string(socket_fd) +
                                     "; exec env LISTEN_FDS=1 LISTEN_PID=$$ \"$0\" \"$@\"",
                                 DRAGOMAN_DAEMON, "--model", kModel, "--listen", listen_at,
                                 "--metrics", "off", "--http", "off", "--cpu-workers", "1"});
  };
  auto first = start();
  EXPECT_THAT(first->ReadLine(), HasSubstr("grpc=" + listen_at));
  Callers callers(listen_at, 4);
  callers.Await(50);
  first->Stop();
  // No daemon accepts connections now, so they wait in the socket's queue.
  const auto second = start();
  EXPECT_THAT(second->ReadLine(), HasSubstr("grpc=" + listen_at));
  callers.Await(50);
  callers.Stop();
  EXPECT_EQ(callers.failed(), 0) << "of " << callers.answered();
  close(socket_fd);
  second->Stop();
}

}  // namespace
}  // namespace dragoman
