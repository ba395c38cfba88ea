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
#include "tests/server/fake_engine.h"

namespace dragoman {
namespace {

// Signals are sent to this thread alone, which has them blocked until WaitForEnd takes them: of
// several that wait, Linux gives the lowest number first, SIGHUP before SIGINT and SIGTERM.
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
  FakeEngine engine_;
};

TEST_F(SignalsTest, HangUpReloadsGlossariesAndGoesOn) {
  Send(SIGHUP);
  Send(SIGTERM);
  EXPECT_EQ(WaitForEnd(&engine_), SIGTERM);
  EXPECT_EQ(engine_.reloads(), 1);
  ASSERT_EQ(log_.size(), 1U);  // of the end nothing yet: the timer of the hard exit comes first
  EXPECT_EQ(log_[0]["msg"], "glossaries reloaded");
}

TEST_F(SignalsTest, AFailedReloadIsLoggedAndGoesOn) {
  engine_.SetReload(absl::InvalidArgumentError("names.tsv:3: found one cell"));
  Send(SIGHUP);
  Send(SIGINT);
  EXPECT_EQ(WaitForEnd(&engine_), SIGINT);
  EXPECT_EQ(engine_.reloads(), 1);
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_EQ(log_[0]["level"], "error");
  EXPECT_EQ(log_[0]["error"], "names.tsv:3: found one cell");
}

TEST_F(SignalsTest, AnEngineWithoutWorkersIsTheEnd) {
  engine_.SetLiveWorkers(0);
  Send(SIGHUP);  // so that nothing is waited for
  EXPECT_EQ(WaitForEnd(&engine_), 0);
}

// Without an engine, whose thread would not have the signals blocked.
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
}  // namespace dragoman
