// Counts the rounds of the fused output layer's fold on logits of the bundled model, and prints a
// table that compares rules (fold_rule.h). A count is not a time: it is the same on every machine,
// except for near ties.
//
//   fold_rounds [GROUPS]     warpgroups of 64 rows for each line; default 64
//
// The rows are those of beam searches with K hypotheses for sentences of tests/data. Steps of
// different searches are mixed at random, as in a batch that is topped up.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/bench/fold/fold_rule.h"
#include "tests/bench/search/bench_model.h"
#include "tests/bench/search/model_scores.h"

namespace dragoman::bench {
namespace {

constexpr int kMaxTokens = 30;
constexpr size_t kGroupRows = 64;
constexpr size_t kSentences = 96;
// All 24 tiles of the bundled model, and the tiles per range in steps of 4,096 and of 1,024 rows on
// 132 processors (DivideTiles).
constexpr int kTilesPerRange[] = {24, 6, 2};

struct Rule {
  const char* name;
  FoldRule rule;
};
constexpr Rule kRules[] = {{"none, as it is", FoldRule::kNone},
                           {"carried", FoldRule::kCarried},
                           {"lead tile", FoldRule::kLead},
                           {"known", FoldRule::kKnown}};

// The rows of one step of one beam.
using Step = std::vector<std::vector<float>>;

// Adds the steps of a beam search that ends only when its best hypothesis ends.
void AddSteps(const BenchModel& model, const Task& task, int beam, std::vector<Step>* steps) {
  ModelScores scores(model, task);
  std::vector<int> parents = {0};
  std::vector<int32_t> tokens = {model.spec().tokens.decoder_start};
  std::vector<double> sums = {0};
  for (int step = 0; step < kMaxTokens; ++step) {
    const auto& rows = scores.Next(parents, tokens);
    if (step > 0)
      steps->emplace_back(rows.begin(), rows.begin() + static_cast<int64_t>(tokens.size()));
    struct Next {
      double sum;
      int row;
      int32_t token;
    };
    std::vector<Next> next;
    for (size_t row = 0; row < tokens.size(); ++row) {
      for (size_t token = 0; token < rows[row].size(); ++token) {
        next.push_back({sums[row] + static_cast<double>(rows[row][token]), static_cast<int>(row),
                        static_cast<int32_t>(token)});
      }
    }
    std::partial_sort(next.begin(), next.begin() + beam, next.end(),
                      [](const Next& a, const Next& b) { return a.sum > b.sum; });
    if (next[0].token == model.spec().tokens.eos) return;
    parents.clear();
    tokens.clear();
    sums.clear();
    for (int i = 0; i < beam; ++i) {
      const Next& n = next[static_cast<size_t>(i)];
      parents.push_back(n.row);
      tokens.push_back(n.token);
      sums.push_back(n.sum);
    }
  }
}

// Returns the rows of `groups` warpgroups in the order of a batch: one beam after the other.
std::vector<std::vector<float>> RowsOf(const BenchModel& model, int beam, size_t groups) {
  std::vector<std::string> lines = ReadLines(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  lines.resize(std::min(lines.size(), kSentences));  // half a gigabyte of rows of 16 hypotheses
  engine::DecodingOptions options;
  std::vector<Step> steps;
  for (const Task& task : model.Tasks(model.Encode(lines), options)) {
    Task longer = task;
    longer.search.max_tokens = kMaxTokens + 1;
    AddSteps(model, longer, beam, &steps);
  }
  std::mt19937_64 generator(1);
  std::vector<std::vector<float>> rows;
  while (rows.size() < groups * kGroupRows) {
    const Step& step = steps[Draw(generator, steps.size())];
    rows.insert(rows.end(), step.begin(), step.end());
  }
  rows.resize(groups * kGroupRows);
  return rows;
}

int Run(size_t groups) {
  const BenchModel model(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en");
  std::printf(
      "| K | tiles of a range | threshold at its begin | rounds a tile, slowest of four warps | "
      "any warp | tiles without | more tiles |\n|--|--|--|--|--|--|--|\n");
  for (const int k : {4, 8, 16}) {
    const std::vector<std::vector<float>> rows = RowsOf(model, k, groups);
    for (const int tiles : kTilesPerRange) {
      for (const Rule& rule : kRules) {
        std::vector<RowFold> folds;
        for (const std::vector<float>& row : rows) {
          folds.push_back(FoldRow(row, {k, tiles}, rule.rule));
        }
        const FoldRounds rounds = CountRounds(folds);
        std::printf("| %d | %d | %s | %.2f | %.2f | %.0f %% | %.0f %% |\n", k, tiles, rule.name,
                    rounds.slowest_warp, rounds.warp, 100 * rounds.quiet, 100 * rounds.more_tiles);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  const long groups = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 64;
  if (argc > 2 || groups < 1 || groups > 4096) {
    std::fprintf(stderr, "usage: fold_rounds [GROUPS], 1 to 4096\n");
    return 2;
  }
  return dragoman::bench::Run(static_cast<size_t>(groups));
}
