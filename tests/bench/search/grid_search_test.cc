// Tests grid beam search against all possible outputs, and through the command line.
#include "tests/bench/search/grid_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/search/bench_model.h"
#include "tests/bench/search/coverage.h"
#include "tests/bench/search/run.h"
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

// Token 0 is EOS. The last token is the start token, which occurs nowhere else.
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

// Finds the best output that contains the phrases and has at most `longest` tokens more than
// `prefix`.
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

// With banks that are large enough to drop nothing, grid search is exhaustive.
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

// Runs through the command line. Every line must get a translation that contains its phrases.
TEST(GridSearch, TranslatesAFile) {
  const BenchModel model(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en");
  const TempDirectory directory;
  const std::string pairs = directory.Write(
      "pairs.tsv", "Wo ist der Bahnhof?\trailway station\tnearest\nIch habe keine Zeit.\n");
  const std::string output = directory.path() + "/output.txt";
  std::vector<std::string> words = {"--pairs", pairs, "--output", output, "--search", "grid:2"};
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  Arguments arguments(static_cast<int>(pointers.size()), pointers.data(), 0);
  Runner runner(&model);
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
