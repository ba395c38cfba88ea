// Tests the daemon together with the client, as an operator runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/e2e/processes.h"

namespace dragoman {
namespace {

using testing::Daemon;
using ::testing::HasSubstr;

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

  // The metrics have the names that server/README.md, "Metrics", documents.
  const Daemon::Samples samples = daemon.Metrics();
  EXPECT_GT(testing::Sum(samples, "dragoman_rpcs_total"), 0);
  EXPECT_GT(testing::Sum(samples, "dragoman_target_tokens_total"), 1000);
  EXPECT_EQ(
      testing::Sum(samples, "dragoman_encoder_tokens_total{kind=\"padding\",model=\"de-en\"}"), 0);
  daemon.Stop();
}

}  // namespace
}  // namespace dragoman
