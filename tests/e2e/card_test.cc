// Starts a real daemon on a machine whose GPU is a fake (fake_card.cc). The build has no kernel
// code for the GPU in some of the cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/e2e/processes.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using testing::Daemon;
using testing::DaemonEnd;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kHasCode[] = "0";
constexpr char kNoKernelImage[] = "209";
constexpr char kUnsupportedPtx[] = "222";

constexpr char kWhy[] =
    "Imagined B300, compute capability 10.3: this build has no code for it, only for 75, 80";

void SetCard(const char* code) { ASSERT_EQ(setenv("DRAGOMAN_TEST_CARD", code, 1), 0); }

DaemonEnd RunToEnd(const std::string& device) {
  const DaemonEnd end = testing::RunDaemonToEnd({"--device", device}, DRAGOMAN_DAEMON_WITH_CARD);
  EXPECT_THAT(end.output, IsEmpty());
  return end;
}

TEST(Card, WithoutCodeForItAutoServesOnTheCpuAndSaysWhy) {
  SetCard(kNoKernelImage);
  Daemon daemon({"--device=auto"}, DRAGOMAN_DAEMON_WITH_CARD);
  EXPECT_THAT(testing::TranslateGerman(daemon), Not(IsEmpty()));
  EXPECT_THAT(testing::RunClient({"models", "--server", daemon.grpc()}),
              AllOf(HasSubstr("cpu"), HasSubstr("note: this machine has an NVIDIA card that is not "
                                                "used: cuda:0: " +
                                                std::string(kWhy))));
  EXPECT_THAT(daemon.process().Errors(),
              AllOf(HasSubstr("\"msg\":\"device\",\"model\":\"de-en\",\"device\":\"cpu\""),
                    HasSubstr("\"not_used\":\"cuda:0: " + std::string(kWhy) + "\"")));
  daemon.Stop();
}

TEST(Card, WithoutCodeForItANamedDeviceIsRefusedInOneLine) {
  SetCard(kNoKernelImage);
  const auto [status, output, errors] = RunToEnd("cuda:0");
  EXPECT_EQ(status, 1);
  EXPECT_THAT(errors, AllOf(HasSubstr("\"level\":\"error\""),
                            HasSubstr("device cuda:0 cannot be used: " + std::string(kWhy))));
  const size_t error = errors.find("\"level\":\"error\"");
  EXPECT_EQ(std::count(errors.begin() + static_cast<ptrdiff_t>(error), errors.end(), '\n'), 1);
}

// A process sees only one MIG instance of a GPU, so cuda:1 needs another daemon. The error says so.
TEST(Card, OfWhichAPartIsSeenHasNoSecondOne) {
  SetCard(kHasCode);
  ASSERT_EQ(setenv("DRAGOMAN_TEST_CARD_NAME", "Imagined H100 MIG 1g.10gb", 1), 0);
  const DaemonEnd end = RunToEnd("cuda:1");
  EXPECT_THAT(
      end.errors,
      AllOf(HasSubstr("device cuda:1 cannot be used: this machine has 1 CUDA device to show"),
            HasSubstr("MIG"), HasSubstr("CUDA_VISIBLE_DEVICES")));
  EXPECT_EQ(end.status, 1);
  ASSERT_EQ(unsetenv("DRAGOMAN_TEST_CARD_NAME"), 0);
}

// If the driver is too old for the PTX, the error is the runtime's. It does not blame the
// architectures that the build has code for.
TEST(Card, WhoseDriverCannotTakeTheCodeIsNotUsedInTheRuntimesWords) {
  SetCard(kUnsupportedPtx);
  const DaemonEnd end = RunToEnd("cuda:0");
  EXPECT_THAT(
      end.errors,
      AllOf(HasSubstr("device cuda:0 cannot be used: Imagined B300, compute capability 10.3: "),
            HasSubstr("PTX"), Not(HasSubstr("no code for it"))));
  EXPECT_EQ(end.status, 1);
}

// If the build has code for the GPU, the daemon uses it. The daemon then fails at a CUDA call that
// the fake does not replace.
TEST(Card, WithCodeForItIsTaken) {
  SetCard(kHasCode);
  const DaemonEnd end = RunToEnd("auto");
  EXPECT_THAT(end.errors, AllOf(HasSubstr("\"device\":\"cuda:0\""), HasSubstr("cuda:0: "),
                                Not(HasSubstr("no code"))));
  EXPECT_EQ(end.status, 1);
}

}  // namespace
}  // namespace dragoman
