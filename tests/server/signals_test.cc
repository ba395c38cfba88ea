#include "server/signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/log.h"
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
  EXPECT_TRUE(WaitForEnd(&engine_));
  EXPECT_EQ(engine_.reloads(), 1);
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_EQ(log_[0]["msg"], "glossaries reloaded");
  EXPECT_EQ(log_[1]["msg"], "signal");
}

TEST_F(SignalsTest, AFailedReloadIsLoggedAndGoesOn) {
  engine_.SetReload(absl::InvalidArgumentError("names.tsv:3: found one cell"));
  Send(SIGHUP);
  Send(SIGINT);
  EXPECT_TRUE(WaitForEnd(&engine_));
  EXPECT_EQ(engine_.reloads(), 1);
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_EQ(log_[0]["level"], "error");
  EXPECT_EQ(log_[0]["error"], "names.tsv:3: found one cell");
}

TEST_F(SignalsTest, AnEngineWithoutWorkersIsTheEnd) {
  engine_.SetLiveWorkers(0);
  Send(SIGHUP);  // so that nothing is waited for
  EXPECT_FALSE(WaitForEnd(&engine_));
}

}  // namespace
}  // namespace dragoman
