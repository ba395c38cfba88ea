// Tests connections, and calls whose requests are still arriving, over a loopback port with a
// scripted engine: requests that come slowly, in part or never, limits on connections, and the
// effect of a drain.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/v1/translation.grpc.pb.h"
#include "server/transport/http.h"
#include "server/transport/transport_limits.h"
#include "tests/server/process/serving_fixture.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMethods[] = {"Translate", "StreamTranslate", "ListLanguages"};

// A call that sends nothing by itself; a test decides what to send.
class RawCall final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  RawCall(grpc::GenericStub* stub, const std::string& method) {
    context_.set_wait_for_ready(true);
    stub->PrepareBidiStreamingCall(&context_, "/dragoman.v1.TranslationService/" + method, {},
                                   this);
    StartCall();
  }
  void EndOfWrites() { StartWritesDone(); }
  void Cancel() { context_.TryCancel(); }
  grpc::Status Wait() { return done_.get_future().get(); }
  void OnDone(const grpc::Status& status) override { done_.set_value(status); }

 private:
  grpc::ClientContext context_;
  std::promise<grpc::Status> done_;
};

class TransportTest : public ServingFixture {
 protected:
  void Start() {
    ASSERT_NO_FATAL_FAILURE(StartServing());
    channel_ = NewChannel();
    stub_ = std::make_unique<grpc::GenericStub>(channel_);
  }

  // Makes a channel with a connection of its own.
  std::shared_ptr<grpc::Channel> NewChannel() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    return grpc::CreateCustomChannel(serving_->address(), grpc::InsecureChannelCredentials(),
                                     arguments);
  }

  static grpc::Status Translate(const std::shared_ptr<grpc::Channel>& channel,
                                const std::string& text = "Hallo",
                                grpc_compression_algorithm compression = GRPC_COMPRESS_NONE) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + seconds(30));
    context.set_compression_algorithm(compression);
    v1::TranslateRequest request;
    request.add_contents(text);
    v1::TranslateResponse response;
    return v1::TranslationService::NewStub(channel)->Translate(&context, request, &response);
  }

  void WaitForCalls(int64_t count) const {
    while (serving_->in_flight() != count) std::this_thread::yield();
  }

  void WaitForConnections(int64_t count) const {
    const std::string line =
        "\ndragoman_connections{port=\"grpc\"} " + std::to_string(count) + "\n";
    while (metrics_.Scrape().find(line) == std::string::npos) std::this_thread::yield();
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<grpc::GenericStub> stub_;
};

// ------------------------------------------------------------------ requests that are not whole

TEST_F(TransportTest, CancelledBeforeItsRequestIsCancelled) {
  Start();
  for (const char* method : kMethods) {
    RawCall call(stub_.get(), method);
    WaitForCalls(1);
    call.Cancel();
    EXPECT_EQ(call.Wait().error_code(), grpc::StatusCode::CANCELLED);
    WaitForCalls(0);
    ExpectMetric(std::string(R"(dragoman_rpcs_total{api="dragoman",code="CANCELLED",method=")") +
                 method + "\"} 1");
  }
  ExpectMetric(R"(dragoman_rejected_total{reason="invalid"} 0)");
  EXPECT_THAT(metrics_.Scrape(), Not(HasSubstr("INVALID_ARGUMENT")));
}

TEST_F(TransportTest, EndedBeforeItsRequestIsTold) {
  Start();
  for (const char* method : kMethods) {
    RawCall call(stub_.get(), method);
    call.EndOfWrites();
    const grpc::Status status = call.Wait();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(status.error_message(), "the call ended before its request was complete");
  }
}

TEST_F(TransportTest, ARequestThatDoesNotComeEndsItsCall) {
  config_.receive_timeout_seconds = 1;
  Start();
  for (const char* method : kMethods) {
    RawCall call(stub_.get(), method);
    const grpc::Status status = call.Wait();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    EXPECT_EQ(status.error_message(), "the request was not complete 1 s after the call began");
  }
  EXPECT_EQ(engine_.submitted(), 0U);
  EXPECT_TRUE(Translate(channel_).ok());
}

TEST_F(TransportTest, TheLongestCallCountsFromTheHeaders) {
  config_.longest_call_seconds = 1;
  Start();
  RawCall call(stub_.get(), "Translate");
  const grpc::Status status = call.Wait();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(status.error_message(), "the deadline passed before the request was complete");
}

TEST_F(TransportTest, ARequestThatIsTooLongIsInvalid) {
  Start();
  const grpc::Status status = Translate(channel_, std::string(3 << 20, 'a'));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  // The second message appears if Intake counts the bytes before gRPC knows the length.
  EXPECT_THAT(status.error_message(),
              AnyOf("the request has 3145733 bytes, expected at most 2097152",
                    "the request has more than the 2097152 bytes allowed"));
  EXPECT_TRUE(Translate(channel_).ok());
}

TEST_F(TransportTest, CompressedRequestsAreUnimplemented) {
  Start();
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    const grpc::Status status = Translate(channel_, std::string(1000, 'a'), algorithm);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
    EXPECT_THAT(status.error_message(), HasSubstr("is disabled"));
  }
}

// ------------------------------------------------------------------ connections

TEST_F(TransportTest, ConnectionsAboveTheLimitAreRefusedUntilOthersClose) {
  config_.max_connections = 2;
  Start();
  auto second = NewChannel();
  EXPECT_TRUE(Translate(channel_).ok());
  EXPECT_TRUE(Translate(second).ok());
  EXPECT_EQ(Translate(NewChannel()).error_code(), grpc::StatusCode::UNAVAILABLE);
  ExpectMetric(R"(dragoman_connections{port="grpc"} 2)");
  ExpectMetric(R"(dragoman_connections_capacity{port="grpc"} 2)");
  ExpectMetric(R"(dragoman_connections_total{port="grpc",outcome="refused"} 1)");
  EXPECT_TRUE(Translate(second).ok());
  second.reset();
  WaitForConnections(1);
  EXPECT_TRUE(Translate(NewChannel()).ok());
}

TEST_F(TransportTest, MoreConnectionsThanOpenFilesAreRefusedAtTheStart) {
  config_.max_connections = 1'000'000'000;
  const auto serving = Serving::Start(config_, &models_, &clock_, &metrics_);
  ASSERT_FALSE(serving.ok());
  EXPECT_THAT(std::string(serving.status().message()), HasSubstr("--max-connections: found"));
}

TEST_F(TransportTest, ListensOnAUnixSocket) {
  const TempDirectory directory;
  config_.listen = {.unix_path = directory.path() + "/socket"};
  Start();
  EXPECT_TRUE(Translate(channel_).ok());
  EXPECT_TRUE(serving_->DrainCalls({seconds(10)}).clean);
}

TEST_F(TransportTest, CallsThatMeetADrainAreUnavailableAndNeverCancelled) {
  for (int round = 0; round < 5; ++round) {
    FakeEngine engine;
    ModelTable models(&clock_, {}, {});
    ASSERT_TRUE(models.Put(Borrowed(&engine)).ok());
    Metrics metrics(&clock_);
    auto serving = ExpectOk(Serving::Start(config_, &models, &clock_, &metrics));
    serving_ = *std::move(serving);
    constexpr int kThreads = 8;
    std::vector<std::future<std::map<grpc::StatusCode, int>>> callers;
    std::promise<void> started;
    for (int t = 0; t < kThreads; ++t) {
      auto channel = NewChannel();
      ASSERT_TRUE(Translate(channel).ok());
      callers.push_back(std::async(std::launch::async, [channel] {
        std::map<grpc::StatusCode, int> codes;
        while (codes[grpc::StatusCode::UNAVAILABLE] < 200) {
          const grpc::Status status = Translate(channel);
          ++codes[status.error_code()];
          if (status.error_message().find("refused") != std::string::npos) break;  // port closed
        }
        return codes;
      }));
    }
    EXPECT_TRUE(serving_->DrainCalls({seconds(10)}).clean);
    serving_.reset();
    for (auto& caller : callers) {
      for (const auto& [code, count] : caller.get()) {
        EXPECT_TRUE(code == grpc::StatusCode::OK || code == grpc::StatusCode::UNAVAILABLE)
            << code << " " << count << " times";
      }
    }
  }
}

// ------------------------------------------------------------------ HTTP

int Connect(const std::string& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.find(':') + 1))));
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  return fd;
}

std::string Frame(char type, char flags, int stream, const std::string& payload) {
  std::string out;
  const auto big_endian = [&out](size_t value, int bytes) {
    while (bytes-- > 0) out += static_cast<char>(value >> (8 * bytes));
  };
  big_endian(payload.size(), 3);
  out += type;
  out += flags;
  big_endian(static_cast<size_t>(stream), 4);
  return out + payload;
}

// Returns the frames that begin a call and reset it.
std::string BegunAndReset(int stream, const std::string& path) {
  const auto text = [](const std::string& value) {
    return static_cast<char>(value.size()) + value;
  };
  const std::string headers = "\x83\x86" + ("\x04" + text(path)) + "\x01" + text("x") + "\x0f\x10" +
                              text("application/grpc") + std::string(1, '\0') + text("te") +
                              text("trailers");
  const std::string cancel("\0\0\0\x08", 4);
  return Frame(1, 4, stream, headers) + Frame(3, 0, stream, cancel);
}

// Discards everything that the server has sent, so that sending never blocks. Returns true once the
// server has closed the connection.
bool Closed(int fd) {
  char ignored[4096];
  while (true) {
    const ssize_t got = recv(fd, ignored, sizeof(ignored), MSG_DONTWAIT);
    if (got == 0) return true;
    if (got < 0) return errno != EAGAIN;
  }
}

TEST_F(TransportTest, AConnectionThatResetsItsStreamsIsClosed) {
  config_.max_streams = 100;  // so 200 resets are allowed at once, and then 50 a second
  Start();
  for (const char* path : {"/dragoman.v1.TranslationService/Translate", "/none.Service/None",
                           "/grpc.health.v1.Health/Check"}) {
    const int fd = Connect(serving_->address());
    std::string begin = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(4, 0, 0, "");
    ASSERT_EQ(send(fd, begin.data(), begin.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(begin.size()));
    int stream = 1;
    while (!Closed(fd) && stream < 2'000'000) {
      const std::string more = BegunAndReset(stream, path);
      send(fd, more.data(), more.size(), MSG_NOSIGNAL);
      stream += 2;
    }
    close(fd);
    EXPECT_GT(stream, 400) << path;
    EXPECT_LT(stream, 2'000'000) << path;
  }
  EXPECT_TRUE(Translate(NewChannel()).ok());
}

TEST_F(TransportTest, CancelledCallsWithRequestsAreNoResets) {
  config_.max_streams = 20;
  Start();
  ASSERT_TRUE(Translate(channel_).ok());
  engine_.HoldJobs();
  for (int i = 0; i < 300; ++i) {
    grpc::ClientContext context;
    v1::TranslateRequest request;
    request.add_contents("Hallo");
    v1::TranslateResponse response;
    std::promise<grpc::Status> done;
    const auto service = v1::TranslationService::NewStub(channel_);
    service->async()->Translate(&context, &request, &response,
                                [&done](const grpc::Status& status) { done.set_value(status); });
    engine_.WaitHeld();
    context.TryCancel();
    EXPECT_EQ(done.get_future().get().error_code(), grpc::StatusCode::CANCELLED);
    WaitForCalls(0);
  }
  ExpectMetric(R"(dragoman_connections{port="grpc"} 1)");
  EXPECT_EQ(channel_->GetState(false), GRPC_CHANNEL_READY);
}

TEST_F(TransportTest, SilentConnectionsDoNotKeepProbesWaiting) {
  HttpHooks hooks;
  hooks.metrics = [] { return std::string("metrics\n"); };
  hooks.not_live = [] { return std::string(); };
  hooks.not_ready = [] { return std::string(); };
  auto http = ExpectOk(
      HttpServer::Start({.host = "127.0.0.1"}, hooks, HttpConnections(RaiseDescriptorLimit())));
  std::vector<int> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(Connect((*http)->address()));
  // Fails for the connections that are closed already.
  for (const int fd : silent) (void)send(fd, "GET /livez HT", 13, MSG_NOSIGNAL);
  const int probe = Connect((*http)->address());
  const timeval limit{1, 0};
  setsockopt(probe, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  const std::string request = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_EQ(send(probe, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  char answer[64] = {};
  EXPECT_GT(recv(probe, answer, sizeof(answer) - 1, 0), 0);
  EXPECT_THAT(answer, HasSubstr("200 OK"));
  close(probe);
  for (const int fd : silent) close(fd);
}

}  // namespace
}  // namespace dragoman::server
