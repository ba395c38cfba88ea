// A server's parts around a scripted engine, for tests of API adapters.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "server/api/adapter_handler.h"
#include "server/base/steady_clock.h"
#include "tests/server/api/fake_exchange.h"
#include "tests/server/fake_engine.h"
#include "tests/server/manual_clock.h"
#include "tests/server/served_models.h"

namespace dragoman::server {

class AdapterFixture : public ::testing::Test {
 protected:
  AdapterFixture() {
    context_.clock = &clock_;
    context_.timer = &timer_;
    context_.metrics = &metrics_;
    context_.tracker = &tracker_;
    context_.longest_call = 120 * kNanosPerSecond;
    context_.write_timeout = 30 * kNanosPerSecond;
    context_.models = &models_;
  }

  // Call after the engine is configured.
  void Serve() { EXPECT_TRUE(models_.Put(Borrowed(&engine_)).ok()); }

  void Advance(engine::Nanos by) {
    clock_.Advance(by);
    timer_.RunDue();
  }

  static HttpRequest Post(std::string path, std::string body,
                          std::string type = "application/json") {
    HttpRequest request;
    request.method = "POST";
    request.path = std::move(path);
    request.body = std::move(body);
    request.headers = {{"content-type", std::move(type)}};
    request.peer = "ipv4:192.0.2.7:4711";
    return request;
  }

  // `target` may have a query.
  static HttpRequest Get(const std::string& target) {
    HttpRequest request;
    request.method = "GET";
    request.path = target.substr(0, target.find('?'));
    if (target.size() > request.path.size()) request.query = target.substr(request.path.size() + 1);
    request.peer = "ipv4:192.0.2.7:4711";
    return request;
  }

  static std::shared_ptr<FakeExchange> Send(AdapterHandler* handler, HttpRequest request) {
    auto exchange = std::make_shared<FakeExchange>(std::move(request));
    handler->Handle(exchange);
    return exchange;
  }

  void ExpectMetric(const std::string& line) const {
    EXPECT_THAT("\n" + metrics_.Scrape(), ::testing::HasSubstr("\n" + line + "\n"));
  }

  ManualClock clock_;
  DeadlineTimer timer_{&clock_};
  CallTracker tracker_;
  Metrics metrics_{&clock_};
  CallContext context_;
  FakeEngine engine_;  // declared after its callees, so that its thread ends first
  ModelTable models_{&clock_, {}, {}};
};

}  // namespace dragoman::server
