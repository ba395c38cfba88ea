// Promise 1 of the design: the translation of a sentence, and the bits of its scores, never depend
// on its neighbours, the order of arrival, workers, threads or the size of the batch.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "engine/api/create_engine.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"

namespace dragoman {
namespace {

constexpr size_t kSentences = 500;

class Invariance : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    jobs_ = new std::vector<TranslationJob>(testing::SentenceJobs(kSentences, {1, 4, 12, 4}));
    alone_ = new std::vector<ItemResult>(testing::TranslateAlone(*Start(64, 1, 1), *jobs_));
  }
  static void TearDownTestSuite() {
    delete alone_;
    delete jobs_;
  }

  static std::unique_ptr<Engine> Start(int max_rows, int workers, int threads) {
    static testing::FakeClock clock;
    static testing::CountingObserver observer;
    EngineConfig config;
    config.max_rows = max_rows;
    config.workers = workers;
    config.threads_per_worker = threads;
    auto engine =
        CreateEngine(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en", config, &clock, &observer);
    EXPECT_TRUE(engine.ok()) << engine.status();
    return std::move(*engine);
  }

  // All at once, in this order.
  static void ExpectAsAlone(int max_rows, int workers, int threads,
                            const std::vector<size_t>& order) {
    const auto found =
        testing::TranslateTogether(*Start(max_rows, workers, threads), *jobs_, order);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(testing::SameToTheBit(found[i], (*alone_)[i]))
          << "differs from alone: sentence " << i << ": " << (*jobs_)[i].contents[0];
    }
  }

  static std::vector<size_t> InOrder() { return testing::InOrder(jobs_->size()); }
  static std::vector<size_t> Shuffled(unsigned seed) {
    return testing::Shuffled(jobs_->size(), seed);
  }

  static std::vector<TranslationJob>* jobs_;
  static std::vector<ItemResult>* alone_;
};

std::vector<TranslationJob>* Invariance::jobs_ = nullptr;
std::vector<ItemResult>* Invariance::alone_ = nullptr;

TEST_F(Invariance, FiveHundredSentencesAreThere) {
  ASSERT_EQ(jobs_->size(), kSentences);
  // Items without a letter or digit pass through and have no n-best.
  size_t translated = 0;
  for (size_t i = 0; i < kSentences; ++i) {
    const auto beam = static_cast<size_t>(*(*jobs_)[i].decoding.beam_size);
    if ((*alone_)[i].hypotheses.size() == beam) ++translated;
  }
  EXPECT_GE(translated, kSentences - 10);
}

TEST_F(Invariance, InOneBatch) { ExpectAsAlone(1024, 1, 1, InOrder()); }

TEST_F(Invariance, ShuffledInTheDefaultBatch) { ExpectAsAlone(256, 1, 1, Shuffled(1)); }

TEST_F(Invariance, ShuffledInASmallBatch) { ExpectAsAlone(29, 1, 1, Shuffled(2)); }

TEST_F(Invariance, UnderTwoWorkers) { ExpectAsAlone(64, 2, 1, Shuffled(3)); }

TEST_F(Invariance, UnderTwoThreads) { ExpectAsAlone(128, 1, 2, Shuffled(4)); }

TEST_F(Invariance, UnderTwoWorkersOfTwoThreads) { ExpectAsAlone(48, 2, 2, Shuffled(5)); }

}  // namespace
}  // namespace dragoman
