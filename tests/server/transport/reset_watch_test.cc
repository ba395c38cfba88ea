#include "server/transport/reset_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "server/base/steady_clock.h"

namespace dragoman::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr engine::Nanos kTick = 20 * kNanosPerMilli;

class ResetWatchTest : public ::testing::Test {
 protected:
  ResetWatchTest()
      : watch_({.each = 1000, .all = 5000},
               {.all = [this] { return all_; },
                .update = [this] { ++updates_; },
                .of =
                    [this](const std::string& peer) {
                      const auto at = of_.find(peer);
                      return at == of_.end() ? std::optional<StreamCount>() : at->second;
                    },
                .forget = [this](const std::string& peer) { of_.erase(peer); }}) {}

  void Open(int fd) {
    of_[Peer(fd)] = {};
    watch_.Open(fd, Peer(fd), now_);
  }
  void Start(int fd, int64_t count) {
    all_.started += count;
    of_[Peer(fd)].started += count;
  }
  void Answer(int fd, int64_t count) {
    all_.succeeded += count;
    of_[Peer(fd)].succeeded += count;
  }
  // Simulates streams that the client resets. gRPC reports them at once.
  void Fail(int fd, int64_t count) {
    all_.failed += count;
    of_[Peer(fd)].failed += count;
  }
  ResetWatch::Floods Look() {
    now_ += kTick;
    return watch_.Look(now_);
  }
  uint64_t Begin(int fd) {
    watch_.Begin(++last_, fd);
    return last_;
  }

  static std::string Peer(int fd) { return "10.0.0.1:" + std::to_string(fd); }

  StreamCount all_;
  std::map<std::string, StreamCount> of_;
  int updates_ = 0;
  engine::Nanos now_ = 0;
  uint64_t last_ = 0;
  ResetWatch watch_;
};

TEST_F(ResetWatchTest, StreamsThatWereNeverHandedOverCount) {
  Open(5);
  Open(6);
  Start(5, 900);
  Fail(5, 900);
  EXPECT_THAT(Look().connections, IsEmpty());
  Start(5, 300);
  Fail(5, 300);
  const auto floods = Look();
  EXPECT_THAT(floods.connections, ElementsAre(5));
  EXPECT_FALSE(floods.many);
}

TEST_F(ResetWatchTest, ARateIsForgiven) {
  Open(5);
  for (int i = 0; i < 10'000; ++i) {
    Start(5, 1);  // 50 a second
    Fail(5, 1);
    ASSERT_THAT(Look().connections, IsEmpty()) << i;
  }
  // Allowance does not accumulate while nothing is wasted.
  Start(5, 1100);
  Fail(5, 1100);
  EXPECT_THAT(Look().connections, ElementsAre(5));
}

TEST_F(ResetWatchTest, WhatBroughtARequestOrWasAnsweredIsNotWasted) {
  Open(5);
  for (int i = 0; i < 5'000; ++i) {
    Start(5, 2);
    Answer(5, 1);  // for example a health check
    const uint64_t call = Begin(5);
    watch_.Completed(call);
    switch (i % 3) {
      case 0:  // cancelled
        Fail(5, 1);
        watch_.Done(call, true);
        break;
      case 1:  // answered
        Answer(5, 1);
        watch_.Done(call, false);
        break;
      default:  // waits
        break;
    }
    if (i % 100 != 0) continue;
    ASSERT_THAT(Look().connections, IsEmpty()) << i;
  }
  EXPECT_EQ(updates_, 0);
}

TEST_F(ResetWatchTest, CallsThatWereCutOrWaitForTheirRequestsCount) {
  Open(5);
  Start(5, 600);
  for (int i = 0; i < 300; ++i) Begin(5);
  for (int i = 0; i < 300; ++i) watch_.Aborted(Begin(5));
  EXPECT_THAT(Look().connections, IsEmpty());
  Start(5, 500);
  EXPECT_THAT(Look().connections, ElementsAre(5));
}

TEST_F(ResetWatchTest, ManyConnectionsThatResetAFewEachAreAFlood) {
  const auto reset = [this](int fd) {
    Start(fd, 100);
    Fail(fd, 100);
    for (int call = 0; call < 100; ++call) watch_.Aborted(Begin(fd));
  };
  for (int fd = 1; fd <= 60; ++fd) Open(fd);
  for (int fd = 1; fd <= 49; ++fd) reset(fd);
  Start(50, 10);
  const auto few = Look();
  EXPECT_THAT(few.connections, IsEmpty());
  EXPECT_FALSE(few.many);
  for (int fd = 51; fd <= 60; ++fd) reset(fd);
  const auto floods = Look();
  EXPECT_EQ(floods.connections.size(), 59);
  EXPECT_THAT(floods.connections, Not(Contains(50)));
  // The calls count until gRPC is done with them.
  EXPECT_TRUE(Look().many);
  for (uint64_t call = 1; call <= 1000; ++call) watch_.Done(call, true);
  EXPECT_FALSE(Look().many);
}

TEST_F(ResetWatchTest, ManyClientsAtOnceAreNoFlood) {
  for (int fd = 1; fd <= 20; ++fd) {
    Open(fd);
    Start(fd, 900);
    if (fd % 2 == 0) continue;
    for (int i = 0; i < 900; ++i) Begin(fd);
  }
  const auto floods = Look();
  EXPECT_THAT(floods.connections, IsEmpty());
  EXPECT_FALSE(floods.many);
}

TEST_F(ResetWatchTest, AnAddressThatComesAgainIsAnotherConnection) {
  Open(5);
  Start(5, 900);
  const uint64_t old = Begin(5);
  watch_.Completed(old);
  watch_.Close(5);
  Open(5);
  watch_.Done(old, true);
  Start(5, 900);
  Fail(5, 900);
  EXPECT_THAT(Look().connections, IsEmpty());
  Start(5, 300);
  Fail(5, 300);
  EXPECT_THAT(Look().connections, ElementsAre(5));
}

}  // namespace
}  // namespace dragoman::server
