// Shuts down a daemon behind load balancers. A client that has not noticed the shutdown yet must
// lose no call.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/v1/translation.grpc.pb.h"
#include "tests/e2e/processes.h"

namespace dragoman {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::Daemon;
using ::testing::HasSubstr;

// The delay until a client's resolver notices a change.
constexpr seconds kLag{3};

grpc::Status Translate(v1::TranslationService::Stub* stub) {
  v1::TranslateRequest request;
  request.add_contents("Guten Morgen!");
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + seconds(60));
  v1::TranslateResponse response;
  return stub->Translate(&context, request, &response);
}

std::unique_ptr<v1::TranslationService::Stub> StubFor(const Daemon& daemon) {
  grpc::ChannelArguments own;  // not a shared connection
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return v1::TranslationService::NewStub(
      grpc::CreateCustomChannel(daemon.grpc(), grpc::InsecureChannelCredentials(), own));
}

TEST(LameDuck, AClientThatHearsOfItThreeSecondsLateLosesNoCall) {
  Daemon leaving({"--lame-duck-seconds", "5", "--cpu-workers", "1"});
  const Daemon staying({"--cpu-workers", "1"});
  constexpr int kClients = 4;
  std::atomic<int> leaving_answered{0};
  std::atomic<bool> signalled{false};
  std::atomic<bool> noticed{false};
  std::atomic<int> after_signal{0};
  std::atomic<int> failed{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&] {
      const auto both = std::array{StubFor(leaving), StubFor(staying)};
      int call = 0;
      // Calls the two daemons in turn until `noticed`, and then makes five calls to the one that
      // stays.
      for (int last = 0; last < 5; last += noticed ? 1 : 0) {
        const bool to_leaving = !noticed && call++ % 2 == 0;
        // Every fourth call to the leaving daemon opens a new connection, as new clients do.
        const auto fresh = to_leaving && call % 8 == 1 ? StubFor(leaving) : nullptr;
        const bool late = signalled;
        const grpc::Status status =
            Translate(fresh != nullptr ? fresh.get() : both[to_leaving ? 0 : 1].get());
        if (!status.ok()) {
          ++failed;
          ADD_FAILURE() << (to_leaving ? "leaving: " : "staying: ") << status.error_message();
        } else if (to_leaving) {
          ++leaving_answered;
          if (late) ++after_signal;
        }
      }
    });
  }
  while (leaving_answered < 20) std::this_thread::yield();
  leaving.process().Signal(SIGTERM);
  signalled = true;
  std::this_thread::sleep_for(kLag);  // the delay under test
  EXPECT_THAT(leaving.Get("/readyz"), HasSubstr("draining"));
  EXPECT_THAT(leaving.Get("/livez"), HasSubstr("ok"));
  noticed = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(after_signal, 20);
  EXPECT_EQ(leaving.process().Wait(), 0);
}

TEST(LameDuck, ASecondSignalEndsItAtOnce) {
  Daemon daemon({"--lame-duck-seconds", "3600", "--cpu-workers", "1"});
  // The daemon has had no calls, because a call that is over for its client may still be open in
  // the server.
  const auto begin = steady_clock::now();
  daemon.process().Signal(SIGTERM);
  while (daemon.Get("/readyz").find("draining") == std::string::npos) std::this_thread::yield();
  daemon.process().Signal(SIGINT);
  EXPECT_EQ(daemon.process().Wait(), 0);
  EXPECT_LT(steady_clock::now() - begin, seconds(60));
}

}  // namespace
}  // namespace dragoman
