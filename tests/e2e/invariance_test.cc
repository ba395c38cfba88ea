// Promise 1 of the design: the translation of a sentence, and the bits of its scores, never depend
// on its neighbours, the order of arrival, workers, threads or the size of the batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>

#include "engine/create_engine.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/fakes.h"

namespace dragoman {
namespace {

using testing::CollectingSink;

constexpr size_t kSentences = 500;

// What must be equal: tokens, and scores to the bit.
struct Outcome {
  std::vector<std::vector<std::string>> tokens;  // by rank
  std::vector<float> scores;
  std::vector<std::vector<float>> token_scores;
  bool operator==(const Outcome&) const = default;
};

std::vector<std::string> Sentences() {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line) && lines.size() < kSentences;) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

class Invariance : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sentences_ = new std::vector<std::string>(Sentences());
    alone_ = new std::vector<Outcome>(Alone());
  }
  static void TearDownTestSuite() {
    delete alone_;
    delete sentences_;
  }

  static int BeamOf(size_t sentence) {
    constexpr int kBeams[] = {1, 4, 12, 4};
    return kBeams[sentence % 4];
  }

  static TranslationJob JobOf(size_t sentence) {
    TranslationJob job;
    job.items = {(*sentences_)[sentence]};
    job.split = SplitMode::kNone;
    job.decoding.beam_size = BeamOf(sentence);
    job.decoding.num_alternatives = BeamOf(sentence);
    job.returns.scores = job.returns.tokens = job.returns.token_scores = true;
    return job;
  }

  static Outcome OutcomeOf(const CollectingSink& sink) {
    Outcome outcome;
    EXPECT_TRUE(sink.items().at(0).status.ok()) << sink.items().at(0).status;
    for (const Hypothesis& h : sink.items().at(0).hypotheses) {
      outcome.tokens.push_back(h.tokens);
      outcome.scores.push_back(h.score);
      outcome.token_scores.push_back(h.token_scores);
    }
    return outcome;
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

  // One after the other: nothing else is ever in the batch.
  static std::vector<Outcome> Alone() {
    const auto engine = Start(64, 1, 1);
    std::vector<Outcome> outcomes;
    for (size_t i = 0; i < sentences_->size(); ++i) {
      auto sink = std::make_shared<CollectingSink>();
      EXPECT_TRUE(engine->Submit(JobOf(i), sink).status.ok());
      EXPECT_TRUE(sink->Wait().ok());
      outcomes.push_back(OutcomeOf(*sink));
    }
    return outcomes;
  }

  // All at once, in this order.
  static void ExpectAsAlone(int max_rows, int workers, int threads,
                            const std::vector<size_t>& order) {
    const auto engine = Start(max_rows, workers, threads);
    std::vector<std::shared_ptr<CollectingSink>> sinks(order.size());
    for (const size_t i : order) {
      sinks[i] = std::make_shared<CollectingSink>();
      ASSERT_TRUE(engine->Submit(JobOf(i), sinks[i]).status.ok());
    }
    size_t different = 0;
    for (size_t i = 0; i < sinks.size(); ++i) {
      ASSERT_TRUE(sinks[i]->Wait().ok());
      if (!(OutcomeOf(*sinks[i]) == (*alone_)[i])) {
        ++different;
        ADD_FAILURE() << "differs from alone: sentence " << i << ", beam " << BeamOf(i) << ": "
                      << (*sentences_)[i];
      }
    }
    EXPECT_EQ(different, 0U);
  }

  static std::vector<size_t> InOrder() {
    std::vector<size_t> order(sentences_->size());
    std::iota(order.begin(), order.end(), size_t{0});
    return order;
  }
  static std::vector<size_t> Shuffled(unsigned seed) {
    std::vector<size_t> order = InOrder();
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    return order;
  }

  static std::vector<std::string>* sentences_;
  static std::vector<Outcome>* alone_;
};

std::vector<std::string>* Invariance::sentences_ = nullptr;
std::vector<Outcome>* Invariance::alone_ = nullptr;

TEST_F(Invariance, FiveHundredSentencesAreThere) {
  ASSERT_EQ(sentences_->size(), kSentences);
  // Items without a letter or digit pass through and have no n-best.
  size_t translated = 0;
  for (size_t i = 0; i < kSentences; ++i) {
    if ((*alone_)[i].scores.size() == static_cast<size_t>(BeamOf(i))) ++translated;
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
