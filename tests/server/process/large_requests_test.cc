// A server whose readers of large requests are all busy for as long as the test likes, and the
// order in which waiting requests are read afterwards.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/v1/translation.grpc.pb.h"
#include "engine/base/mutex.h"
#include "server/call/api_keys.h"
#include "tests/server/process/serving_fixture.h"
#include "tests/server/transport/raw_client.h"
#include "tests/support/temp_directory.h"

#include <grpcpp/create_channel.h>

namespace dragoman::server {
namespace {

// Holds every text that begins with "wait" until it is released, and counts texts.
class HoldingDetector final : public LanguageDetector {
 public:
  std::unique_ptr<LanguageChoice> Among(const std::vector<std::string>& /*all*/) const override {
    return std::make_unique<Choice>(this);
  }
  const std::vector<std::string>& languages() const override { return languages_; }

  void WaitHeld() const {
    engine::MutexLock lock(&mu_);
    while (held_ == 0) changed_.Wait(&mu_);
  }
  void Release() {
    engine::MutexLock lock(&mu_);
    released_ = true;
    changed_.NotifyAll();
  }
  // Returns the positions, counted from 1, of the texts that begin with "mine" among all texts.
  std::vector<int> mine() const {
    engine::MutexLock lock(&mu_);
    return mine_;
  }

 private:
  class Choice final : public LanguageChoice {
   public:
    explicit Choice(const HoldingDetector* detector) : detector_(*detector) {}
    std::vector<DetectedLanguage> Detect(std::string_view text) const override {
      detector_.Count(text);
      return {{"de", 1.0}};
    }

   private:
    const HoldingDetector& detector_;
  };

  void Count(std::string_view text) const {
    engine::MutexLock lock(&mu_);
    ++count_;
    if (text.starts_with("mine")) mine_.push_back(count_);
    if (!text.starts_with("wait")) return;
    ++held_;
    changed_.NotifyAll();
    while (!released_) changed_.Wait(&mu_);
  }

  const std::vector<std::string> languages_ = {"de", "en"};
  mutable engine::Mutex mu_;
  mutable engine::CondVar changed_;
  mutable int count_ ABSL_GUARDED_BY(mu_) = 0;
  mutable int held_ ABSL_GUARDED_BY(mu_) = 0;
  mutable std::vector<int> mine_ ABSL_GUARDED_BY(mu_);
  bool released_ ABSL_GUARDED_BY(mu_) = false;
};

class LargeRequestsTest : public ServingFixture {
 protected:
  LargeRequestsTest() { config_.http = Address{.host = "127.0.0.1"}; }
  void Start() {
    ASSERT_NO_FATAL_FAILURE(StartServing(/*with_engine=*/true, &detector_));
    stub_ = v1::TranslationService::NewStub(
        grpc::CreateChannel(serving_->address(), grpc::InsecureChannelCredentials()));
  }
  ~LargeRequestsTest() override {
    detector_.Release();
    EXPECT_TRUE(serving_->DrainCalls({.limit = std::chrono::seconds(30), .lame_duck = {}}).clean);
    serving_.reset();
  }

  static std::string Large(const std::string& begin = "wait") {
    return begin + std::string(4000, 'x');
  }

  // Sends a request as the page would send it.
  testing::RawClient Post(const std::string& text, const std::string& key = "") const {
    testing::RawClient client(serving_->http_address());
    const std::string body = R"({"contents": [")" + text + R"("]})";
    EXPECT_TRUE(
        client.Send("POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    "Authorization: Bearer " +
                    key + "\r\nContent-Type: application/json\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body));
    return client;
  }

  grpc::Status Detect(const std::string& text, const std::string& key = "") const {
    grpc::ClientContext context;
    if (!key.empty()) context.AddMetadata("authorization", "Bearer " + key);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    v1::DetectLanguageRequest request;
    request.add_contents(text);
    v1::DetectLanguageResponse response;
    return stub_->DetectLanguage(&context, request, &response);
  }

  void WaitInFlight(int64_t calls) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (serving_->in_flight() < calls) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << serving_->in_flight();
      std::this_thread::yield();
    }
  }

  HoldingDetector detector_;
  const TempDirectory directory_;
  std::unique_ptr<v1::TranslationService::Stub> stub_;
};

// More than the threads that a small machine has for HTTP and for gRPC.
constexpr int kMany = 24;

TEST_F(LargeRequestsTest, OverHttpHoldUpNoSmallOnes) {
  Start();
  std::vector<testing::RawClient> large;
  for (int i = 0; i < kMany; ++i) large.push_back(Post(Large()));
  detector_.WaitHeld();
  for (int i = 0; i < kMany; ++i) {
    EXPECT_TRUE(Post("Guten Tag").ReadAll().starts_with("HTTP/1.1 200 ")) << i;
  }
  EXPECT_TRUE(Detect("Guten Tag").ok());
  detector_.Release();
  for (testing::RawClient& client : large) {
    EXPECT_TRUE(client.ReadAll().starts_with("HTTP/1.1 200 "));
  }
}

TEST_F(LargeRequestsTest, OverGrpcHoldUpNoSmallOnes) {
  Start();
  std::vector<std::thread> large;
  std::atomic<int> answered = 0;
  for (int i = 0; i < kMany; ++i) {
    large.emplace_back([this, &answered] { answered += Detect(Large()).ok() ? 1 : 0; });
  }
  detector_.WaitHeld();
  for (int i = 0; i < kMany; ++i) {
    const grpc::Status status = Detect("Guten Tag");
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  detector_.Release();
  for (std::thread& client : large) client.join();
  EXPECT_EQ(answered, kMany);
}

// Requests of clients that have left are released at once, before a reader comes to them.
TEST_F(LargeRequestsTest, ClientsMayLeaveBeforeTheirRequestsAreRead) {
  Start();
  {
    std::vector<testing::RawClient> large;
    for (int i = 0; i < kMany; ++i) large.push_back(Post(Large()));
    detector_.WaitHeld();
  }
  for (int i = 0; i < kMany; ++i) {
    grpc::ClientContext context;
    v1::TranslateRequest request;
    request.add_contents(Large());
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(1));
    v1::TranslateResponse response;
    EXPECT_EQ(stub_->Translate(&context, request, &response).error_code(),
              grpc::StatusCode::DEADLINE_EXCEEDED);
  }
  EXPECT_TRUE(Detect("Guten Tag").ok());
}

TEST_F(LargeRequestsTest, OfAClientWaitForNoBacklogOfAnothers) {
  config_.api_keys = directory_.path() + "/keys.json";
  std::ofstream(config_.api_keys) << R"({"clients": [{"name": "many", "keys": [")"
                                  << HashOfKey("dgm_many") << R"("]}, {"name": "few", "keys": [")"
                                  << HashOfKey("dgm_few") << R"("]}]})";
  ASSERT_NO_FATAL_FAILURE(OpenSecurity());
  Start();
  // More than twice the number of reader threads, which is at most 8.
  constexpr int kBacklog = 48;
  std::vector<testing::RawClient> backlog;
  for (int i = 0; i < kBacklog; ++i) backlog.push_back(Post(Large(), "dgm_many"));
  // A waiting request counts as a call in flight. The other client's requests are the last to come.
  WaitInFlight(kBacklog);
  testing::RawClient over_http = Post(Large("mine"), "dgm_few");
  WaitInFlight(kBacklog + 1);
  std::thread over_grpc([this] { EXPECT_TRUE(Detect(Large("mine"), "dgm_few").ok()); });
  // A gRPC call counts from its start, and again while its request waits.
  WaitInFlight(kBacklog + 3);
  detector_.Release();
  over_grpc.join();
  EXPECT_TRUE(over_http.ReadAll().starts_with("HTTP/1.1 200 "));
  for (testing::RawClient& client : backlog) {
    EXPECT_TRUE(client.ReadAll().starts_with("HTTP/1.1 200 "));
  }
  ASSERT_EQ(detector_.mine().size(), 2U);
  for (const int place : detector_.mine()) EXPECT_LE(place, kBacklog / 2);
}

}  // namespace
}  // namespace dragoman::server
