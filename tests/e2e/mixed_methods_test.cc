// Requests of every decoding method in one batch: each gives, bit for bit, what it gives alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <random>

#include "engine/create_engine.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/fakes.h"

namespace dragoman {
namespace {

using testing::CollectingSink;

constexpr size_t kRequests = 500;

std::vector<std::string> Sentences() {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.find(' ') != std::string::npos) lines.push_back(line);
  }
  return lines;
}

// Requests of fourteen kinds, whose numbers are drawn at random as well.
class Requests {
 public:
  explicit Requests(unsigned seed) : random_(seed), sentences_(Sentences()) {}

  TranslationJob Next(int* kind) {
    *kind = Below(14);
    TranslationJob job;
    job.items = {sentences_[static_cast<size_t>(Below(static_cast<int>(sentences_.size())))]};
    job.split = SplitMode::kNone;
    job.returns.scores = job.returns.tokens = job.returns.token_scores = true;
    DecodingOptions& o = job.decoding;
    o.beam_size = 1 + Below(8);
    switch (*kind) {
      case 0:  // greedy, no scores: the normaliser is not computed
        o.beam_size = 1;
        job.returns.scores = job.returns.token_scores = false;
        break;
      case 1:
        o.num_alternatives = o.beam_size;
        break;
      case 2:
        o.profile = Profile::kPaper;
        o.beam_size = 12;
        o.pruning.absolute_delta = 1.5F;
        o.pruning.max_candidates = 5;
        o.num_alternatives = 12;
        break;
      case 3:
        o.profile = Profile::kArticle;
        o.length_penalty = 0.6F;
        o.temperature = 1.25F;
        o.eos_penalty = 0.8F;
        break;
      case 4:
        o.required_phrases.push_back({Pick({"at the moment", "however", "my dear friend"}), false});
        if (Below(2) == 0) o.required_phrases.push_back({Pick({"today.", "I think."}), true});
        o.constraint_allocation = Below(2) == 0 ? Allocation::kStripe : Allocation::kBanks;
        break;
      case 5:
        o.forbidden_phrases = {"the", "I", "is a", "have to"};
        o.no_repeat_ngram = 2;
        break;
      case 6:
        o.sampling = Sampling{};
        o.sampling->seed = static_cast<uint64_t>(Below(1000));
        o.sampling->top_k = Below(2) * 20;
        o.sampling->top_p = Below(2) == 0 ? 0.9F : 1.0F;
        o.temperature = 0.8F;
        o.beam_size.reset();
        o.num_alternatives = 1 + Below(4);
        break;
      case 7:
        o.repetition_penalty = 1.3F;
        break;
      case 8:
        job.target_prefixes = {Pick({"Well,", "I think that", "The"})};
        o.min_output_tokens = 8;
        break;
      case 9:
        job.items[0].insert(job.items[0].find(' '), " 😀");
        job.do_not_translate = {"😀"};
        job.terms = {{"und", "and also", false}, {"nicht", "never", true}};
        break;
      case 10: {
        const size_t space = job.items[0].find(' ');
        job.items[0] =
            "<p><b>" + job.items[0].substr(0, space) + "</b>" + job.items[0].substr(space) + "</p>";
        job.html = true;
        break;
      }
      case 11:
        o.profile = Below(2) == 0 ? Profile::kCt2 : Profile::kMarian;
        o.num_alternatives = o.beam_size;
        break;
      case 12:
        o.stop_rule = Pick({StopRule::kFirstK, StopRule::kNever, StopRule::kAllBeams});
        o.forced_eos = Pick({ForcedEos::kModel, ForcedEos::kZero, ForcedEos::kNone});
        o.length_penalty = 1.4F;
        o.max_output_tokens = 10;
        break;
      default:
        job.returns.alignment = true;
        o.finalisation = Finalisation::kOnBeam;
        o.pruning.relative = 0.05F;
        break;
    }
    return job;
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class T>
  T Pick(std::initializer_list<T> choices) {
    return *(choices.begin() + Below(static_cast<int>(choices.size())));
  }
  std::string Pick(std::initializer_list<const char*> choices) {
    return Pick<const char*>(choices);
  }

  std::mt19937 random_;
  std::vector<std::string> sentences_;
};

std::tuple<int64_t, int64_t, int64_t, int64_t> Numbers(const AlignmentLink& link) {
  return {link.source.begin, link.source.end, link.target.begin, link.target.end};
}

// Of everything that a result says, numbers to the bit.
bool Same(const ItemResult& a, const ItemResult& b) {
  const auto same_hypothesis = [](const Hypothesis& x, const Hypothesis& y) {
    return x.text == y.text && x.score == y.score && x.log_prob == y.log_prob &&
           x.finish_reason == y.finish_reason && x.tokens == y.tokens &&
           x.token_scores == y.token_scores &&
           std::ranges::equal(x.alignment, y.alignment, {}, Numbers, Numbers);
  };
  return a.status == b.status && a.seed == b.seed && a.target_token_count == b.target_token_count &&
         std::ranges::equal(a.hypotheses, b.hypotheses, same_hypothesis);
}

class MixedMethods : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    jobs_ = new std::vector<TranslationJob>;
    kinds_ = new std::map<int, int>;
    Requests requests(20);
    for (size_t i = 0; i < kRequests; ++i) {
      int kind = 0;
      jobs_->push_back(requests.Next(&kind));
      ++(*kinds_)[kind];
    }
    alone_ = new std::vector<ItemResult>;
    const auto engine = Start({});
    for (const TranslationJob& job : *jobs_) {
      auto sink = std::make_shared<CollectingSink>();
      const Admission admission = engine->Submit(job, sink);
      ASSERT_TRUE(admission.status.ok()) << admission.status;
      ASSERT_TRUE(sink->Wait().ok());
      alone_->push_back(sink->items().at(0));
    }
  }
  static void TearDownTestSuite() {
    delete jobs_;
    delete kinds_;
    delete alone_;
  }

  static std::unique_ptr<Engine> Start(const EngineConfig& config) {
    static testing::FakeClock clock;
    static testing::CountingObserver observer;
    auto engine =
        CreateEngine(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en", config, &clock, &observer);
    EXPECT_TRUE(engine.ok()) << engine.status();
    return std::move(*engine);
  }

  static void ExpectAsAlone(const EngineConfig& config, unsigned seed) {
    std::vector<size_t> order(jobs_->size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    const auto engine = Start(config);
    std::vector<std::shared_ptr<CollectingSink>> sinks(order.size());
    for (const size_t i : order) {
      sinks[i] = std::make_shared<CollectingSink>();
      ASSERT_TRUE(engine->Submit((*jobs_)[i], sinks[i]).status.ok());
    }
    for (size_t i = 0; i < sinks.size(); ++i) {
      ASSERT_TRUE(sinks[i]->Wait().ok());
      const ItemResult& found = sinks[i]->items().at(0);
      EXPECT_TRUE(Same(found, (*alone_)[i]))
          << "request " << i << " differs from alone: " << (*jobs_)[i].items[0]
          << "\nalone: " << (*alone_)[i].hypotheses.at(0).text
          << "\nmixed: " << found.hypotheses.at(0).text;
    }
  }

  static std::vector<TranslationJob>* jobs_;
  static std::map<int, int>* kinds_;
  static std::vector<ItemResult>* alone_;
};

std::vector<TranslationJob>* MixedMethods::jobs_ = nullptr;
std::map<int, int>* MixedMethods::kinds_ = nullptr;
std::vector<ItemResult>* MixedMethods::alone_ = nullptr;

TEST_F(MixedMethods, EveryKindIsThereAndTranslates) {
  EXPECT_EQ(kinds_->size(), 14U);
  for (const auto& [kind, count] : *kinds_) EXPECT_GE(count, 10) << kind;
  size_t translated = 0;
  for (const ItemResult& item : *alone_) {
    EXPECT_TRUE(item.status.ok()) << item.status;
    if (!item.hypotheses.empty() && !item.hypotheses[0].tokens.empty()) ++translated;
  }
  EXPECT_GE(translated, kRequests - 5);
}

TEST_F(MixedMethods, InTheDefaultBatch) { ExpectAsAlone({}, 1); }

TEST_F(MixedMethods, InASmallBatch) {
  EngineConfig config;
  config.max_rows = 40;
  ExpectAsAlone(config, 2);
}

TEST_F(MixedMethods, UnderTwoWorkersOfTwoThreads) {
  EngineConfig config;
  config.max_rows = 64;
  config.workers = 2;
  config.threads_per_worker = 2;
  ExpectAsAlone(config, 3);
}

TEST_F(MixedMethods, UnderStreaming) {
  EngineConfig config;
  config.max_rows = 100;
  config.scheduler.refill = RefillRule::kStream;
  config.scheduler.selection = SlotSelection::kShortest;
  config.scheduler.window.order = WindowOrder::kShortestFirst;
  ExpectAsAlone(config, 4);
}

}  // namespace
}  // namespace dragoman
