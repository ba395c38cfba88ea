// A server over a loopback port around a scripted engine.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/process/security.h"
#include "server/process/serving.h"
#include "tests/server/fake_engine.h"
#include "tests/server/served_models.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {

// Tests change config_ before they start the server. The HTTP port is off.
class ServingFixture : public ::testing::Test {
 protected:
  ServingFixture() {
    SetLogLevel(LogLevel::kOff);
    config_.listen = {.host = "127.0.0.1"};
    config_.http.reset();
    config_.longest_call_seconds = 60;
  }
  ~ServingFixture() override {
    serving_.reset();
    SetLogSink(nullptr);
    SetLogLevel(LogLevel::kInfo);
  }

  // Without an engine, the server is in the state in which it loads its model.
  void StartServing(bool with_engine = true, const LanguageDetector* detector = nullptr) {
    if (with_engine) {
      EXPECT_TRUE(models_.Put(Borrowed(&engine_)).ok());
    }
    metrics_.AttachModels([this] { return models_.Stats(); });
    auto serving = ExpectOk(
        Serving::Start(config_, &models_, &clock_, &metrics_, security_.get(), nullptr, detector));
    serving_ = *std::move(serving);
  }

  void OpenSecurity() {
    auto security = ExpectOk(Security::Open(config_, &metrics_));
    security_ = *std::move(security);
  }

  void ExpectMetric(const std::string& line) const {
    EXPECT_THAT("\n" + metrics_.Scrape(), ::testing::HasSubstr("\n" + line + "\n"));
  }

  ServerConfig config_;
  SteadyClock clock_;
  FakeEngine engine_;
  ModelTable models_{&clock_, {}, {}};
  Metrics metrics_{&clock_};
  std::unique_ptr<Security> security_;
  std::unique_ptr<Serving> serving_;
};

}  // namespace dragoman::server
