// Tests of the model of the fold: its lists must be the best tokens under every rule, and its
// rounds must be those counted by hand.
#include "tests/bench/fold/fold_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/ops/fused_parts.h"
#include "kernels/search/fold.h"

namespace dragoman::bench {
namespace {

using ::testing::ElementsAre;

constexpr FoldRule kAllRules[] = {FoldRule::kNone, FoldRule::kCarried, FoldRule::kLead,
                                  FoldRule::kKnown};

// Returns logits with `values` + 1 different values, few of which give many ties.
std::vector<float> Logits(size_t n, std::mt19937& generator, int values) {
  std::uniform_int_distribution<int> draw(0, values);
  std::vector<float> logits(n);
  for (float& x : logits) x = static_cast<float>(draw(generator)) / 4;
  return logits;
}

TEST(FoldRule, EveryRuleFindsTheBest) {
  std::mt19937 generator(1);
  for (const int values : {3, 40, 100'000}) {
    for (const size_t n : {10, 700, 2900}) {
      const std::vector<float> logits = Logits(n, generator, values);
      std::vector<kernels::TokenScore> all;
      for (size_t i = 0; i < n; ++i) all.push_back({logits[i], static_cast<int32_t>(i)});
      std::sort(all.begin(), all.end(),
                [](const kernels::TokenScore& a, const kernels::TokenScore& b) {
                  return kernels::Better(a, b);
                });
      for (const int k : {1, 4, 16}) {
        for (const int tiles : {1, 3, 100}) {
          for (const FoldRule rule : kAllRules) {
            const RowFold fold = FoldRow(logits, {k, tiles}, rule);
            ASSERT_EQ(fold.rounds.size(),
                      static_cast<size_t>(kernels::TilesOf(static_cast<int>(n))));
            ASSERT_EQ(fold.best.size(), std::min(n, static_cast<size_t>(k)));
            for (size_t i = 0; i < fold.best.size(); ++i) {
              ASSERT_EQ(fold.best[i].token, all[i].token) << static_cast<int>(rule);
            }
          }
        }
      }
    }
  }
}

// Lane l of a row has columns 2 l and 2 l + 1 of every eight.
TEST(FoldRule, RoundsAreThoseOfTheSlowestLane) {
  std::vector<float> logits(512, -INFINITY);
  for (const int column : {0, 2, 4, 6}) logits[static_cast<size_t>(column)] = 9;  // one per lane
  // All four enter in one round. The second tile has nothing better, so it needs no round.
  EXPECT_THAT(FoldRow(logits, {4, 2}, FoldRule::kNone).rounds, ElementsAre(1, 0));
  // Four logits of one lane enter one after the other, in four rounds.
  std::fill(logits.begin(), logits.end(), -INFINITY);
  for (const int column : {0, 1, 8, 9}) logits[static_cast<size_t>(column)] = 9.0F - column;
  EXPECT_THAT(FoldRow(logits, {4, 2}, FoldRule::kNone).rounds, ElementsAre(4, 0));
  // A tile whose best logit does not beat the list is skipped. A tile with one better logit takes
  // one round.
  logits[300] = -5;
  EXPECT_THAT(FoldRow(logits, {4, 2}, FoldRule::kNone).rounds, ElementsAre(4, 0));
  logits[300] = 2;
  EXPECT_THAT(FoldRow(logits, {4, 2}, FoldRule::kNone).rounds, ElementsAre(4, 1));
  // With one tile per range, each range starts with an empty list. So even a bad logit enters,
  // unless the bound of the previous range is carried over.
  logits[300] = -5;
  EXPECT_THAT(FoldRow(logits, {4, 1}, FoldRule::kNone).rounds, ElementsAre(4, 1));
  EXPECT_THAT(FoldRow(logits, {4, 1}, FoldRule::kCarried).rounds, ElementsAre(4, 0));
}

}  // namespace
}  // namespace dragoman::bench
