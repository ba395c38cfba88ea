// Tests streams of server-sent events over a real socket whose clients read nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/process/serving_fixture.h"
#include "tests/server/transport/raw_client.h"

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;

class UnreadEventsTest : public ServingFixture {
 protected:
  UnreadEventsTest() {
    config_.http = Address{.host = "127.0.0.1"};
    config_.write_timeout_seconds = 1;
    engine_.HoldJobs();
    StartServing();
  }

  testing::RawClient Post(const std::string& path, const std::string& body) const {
    testing::RawClient client(serving_->http_address());
    EXPECT_TRUE(client.Send("POST " + path +
                            " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            "Content-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body));
    return client;
  }
};

TEST_F(UnreadEventsTest, EndTheirConnectionsAndCancelTheirCalls) {
  const std::vector<std::pair<std::string, std::string>> streams = {
      {"/v1/chat/completions",
       R"({"model": "de-en", "stream": true, "messages": [{"role": "user", "content": "Hallo"}]})"},
      {"/v1/completions", R"({"model": "de-en", "stream": true, "prompt": "Hallo"})"},
      {"/v1/translate:stream", R"({"contents": ["Hallo"]})"}};
  std::vector<testing::RawClient> clients;
  for (const auto& [path, body] : streams) {
    clients.push_back(Post(path, body));
    engine_.Play(engine_.WaitHeld(), [](engine::TranslationSink* sink) {
      engine::SegmentUpdate update;
      update.source = {0, 5};
      // More than the kernel buffers for a connection.
      update.text.assign(16 << 20, 'x');
      update.final = true;
      sink->OnSegment(std::move(update));
    });
  }
  for (size_t i = 0; i < streams.size(); ++i) {
    EXPECT_EQ(engine_.WaitCancel(i).second, engine::CancelCause::kClient);
  }
  EXPECT_TRUE(serving_->DrainCalls({.limit = std::chrono::seconds(30), .lame_duck = {}}).clean);
  for (testing::RawClient& client : clients) {
    const std::string answer = client.ReadAll();  // what was sent before the connection was closed
    EXPECT_LT(answer.size(), size_t{16} << 20);
    EXPECT_FALSE(answer.ends_with("0\r\n\r\n"));
  }
  const std::string metrics = metrics_.Scrape();
  for (const char* api : {R"("openai",code="CANCELLED",method="StreamTranslate"} 2)",
                          R"("dragoman",code="CANCELLED",method="StreamTranslate"} 1)"}) {
    EXPECT_THAT(metrics, HasSubstr(std::string("dragoman_rpcs_total{api=") + api));
  }
}

}  // namespace
}  // namespace dragoman::server
