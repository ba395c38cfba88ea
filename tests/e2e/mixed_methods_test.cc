// Runs requests of every decoding method in one batch. Each gives, bit for bit, its result alone.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "engine/api/create_engine.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"
#include "tests/support/expect_ok.h"

namespace dragoman {
namespace {

constexpr size_t kRequests = 500;

class MixedMethods : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    jobs_ = new std::vector<engine::TranslationJob>;
    kinds_ = new std::map<int, int>;
    testing::MixedRequests requests(20);
    for (size_t i = 0; i < kRequests; ++i) {
      int kind = 0;
      jobs_->push_back(requests.Next(&kind));
      ++(*kinds_)[kind];
    }
    alone_ = new std::vector<engine::ItemResult>(testing::TranslateAlone(*Start({}), *jobs_));
  }
  static void TearDownTestSuite() {
    delete jobs_;
    delete kinds_;
    delete alone_;
  }

  static std::unique_ptr<engine::Engine> Start(const engine::EngineConfig& config) {
    static testing::FakeClock clock;
    static testing::CountingObserver observer;
    auto engine = ExpectOk(engine::CreateEngine(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en", config,
                                                &clock, &observer));
    return std::move(*engine);
  }

  static void ExpectAsAlone(const engine::EngineConfig& config, unsigned seed) {
    testing::ExpectSameToTheBit(
        *jobs_,
        testing::TranslateTogether(*Start(config), *jobs_, testing::Shuffled(jobs_->size(), seed)),
        *alone_);
  }

  static std::vector<engine::TranslationJob>* jobs_;
  static std::map<int, int>* kinds_;
  static std::vector<engine::ItemResult>* alone_;
};

std::vector<engine::TranslationJob>* MixedMethods::jobs_ = nullptr;
std::map<int, int>* MixedMethods::kinds_ = nullptr;
std::vector<engine::ItemResult>* MixedMethods::alone_ = nullptr;

TEST_F(MixedMethods, EveryKindIsThereAndTranslates) {
  EXPECT_EQ(kinds_->size(), size_t{testing::MixedRequests::kKinds});
  for (const auto& [kind, count] : *kinds_) EXPECT_GE(count, 10) << kind;
  size_t translated = 0;
  for (const engine::ItemResult& item : *alone_) {
    EXPECT_TRUE(item.status.ok()) << item.status;
    if (!item.hypotheses.empty() && !item.hypotheses[0].tokens.empty()) ++translated;
  }
  EXPECT_GE(translated, kRequests - 5);
}

TEST_F(MixedMethods, InTheDefaultBatch) { ExpectAsAlone({}, 1); }

TEST_F(MixedMethods, InASmallBatch) {
  engine::EngineConfig config;
  config.max_rows = 40;
  ExpectAsAlone(config, 2);
}

TEST_F(MixedMethods, UnderTwoWorkersOfTwoThreads) {
  engine::EngineConfig config;
  config.max_rows = 64;
  config.workers = 2;
  config.threads_per_worker = 2;
  ExpectAsAlone(config, 3);
}

TEST_F(MixedMethods, UnderStreaming) {
  engine::EngineConfig config;
  config.max_rows = 100;
  config.scheduler.refill = engine::RefillRule::kStream;
  config.scheduler.selection = kernels::SlotSelection::kShortest;
  config.scheduler.window.order = engine::WindowOrder::kShortestFirst;
  ExpectAsAlone(config, 4);
}

}  // namespace
}  // namespace dragoman
