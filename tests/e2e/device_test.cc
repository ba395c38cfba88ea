// Tests the --device flag of the daemon on a machine without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/api/devices.h"
#include "tests/e2e/processes.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using testing::Daemon;
using testing::DaemonEnd;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class WithoutGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    why_ = engine::ProbeCuda().why_none;
    if (why_.empty()) GTEST_SKIP() << "skipped: this machine has a GPU";
  }

  // The reason why the engine found no GPU.
  std::string why_;
};

TEST_F(WithoutGpu, ADeviceThatWasAskedForIsAnError) {
  for (const char* device : {"cuda:0", "cuda:1,cuda:0"}) {
    const DaemonEnd end = testing::RunDaemonToEnd({"--device", device});
    EXPECT_EQ(end.status, 1);
    EXPECT_THAT(end.output, IsEmpty());
    EXPECT_THAT(end.errors,
                AllOf(HasSubstr("\"level\":\"error\""), HasSubstr(" cannot be used: " + why_)));
  }
  EXPECT_THAT(testing::RunDaemonToEnd({"--device", "cuda:1,cuda:0"}).errors,
              HasSubstr("device cuda:1 cannot"));
}

TEST_F(WithoutGpu, AutoTranslatesOnTheCpuAndSaysWhy) {
  Daemon daemon({"--device=auto"});
  EXPECT_THAT(testing::TranslateGerman(daemon), Not(IsEmpty()));
  EXPECT_THAT(testing::RunClient({"models", "--server", daemon.grpc()}),
              AllOf(HasSubstr("cpu"), HasSubstr("int8")));
  const std::string log = daemon.process().Errors();
  EXPECT_THAT(
      log,
      ContainsRegex("\"msg\":\"device\",\"model\":\"de-en\",\"device\":\"cpu\","
                    "\"compute_type\":\"int8\",\"compute_type_because\":\"the fastest on a CPU"));
  EXPECT_THAT(log, HasSubstr("\"not_used\":\"" + why_ + "\""));
  daemon.Stop();
}

TEST(Device, TheCpuHasNoFloat16) {
  const DaemonEnd end = testing::RunDaemonToEnd({"--device=cpu", "--compute-type=float16"});
  EXPECT_EQ(end.status, 2);
  EXPECT_THAT(end.errors, AllOf(HasSubstr("--compute-type"), HasSubstr("'float16'"),
                                HasSubstr("float32, bfloat16 or int8 on the CPU")));
}

TEST(Device, TheCpuTranslatesInEveryTypeThatItHas) {
  for (const char* type : {"float32", "bfloat16", "int8"}) {
    Daemon daemon({"--device=cpu", std::string("--compute-type=") + type});
    EXPECT_THAT(testing::TranslateGerman(daemon), Not(IsEmpty())) << type;
    EXPECT_THAT(testing::RunClient({"models", "--server", daemon.grpc()}), HasSubstr(type));
  }
}

TEST(Device, PrintsTheNetworkOfTheModel) {
  const DaemonEnd end = testing::RunDaemonToEnd({"--print-program"});
  EXPECT_EQ(end.status, 0);
  EXPECT_THAT(end.output, HasSubstr("'decoder layer 1: feed-forward up' + bias, swish\n"));
  EXPECT_THAT(end.output, HasSubstr("parameters, up to 512 positions\n"));
  testing::ChildProcess none({DRAGOMAN_DAEMON, "--model=/nonexistent", "--print-program"});
  EXPECT_THAT(none.ReadAll(), IsEmpty());
  EXPECT_EQ(none.Wait(), 1);
  EXPECT_THAT(none.Errors(), HasSubstr("/nonexistent: no such directory"));
}

DaemonEnd RunProfile(const std::vector<std::string>& flags) {
  return testing::RunDaemonToEnd(flags, DRAGOMAN_PROFILE);
}

TEST(Profile, TimesTheStepsOfTheCpu) {
  for (const std::string type : {"float32", "bfloat16", "int8"}) {
    const DaemonEnd end =
        RunProfile({"--device=cpu", "--compute-type", type, "--max-rows=16", "--steps=2"});
    EXPECT_EQ(end.status, 0) << end.errors;
    EXPECT_THAT(end.output, HasSubstr("\n16 rows, 4 slots, 16.5 self positions"));
    EXPECT_THAT(end.output, HasSubstr(type + "\ncopy "));
    for (const char* line : {"self-attention", "output layer", "search and tables", "step",
                             "everything except products: "}) {
      EXPECT_THAT(end.output, HasSubstr("\n" + std::string(line)));
    }
  }
}

TEST(Profile, SaysWhatItCannotDo) {
  const DaemonEnd steps = RunProfile({"--device=cpu", "--steps", "100000"});
  EXPECT_EQ(steps.status, 1);
  EXPECT_THAT(steps.output, IsEmpty());
  EXPECT_THAT(steps.errors, AllOf(HasSubstr("profile: found 100000 steps of 256 rows"),
                                  HasSubstr("expected at most")));
  for (const char* wrong : {"--steps=0", "--steps=many", "--steps", "--version"}) {
    EXPECT_EQ(RunProfile({wrong}).status, 2) << wrong;
  }
  EXPECT_THAT(RunProfile({"--help"}).output, HasSubstr("--steps N"));
}

}  // namespace
}  // namespace dragoman
