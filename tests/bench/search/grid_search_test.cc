// Grid beam search against every output that there is, and its model against the engine's.
#include "tests/bench/search/grid_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/search/bench_model.h"
#include "tests/bench/search/coverage.h"
#include "tests/bench/search/model_scores.h"
#include "tests/bench/search/random_phrases.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/searches.h"
#include "tests/bench/search/subcommands.h"
#include "tests/engine/support/scripts.h"
#include "tests/support/temp_directory.h"

namespace dragoman::bench {
namespace {

using Phrases = std::vector<std::vector<int32_t>>;

std::vector<float> LogSoftmax(std::vector<float> logits) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(double{x});
  for (float& x : logits) x = static_cast<float>(double{x} - std::log(sum));
  return logits;
}

// Token 0 is EOS, the last one the start token, which comes nowhere else.
class ScriptedScores final : public NextScores {
 public:
  ScriptedScores(int vocabulary, std::vector<int32_t> source)
      : script_(testing::RandomScript(vocabulary)), source_(std::move(source)) {}

  std::vector<float> After(const std::vector<int32_t>& prefix) const {
    std::vector<float> scores = LogSoftmax(script_(source_, prefix));
    scores.back() = -INFINITY;
    return scores;
  }

  const std::vector<std::vector<float>>& Next(const std::vector<int>& parents,
                                              const std::vector<int32_t>& tokens) override {
    std::vector<std::vector<int32_t>> prefixes;
    scores_.clear();
    for (size_t row = 0; row < tokens.size(); ++row) {
      std::vector<int32_t> prefix;
      if (!prefixes_.empty()) {
        prefix = prefixes_[static_cast<size_t>(parents[row])];
        prefix.push_back(tokens[row]);
      }
      scores_.push_back(After(prefix));
      prefixes.push_back(std::move(prefix));
    }
    prefixes_ = std::move(prefixes);
    return scores_;
  }

 private:
  const testing::Script script_;
  const std::vector<int32_t> source_;
  std::vector<std::vector<int32_t>> prefixes_;  // by row
  std::vector<std::vector<float>> scores_;
};

// The best of all outputs up to `longest` tokens that contain the phrases.
void Exhaust(const ScriptedScores& model, const Phrases& phrases, int longest, float log_prob,
             std::vector<int32_t>* prefix, GridResult* best) {
  const std::vector<float> scores = model.After(*prefix);
  if (ContainsAll(*prefix, phrases)) {
    const float score = (log_prob + scores[0]) / static_cast<float>(prefix->size() + 1);
    if (best->row_steps == 0 || score > best->score) {
      best->score = score;
      best->tokens = *prefix;
    }
    ++best->row_steps;
  }
  if (longest == 0) return;
  for (size_t token = 1; token + 1 < scores.size(); ++token) {
    prefix->push_back(static_cast<int32_t>(token));
    Exhaust(model, phrases, longest - 1, log_prob + scores[token], prefix, best);
    prefix->pop_back();
  }
}

// With banks that drop nothing the grid search is exhaustive.
TEST(GridSearch, FindsTheBestOfAllOutputs) {
  const std::vector<Phrases> sets = {{},         {{2}},       {{1, 2}, {3}}, {{1, 2}, {1, 3}},
                                     {{2}, {2}}, {{1, 1, 2}}, {{1, 2}, {1}}};
  for (int32_t sentence = 1; sentence <= 20; ++sentence) {
    for (const Phrases& phrases : sets) {
      ScriptedScores model(5, {sentence, 2});
      GridOptions options;
      options.bank = 1000;
      options.max_tokens = 5;
      options.start = 4;
      const GridResult found = GridSearch(phrases, options, model);
      GridResult expected;
      std::vector<int32_t> prefix;
      Exhaust(model, phrases, options.max_tokens, 0, &prefix, &expected);
      EXPECT_EQ(found.tokens, expected.tokens) << "sentence " << sentence;
      EXPECT_NEAR(found.score, expected.score, 1e-5);
    }
  }
}

TEST(GridSearch, EveryOutputHoldsItsConstraints) {
  std::vector<int32_t> ids;
  for (int32_t id = 1; id < 11; ++id) ids.push_back(id);
  std::mt19937_64 random(7);
  int missed_without = 0;
  for (int32_t sentence = 1; sentence <= 300; ++sentence) {
    ScriptedScores model(12, {sentence, 6});
    const size_t total = 1 + Draw(random, 10);
    const Phrases phrases = RandomPhrases(ids, total, 3, random);
    GridOptions options;
    options.bank = 1 + static_cast<int>(Draw(random, 3));
    options.max_tokens = static_cast<int>(total + Draw(random, 8));
    options.start = 11;
    options.prune = sentence % 2 == 0 ? 20.0F : 2.0F;
    const GridResult found = GridSearch(phrases, options, model);
    EXPECT_TRUE(ContainsAll(found.tokens, phrases)) << "sentence " << sentence;
    EXPECT_LE(found.tokens.size(), static_cast<size_t>(options.max_tokens));
    EXPECT_LE(found.row_steps, static_cast<int64_t>((options.max_tokens + 1) * options.bank) *
                                   static_cast<int64_t>(total + 1));
    ScriptedScores again(12, {sentence, 6});
    if (!ContainsAll(GridSearch({}, options, again).tokens, phrases)) ++missed_without;
  }
  EXPECT_GT(missed_without, 250);
}

class GridOnTheModel : public ::testing::Test {
 protected:
  static const BenchModel& Model() {
    static const BenchModel model(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en");
    return model;
  }
  static GridOptions Options(const Task& task, int bank) {
    GridOptions options;
    options.bank = bank;
    options.max_tokens = task.search.max_tokens;
    options.eos = Model().spec().tokens.eos;
    options.start = Model().spec().tokens.decoder_start;
    return options;
  }
  static std::vector<std::vector<int32_t>> Sources() {
    return Model().Encode(
        JoinLines(ReadLines(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt"), 6, 1, 1, 1));
  }
};

// Without constraints and with one hypothesis it is greedy search.
TEST_F(GridOnTheModel, IsGreedyWithoutConstraints) {
  const std::vector<Task> tasks = Model().Tasks(Sources(), FixedOurs(1));
  const RunResult greedy =
      Runner(&Model()).Run(TopUpByRows(8, 1, engine::WindowOrder::kArrival, 8), tasks);
  for (size_t i = 0; i < tasks.size(); ++i) {
    ModelScores scores(Model(), tasks[i]);
    const GridResult found = GridSearch({}, Options(tasks[i], 1), scores);
    EXPECT_EQ(found.tokens, greedy.nbest[i].front().tokens);
    EXPECT_NEAR(found.score, greedy.nbest[i].front().score, 1e-5);
  }
}

// Hypotheses that change places keep their past: what the rows gave is what the tokens give alone.
TEST_F(GridOnTheModel, ScoresAreThoseOfTheOutputAlone) {
  std::mt19937_64 random(3);
  for (const auto& source : Sources()) {
    const Task task =
        Model().MakeTask(source, {}, RandomPhrases(Model().ordinary_ids(), 6, 3, random));
    ModelScores scores(Model(), task);
    GridOptions options = Options(task, 3);
    options.prune = 20;
    const GridResult found = GridSearch(task.phrases, options, scores);
    EXPECT_TRUE(ContainsAll(found.tokens, task.phrases));
    ModelScores alone(Model(), task);
    float log_prob = 0;
    int32_t token = options.start;
    for (size_t i = 0; i <= found.tokens.size(); ++i) {
      const int32_t next = i < found.tokens.size() ? found.tokens[i] : options.eos;
      log_prob += alone.Next({0}, {token})[0][static_cast<size_t>(next)];
      token = next;
    }
    EXPECT_NEAR(found.score, log_prob / static_cast<float>(found.tokens.size() + 1), 1e-5);
  }
}

// Runs through the command line: a translation for every line, with its phrases in it.
TEST_F(GridOnTheModel, TranslatesAFile) {
  const TempDirectory directory;
  const std::string pairs = directory.Write(
      "pairs.tsv", "Wo ist der Bahnhof?\trailway station\tnearest\nIch habe keine Zeit.\n");
  const std::string output = directory.path() + "/output.txt";
  std::vector<std::string> words = {"--pairs", pairs, "--output", output, "--search", "grid:2"};
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  Arguments arguments(static_cast<int>(pointers.size()), pointers.data(), 0);
  Runner runner(&Model());
  Report report("cpu", "float32");
  ::testing::internal::CaptureStdout();
  EXPECT_TRUE(RunTranslate(runner, arguments, report));
  const auto counts = nlohmann::json::parse(::testing::internal::GetCapturedStdout());
  EXPECT_EQ(counts["texts"], 2);
  EXPECT_EQ(counts["unmet"], 0);
  EXPECT_GT(counts["constraint_tokens"].at(0), 2);
  EXPECT_EQ(counts["constraint_tokens"].at(1), 0);
  std::ifstream file(output);
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_THAT(line, ::testing::HasSubstr("railway station"));
  EXPECT_THAT(line, ::testing::HasSubstr("nearest"));
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_THAT(line, ::testing::HasSubstr("time"));
  EXPECT_FALSE(std::getline(file, line));
}

}  // namespace
}  // namespace dragoman::bench
