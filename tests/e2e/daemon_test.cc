// The daemon and the client as an operator meets them.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>

#include "dragoman/v1/translation.grpc.pb.h"
#include "tests/e2e/processes.h"

namespace dragoman {
namespace {

using testing::Daemon;
using ::testing::HasSubstr;
using testing::RunClient;
using testing::Sum;

std::unique_ptr<v1::TranslationService::Stub> StubFor(const Daemon& daemon) {
  return v1::TranslationService::NewStub(
      grpc::CreateChannel(daemon.grpc(), grpc::InsecureChannelCredentials()));
}

TEST(DaemonTest, TranslatesAFileInOrderAndAnswersProbes) {
  Daemon daemon;
  EXPECT_THAT(daemon.Get("/livez"), HasSubstr("ok"));
  EXPECT_THAT(daemon.Get("/readyz"), HasSubstr("ready"));
  int status = -1;
  testing::RunClient({"health", "--server", daemon.grpc()}, &status);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(testing::RunClient({"models", "--server", daemon.grpc()}), HasSubstr("de-en"));
  EXPECT_THAT(testing::RunClient({"languages", "--server", daemon.grpc()}), HasSubstr("de"));

  const std::string input = DRAGOMAN_SOURCE_DIR "/tests/data/german.txt";
  const std::string output = testing::RunClient(
      {"translate", "--server", daemon.grpc(), "--from", "de", "--to", "en", input}, &status);
  EXPECT_EQ(status, 0);
  std::ifstream file(input);
  const auto lines = std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), lines);

  // The metrics name what server/README.md, "Metrics", promises.
  const Daemon::Samples samples = daemon.Metrics();
  EXPECT_GT(testing::Sum(samples, "dragoman_rpcs_total"), 0);
  EXPECT_GT(testing::Sum(samples, "dragoman_target_tokens_total"), 1000);
  EXPECT_EQ(
      testing::Sum(samples, "dragoman_encoder_tokens_total{kind=\"padding\",model=\"de-en\"}"), 0);
  daemon.process().Signal(SIGTERM);
  EXPECT_EQ(daemon.process().Wait(), 0);
}

TEST(DaemonTest, PartialsOfThreeHundredSentencesArePrefixes) {
  Daemon daemon;
  const auto stub = StubFor(daemon);
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  v1::TranslateRequest request;
  for (std::string line; std::getline(file, line) && request.contents_size() < 300;) {
    if (line.size() > 40) request.add_contents(line);
  }
  ASSERT_EQ(request.contents_size(), 300);
  request.mutable_decoding()->set_beam_size(4);
  request.mutable_segmentation()->set_split(v1::Segmentation::NONE);
  request.mutable_return_options()->set_partials(true);
  request.mutable_return_options()->set_tokens(true);
  grpc::ClientContext context;
  auto reader = stub->StreamTranslate(&context, request);
  std::map<int, std::vector<std::string>> partials;
  std::map<int, v1::Translation> whole;
  v1::StreamTranslateResponse message;
  while (reader->Read(&message)) {
    if (message.has_translation()) {
      whole[message.item()] = message.translation();
    } else if (!message.final()) {
      EXPECT_EQ(whole.count(message.item()), 0U);
      partials[message.item()].push_back(message.text());
    }
  }
  const grpc::Status status = reader->Finish();
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(whole.size(), 300U);
  int longer = 0;
  int longer_with_partial = 0;
  size_t sent = 0;
  for (const auto& [item, translation] : whole) {
    ASSERT_FALSE(translation.has_error());
    std::string before;
    for (const std::string& text : partials[item]) {
      EXPECT_TRUE(text.starts_with(before)) << text;
      before = text;
    }
    EXPECT_TRUE(translation.translated_text().starts_with(before)) << before << "\n"
                                                                   << translation.translated_text();
    sent += partials[item].size();
    if (translation.tokens().target_size() <= 15) continue;
    ++longer;
    longer_with_partial += partials[item].empty() ? 0 : 1;
  }
  std::cout << "partials: " << sent << " sent; " << longer_with_partial << " of " << longer
            << " sentences above 15 target tokens had one before their end\n";
  EXPECT_GT(longer, 50);
  EXPECT_GT(longer_with_partial * 2, longer);
}

TEST(DaemonTest, BadCommandLinesSayWhatIsWrong) {
  const auto complaint = [](const std::vector<std::string>& flags) {
    std::vector<std::string> command = {DRAGOMAN_DAEMON};
    command.insert(command.end(), flags.begin(), flags.end());
    testing::ChildProcess daemon(command);
    const std::string output = daemon.ReadAll();
    EXPECT_NE(daemon.Wait(), 0);
    return output + daemon.Errors();
  };
  EXPECT_THAT(complaint({"--model", "/nonexistent"}), HasSubstr("/nonexistent"));
  EXPECT_THAT(complaint({"--no-such-flag"}), HasSubstr("no-such-flag"));
  EXPECT_THAT(complaint({"--model", "a", "--model", "a"}), HasSubstr("two models named 'a'"));
  const std::string model = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";
  EXPECT_THAT(complaint({"--model", model, "--device", "cuda:0"}), HasSubstr("cuda:0"));
}

}  // namespace
}  // namespace dragoman
