#include "server/intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "server/log.h"
#include "tests/server/manual_clock.h"

namespace dragoman {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kMiB = 1 << 20;

class IntakeTest : public ::testing::Test {
 protected:
  IntakeTest() {
    SetLogLevel(LogLevel::kOff);
    Intake::Sockets sockets;
    sockets.peer = [](int fd) { return "10.0.0.1:" + std::to_string(fd); };
    sockets.received = [this](int fd) { return received_[fd]; };
    sockets.end = [this](int fd) { ended_.push_back(fd); };
    intake_ = std::make_unique<Intake>(IntakeLimits{2 * kMiB, 8 * kMiB}, std::move(sockets),
                                       &clock_, &timer_);
  }

  ~IntakeTest() override { SetLogLevel(LogLevel::kInfo); }

  uint64_t Enter(int fd) {
    return intake_->Enter("ipv4:10.0.0.1:" + std::to_string(fd),
                          [this, fd](const absl::Status& s) { refused_[fd].push_back(s.code()); });
  }

  std::map<int, int64_t> received_;
  std::vector<int> ended_;
  std::map<int, std::vector<absl::StatusCode>> refused_;
  ManualClock clock_;
  std::unique_ptr<Intake> intake_;  // outlives the timer
  DeadlineTimer timer_{&clock_};
};

TEST_F(IntakeTest, WholeRequestsCostNothing) {
  intake_->Open(5);
  for (int i = 0; i < 100; ++i) {
    const uint64_t call = Enter(5);
    received_[5] += kMiB;
    intake_->Look();
    received_[5] += kMiB - 1000;
    intake_->LeaveWhole(call, 2 * kMiB);
    intake_->Look();
  }
  EXPECT_THAT(refused_, IsEmpty());
  EXPECT_THAT(ended_, IsEmpty());
  EXPECT_EQ(intake_->waiting(), 0);
}

TEST_F(IntakeTest, ACallThatSendsTooMuchIsEnded) {
  intake_->Open(5);
  Enter(5);
  received_[5] = 2 * kMiB;
  intake_->Look();
  EXPECT_THAT(refused_, IsEmpty());
  received_[5] = 3 * kMiB;
  intake_->Look();
  EXPECT_THAT(refused_[5], ElementsAre(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(intake_->waiting(), 0);
}

TEST_F(IntakeTest, TheGreediestIsEndedFirst) {
  for (const int fd : {5, 6, 7}) intake_->Open(fd);
  for (int i = 0; i < 6; ++i) Enter(5);
  Enter(6);
  Enter(7);
  received_[5] = 7 * kMiB;
  received_[6] = kMiB;
  received_[7] = 100;
  intake_->Look();
  EXPECT_EQ(refused_[5], std::vector<absl::StatusCode>(6, absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(refused_[6], IsEmpty());
  EXPECT_THAT(refused_[7], IsEmpty());
  EXPECT_EQ(intake_->waiting(), 2);
}

TEST_F(IntakeTest, CallsWithoutBytesCostTheirObjects) {
  intake_->Open(5);
  intake_->Open(6);
  Enter(6);
  const int64_t room = 8 * kMiB / Intake::kCallBytes;
  for (int64_t i = 0; i + 1 < room; ++i) Enter(5);
  intake_->Look();
  EXPECT_EQ(intake_->waiting(), room);
  Enter(5);
  intake_->Look();
  EXPECT_EQ(intake_->waiting(), 1);
  EXPECT_THAT(refused_[6], IsEmpty());
}

TEST_F(IntakeTest, ACallThatEndsTakesItsShareAlong) {
  intake_->Open(5);
  for (int i = 0; i < 100; ++i) {
    const uint64_t call = Enter(5);
    received_[5] += kMiB;
    intake_->LeaveCut(call);
  }
  intake_->Look();
  EXPECT_THAT(ended_, IsEmpty());
  Enter(5);
  intake_->Look();
  EXPECT_THAT(refused_, IsEmpty());
}

TEST_F(IntakeTest, AConnectionThatCutsItsCallsAgainAndAgainIsEnded) {
  int floods = 0;
  intake_->OnFlood([&floods] { ++floods; });
  for (const int fd : {5, 6, 7}) intake_->Open(fd);
  const auto cut = [this](int fd, int64_t bytes) {
    const uint64_t call = Enter(fd);
    received_[fd] += bytes;
    intake_->LeaveCut(call);
  };
  for (int i = 0; i < 500; ++i) cut(5, 150);  // few bytes
  for (int i = 0; i < 3000; ++i) {            // 50 a second, at kPeriod
    cut(6, 1000);
    intake_->Look();
  }
  EXPECT_THAT(ended_, IsEmpty());
  for (int i = 0; i < 3000; ++i) cut(7, 50);
  EXPECT_THAT(ended_, ElementsAre(7));
  EXPECT_EQ(floods, 1);
}

TEST_F(IntakeTest, MoreCallsThanAConnectionMayHaveWereReset) {
  int floods = 0;
  intake_->OnFlood([&floods] { ++floods; });
  intake_->Open(5);
  for (int i = 0; i < 1024; ++i) Enter(5);
  EXPECT_THAT(ended_, IsEmpty());
  for (int i = 0; i < 100; ++i) Enter(5);
  EXPECT_THAT(ended_, ElementsAre(5));
  EXPECT_EQ(floods, 1);
}

TEST_F(IntakeTest, BytesThatBelongToNoCallEndTheirConnection) {
  intake_->Open(5);
  intake_->Open(6);
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < 50; ++i) {  // at kPeriod
      received_[5] += 2'000;        // 100 KB a second
      received_[6] += 100'000;
      intake_->Look();
    }
  }
  ASSERT_FALSE(ended_.empty());
  for (const int fd : ended_) EXPECT_EQ(fd, 6);
}

TEST_F(IntakeTest, UnknownConnectionsAreLeftAlone) {
  EXPECT_EQ(intake_->Enter("unix:", [](const absl::Status&) {}), 0U);
  intake_->LeaveWhole(0, 5);
  intake_->LeaveCut(0);
  intake_->Open(5);
  const uint64_t call = Enter(5);
  intake_->Close(5);
  EXPECT_EQ(intake_->waiting(), 0);
  intake_->LeaveWhole(call, 5);
  intake_->LeaveCut(call);
  intake_->Close(5);
}

TEST_F(IntakeTest, LooksWhileThereAreConnections) {
  intake_->Open(5);
  Enter(5);
  received_[5] = 3 * kMiB;
  clock_.Advance(Intake::kPeriod);
  EXPECT_EQ(timer_.RunDue(), 1);
  EXPECT_THAT(refused_[5], ElementsAre(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(timer_.armed(), 1);
  intake_->Close(5);
  clock_.Advance(Intake::kPeriod);
  timer_.RunDue();
  EXPECT_EQ(timer_.armed(), 0);
}

TEST(PeerKey, ReadsWhatGrpcWrites) {
  EXPECT_EQ(PeerKey("ipv4:1.2.3.4:5"), "1.2.3.4:5");
  EXPECT_EQ(PeerKey("ipv6:%5B::1%5D:5"), "[::1]:5");
  EXPECT_EQ(PeerKey("ipv6:%5Bfe80::1%25eth0%5D:5"), "[fe80::1]:5");
  EXPECT_EQ(PeerKey("ipv6:[::1]:5"), "[::1]:5");
  EXPECT_EQ(PeerKey("unix:"), "");
  EXPECT_EQ(PeerKey("unknown"), "");
}

}  // namespace
}  // namespace dragoman
