#include "server/transport/intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "server/base/log.h"
#include "server/transport/sockets.h"
#include "tests/server/manual_clock.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

constexpr int64_t kMiB = 1 << 20;

class IntakeTest : public ::testing::Test {
 protected:
  IntakeTest() { SetLogLevel(LogLevel::kOff); }
  ~IntakeTest() override { SetLogLevel(LogLevel::kInfo); }

  std::unique_ptr<Intake> Make(engine::WorkerPool* enders) {
    Intake::Sockets sockets;
    sockets.peer = [](int fd) { return "10.0.0.1:" + std::to_string(fd); };
    sockets.received = [this](int fd) { return received_[fd]; };
    sockets.unread = [this](int fd) { return unread_[fd]; };
    sockets.end = [this](int fd) { ended_.push_back(fd); };
    ResetWatch::Counts counts;
    counts.all = [this] { return all_; };
    counts.update = [] {};
    counts.of = [this](const std::string& peer) { return std::optional(streams_[peer]); };
    counts.forget = [this](const std::string& peer) { streams_.erase(peer); };
    return std::make_unique<Intake>(IntakeLimits{2 * kMiB, 8 * kMiB, {100, 10'000}},
                                    std::move(sockets), std::move(counts), &clock_, &timer_,
                                    enders);
  }

  uint64_t Enter(int fd) {
    return intake_->Enter("ipv4:10.0.0.1:" + std::to_string(fd),
                          [this, fd](const absl::Status& s) { refused_[fd].push_back(s.code()); });
  }

  // Simulates streams that gRPC has accepted and, of these, streams that failed.
  void Accept(int fd, int64_t count, int64_t failed) {
    StreamCount& streams = streams_["10.0.0.1:" + std::to_string(fd)];
    for (StreamCount* one : {&all_, &streams}) {
      one->started += count;
      one->failed += failed;
    }
  }

  std::map<int, int64_t> received_;
  std::map<int, int64_t> unread_;
  StreamCount all_;
  std::map<std::string, StreamCount> streams_;
  std::vector<int> ended_;
  std::map<int, std::vector<absl::StatusCode>> refused_;
  ManualClock clock_;
  engine::WorkerPool enders_{"test", 0};
  std::unique_ptr<Intake> intake_ = Make(&enders_);  // outlives the timer
  DeadlineTimer timer_{&clock_};
};

TEST_F(IntakeTest, WholeRequestsCostNothing) {
  intake_->Open(5);
  for (int i = 0; i < 100; ++i) {
    const uint64_t call = Enter(5);
    received_[5] += kMiB;
    intake_->Look();
    received_[5] += kMiB - 1000;
    intake_->LeaveComplete(call, 2 * kMiB);
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

// Ending a call of a flood takes gRPC a millisecond. Meanwhile, looks must go on, because clients
// go on resetting streams.
TEST_F(IntakeTest, LooksDoNotWaitForCallsToEnd) {
  absl::Notification looked;
  absl::Notification ended;
  engine::WorkerPool ender("test", 1);
  intake_ = Make(&ender);
  intake_->Open(5);
  intake_->Enter("ipv4:10.0.0.1:5", [&](const absl::Status&) {
    looked.WaitForNotification();
    ended.Notify();
  });
  received_[5] = 3 * kMiB;
  intake_->Look();
  EXPECT_EQ(intake_->waiting(), 0);
  intake_->Look();
  looked.Notify();
  ended.WaitForNotification();
}

// A header field in frames of one byte each (CVE-2023-33953), which gRPC copies with every frame.
// The connection also has calls that might send as many bytes.
TEST_F(IntakeTest, AConnectionThatIsReadSlowlyBesideItsCallsIsEnded) {
  const auto pass = [this](int looks, int64_t read_each_of_5) {
    for (int i = 0; i < looks && ended_.empty(); ++i) {
      unread_[5] = std::max<int64_t>(0, unread_[5] - read_each_of_5);
      clock_.Advance(Intake::kPeriod);
      intake_->Look();
    }
  };
  intake_->Open(5);
  intake_->Look();
  Enter(5);
  Enter(5);
  intake_->Look();
  received_[5] = unread_[5] = 500 * 1024;
  pass(50, 100);
  EXPECT_THAT(ended_, IsEmpty());
  received_[5] += kMiB;
  unread_[5] += kMiB;
  pass(9, 4096);
  EXPECT_THAT(ended_, IsEmpty());
  pass(6, 4096);
  EXPECT_THAT(ended_, ElementsAre(5));
  EXPECT_THAT(refused_, IsEmpty());
}

TEST_F(IntakeTest, ThoseWhoWaitOrAreReadQuicklyOrGetOnAreNotEnded) {
  for (const int fd : {5, 6, 7, 8}) {
    intake_->Open(fd);
    Enter(fd);
  }
  intake_->Look();
  for (const int fd : {5, 6, 7, 8}) received_[fd] = unread_[fd] = kMiB * 3 / 2;
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(Intake::kPeriod);
    // Connection 5 is not read at all. Connection 6 is read, and never has unread bytes for long.
    // Larger amounts of connection 7 are read.
    if (i == 4) unread_[6] = 0;
    unread_[7] = std::max<int64_t>(0, unread_[7] - 64 * 1024);
    // Connection 8 has calls whose requests become complete.
    unread_[8] -= 1000;
    intake_->LeaveComplete(Enter(8), 1000);
    intake_->Look();
  }
  EXPECT_THAT(ended_, IsEmpty());
  EXPECT_THAT(refused_, IsEmpty());
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
    intake_->LeaveAborted(call);
  }
  intake_->Look();
  EXPECT_THAT(ended_, IsEmpty());
  Enter(5);
  intake_->Look();
  EXPECT_THAT(refused_, IsEmpty());
}

TEST_F(IntakeTest, AConnectionThatResetsItsStreamsIsEnded) {
  int floods = 0;
  intake_->OnFlood([&floods] { ++floods; });
  intake_->Open(5);
  intake_->Open(6);
  Accept(5, 90, 90);
  Accept(6, 1000, 1000);
  // Requests that were aborted count like requests that never came.
  for (int i = 0; i < 50; ++i) intake_->LeaveAborted(Enter(6));
  intake_->Look();
  EXPECT_THAT(ended_, ElementsAre(6));
  EXPECT_EQ(floods, 1);
}

TEST_F(IntakeTest, InAFloodOfManyThoseWithMuchToReadAreEndedToo) {
  int floods = 0;
  intake_->OnFlood([&floods] { ++floods; });
  constexpr int kFlooding = 120, kMuch = 121, kLittle = 122, kWaits = 123;
  for (int fd = 1; fd <= kWaits; ++fd) intake_->Open(fd);
  Enter(kWaits);
  for (const int fd : {kMuch, kWaits}) received_[fd] = unread_[fd] = 4097;
  received_[kLittle] = unread_[kLittle] = 4096;
  for (int fd = 1; fd <= kFlooding; ++fd) Accept(fd, 99, 0);
  intake_->Look();  // many clients at once, but no resets
  EXPECT_THAT(ended_, IsEmpty());
  std::vector<int> expected = {kMuch};
  for (int fd = 1; fd <= kFlooding; ++fd) {
    Accept(fd, 0, 5);
    expected.push_back(fd);
  }
  intake_->Look();
  EXPECT_EQ(floods, 1);
  EXPECT_THAT(ended_, UnorderedElementsAreArray(expected));
}

TEST_F(IntakeTest, RequestsAreNoResets) {
  intake_->Open(5);
  for (int round = 0; round < 100; ++round) {
    Accept(5, 90, 45);
    for (int i = 0; i < 90; ++i) {
      const uint64_t call = Enter(5);
      intake_->LeaveComplete(call, 0);
      // Half of the calls are cancelled later; the others stay.
      if (i % 2 == 0) intake_->Done(call, /*cancelled=*/true);
    }
    intake_->Look();
  }
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(IntakeTest, BytesThatBelongToNoCallEndTheirConnection) {
  intake_->Open(5);
  intake_->Open(6);
  intake_->Open(7);
  received_[7] = unread_[7] = kMiB;  // a request of a call that gRPC has not reported yet
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < 50; ++i) {  // a second has 50 periods of kPeriod
      received_[5] += 500;          // 25 KB a second
      received_[6] += 2'000;
      intake_->Look();
    }
  }
  ASSERT_FALSE(ended_.empty());
  for (const int fd : ended_) EXPECT_EQ(fd, 6);
}

TEST_F(IntakeTest, BytesOfACallThatWasCutAreNotHeldAgainstItsConnection) {
  intake_->Open(5);
  std::vector<uint64_t> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(Enter(5));
  received_[5] = 2 * kMiB - 4'000;  // all bytes are of the first call
  intake_->Look();
  intake_->LeaveAborted(calls[0]);
  for (int i = 1; i < 4; ++i) {
    received_[5] += 1'000;
    intake_->LeaveComplete(calls[i], 1'000);
  }
  for (int i = 0; i < 10; ++i) intake_->Look();
  EXPECT_THAT(ended_, IsEmpty());
  EXPECT_THAT(refused_, IsEmpty());
}

TEST_F(IntakeTest, TheRestOfARequestThatIsTooLargeHarmsNoLaterCall) {
  intake_->Open(5);
  Enter(5);
  received_[5] = 3 * kMiB;
  intake_->Look();
  ASSERT_THAT(refused_[5], ElementsAre(absl::StatusCode::kInvalidArgument));
  received_[5] += 4 * kMiB;  // sent before the client saw the refusal
  for (int i = 0; i < 10; ++i) intake_->Look();
  EXPECT_THAT(ended_, IsEmpty());
  Enter(5);
  received_[5] += 2 * kMiB;
  intake_->Look();
  EXPECT_THAT(refused_[5], ElementsAre(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(IntakeTest, AFewRequestsThatWereCutDoNotPayForForeignBytesWithoutEnd) {
  intake_->Open(5);
  for (int i = 0; i < 1000; ++i) intake_->LeaveAborted(Enter(5));
  for (int i = 0; i < 200 && ended_.empty(); ++i) {
    received_[5] += 100'000;
    intake_->Look();
  }
  EXPECT_THAT(ended_, ElementsAre(5));
}

TEST_F(IntakeTest, FramesOfLargeRequestsAreNotHeldAgainstTheirConnection) {
  intake_->Open(5);
  uint64_t last = Enter(5);
  for (int i = 0; i < 1'000; ++i) {  // one call is always waiting
    const uint64_t next = Enter(5);
    received_[5] += 2 * kMiB + 5'000;
    intake_->LeaveComplete(last, 2 * kMiB);
    last = next;
    intake_->Look();
  }
  received_[5] += 1'000;
  intake_->LeaveComplete(last, 1'000);
  for (int i = 0; i < 10; ++i) intake_->Look();
  EXPECT_THAT(ended_, IsEmpty());
  EXPECT_THAT(refused_, IsEmpty());
}

TEST_F(IntakeTest, UnknownConnectionsAreLeftAlone) {
  const uint64_t local = intake_->Enter("unix:", [](const absl::Status&) {});
  EXPECT_NE(local, 0U);
  intake_->LeaveComplete(local, 5);
  intake_->LeaveAborted(local);
  intake_->Done(local, false);
  intake_->Open(5);
  const uint64_t call = Enter(5);
  intake_->Close(5);
  EXPECT_EQ(intake_->waiting(), 0);
  intake_->LeaveComplete(call, 5);
  intake_->LeaveAborted(call);
  intake_->Done(call, false);
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
}  // namespace dragoman::server
