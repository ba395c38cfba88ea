#include "server/process/signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/base/log.h"

namespace dragoman::server {
namespace {

// Signals are sent to this thread alone. They stay blocked until WaitForEnd takes them. If several
// are pending, Linux delivers the lowest number first: SIGHUP before SIGINT and SIGTERM.
class SignalsTest : public ::testing::Test {
 protected:
  SignalsTest() {
    pthread_sigmask(SIG_SETMASK, nullptr, &before_);
    PrepareSignals();
    SetLogSink([this](std::string_view line) { log_.push_back(nlohmann::json::parse(line)); });
  }
  ~SignalsTest() override {
    SetLogSink(nullptr);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  static void Send(int signal) { pthread_kill(pthread_self(), signal); }

  sigset_t before_{};
  std::vector<nlohmann::json> log_;
};

TEST_F(SignalsTest, HangUpReloadsAndGoesOn) {
  Send(SIGHUP);
  Send(SIGTERM);
  int reloads = 0;
  const auto never = [] { return false; };
  EXPECT_EQ(WaitForEnd({[&] { ++reloads; }, never}), SIGTERM);
  EXPECT_EQ(reloads, 1);
  // The end is not logged yet, because the hard-exit timer must be armed first.
  EXPECT_TRUE(log_.empty());
}

TEST_F(SignalsTest, WhatIsDeadIsTheEnd) {
  Send(SIGHUP);  // so that WaitForEnd does not block
  EXPECT_EQ(WaitForEnd({[] {}, [] { return true; }}), 0);
}

class EarlyEndTest : public ::testing::Test {
 protected:
  EarlyEndTest() {
    pthread_sigmask(SIG_SETMASK, nullptr, &before_);
    PrepareSignals();
  }
  ~EarlyEndTest() override { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  sigset_t before_{};
};

TEST_F(EarlyEndTest, SigtermEndsWhatCannotBeDrainedYet) {
  std::promise<int> ended;
  const EarlyEnd watch([&ended](int signal) { ended.set_value(signal); });
  kill(getpid(), SIGTERM);
  EXPECT_EQ(ended.get_future().get(), SIGTERM);
}

TEST_F(EarlyEndTest, EndsItselfWithoutASignal) {
  const EarlyEnd watch([](int signal) { ADD_FAILURE() << signal; });
}

}  // namespace
}  // namespace dragoman::server
