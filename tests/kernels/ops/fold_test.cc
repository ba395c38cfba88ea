#include "kernels/search/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace dragoman::kernels {
namespace {

struct OwnedList {
  explicit OwnedList(int capacity) : memory(capacity + 1), list{memory.data(), capacity, 0} {
    memory[capacity] = {77.0F, 77};  // must stay unchanged
  }
  std::vector<TokenScore> memory;
  TopList list;
};

// Scores with many ties, some of them -inf or NaN, are split among lists in random order and
// merged. The merged list must be that of a sort.
TEST(Fold, TopListIsThatOfASortWhateverTheOrderAndTheSplit) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = static_cast<int>(random() % 400);
    const int capacity = static_cast<int>(random() % 65);
    std::vector<TokenScore> all;
    for (int i = 0; i < n; ++i) {
      float score = trial % 3 == 0 ? float(random() % 20) : float(random() % 100000) / 1000.0F;
      if (random() % 50 == 0) score = -INFINITY;
      if (random() % 50 == 0) score = NAN;
      all.push_back({score, i});
    }
    std::vector<TokenScore> expected;
    for (const TokenScore& x : all) {
      if (x.score > -INFINITY) expected.push_back(x);
    }
    std::sort(expected.begin(), expected.end(), Better);
    if (static_cast<int>(expected.size()) > capacity) expected.resize(capacity);

    std::shuffle(all.begin(), all.end(), random);
    const int parts = 1 + static_cast<int>(random() % 5);
    std::vector<OwnedList> lists(parts, OwnedList(0));
    for (OwnedList& l : lists) l = OwnedList(capacity);
    for (OwnedList& l : lists) l.list.entries = l.memory.data();
    for (const TokenScore& x : all) Insert(lists[random() % parts].list, x);
    OwnedList merged(capacity);
    std::shuffle(lists.begin(), lists.end(), random);
    for (OwnedList& l : lists) {
      l.list.entries = l.memory.data();
      Merge(merged.list, l.list);
    }
    ASSERT_EQ(merged.list.count, static_cast<int>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(merged.list.entries[i].token, expected[i].token);
      ASSERT_EQ(merged.list.entries[i].score, expected[i].score);
    }
    ASSERT_EQ(merged.memory[capacity].token, 77);
  }
}

TEST(Fold, ThresholdTellsWhatCannotEnter) {
  OwnedList none(0);
  EXPECT_EQ(Threshold(none.list), INFINITY);
  OwnedList two(2);
  EXPECT_EQ(Threshold(two.list), -INFINITY);
  Insert(two.list, {3.0F, 5});
  EXPECT_EQ(Threshold(two.list), -INFINITY);
  Insert(two.list, {4.0F, 6});
  EXPECT_EQ(Threshold(two.list), 3.0F);
  Insert(two.list, {3.0F, 7});  // a tie, later token
  EXPECT_EQ(two.list.entries[1].token, 5);
  Insert(two.list, {3.0F, 4});  // a tie, earlier token
  EXPECT_EQ(two.list.entries[1].token, 4);
}

TEST(Fold, LogSumAgreesWithDoubleUpToTenThousand) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 500; ++trial) {
    const float spread = trial % 4 == 0 ? 1e4F : trial % 4 == 1 ? 1e-3F : 10.0F;
    std::uniform_real_distribution<float> uniform(-spread, spread);
    std::vector<float> x(1 + random() % 300);
    for (float& v : x) v = uniform(random);
    std::vector<LogSum> parts(1 + random() % 4);
    for (const float v : x) Merge(parts[random() % parts.size()], {v, 1.0F});
    LogSum all;
    for (const LogSum& part : parts) Merge(all, part);
    const double max = *std::max_element(x.begin(), x.end());
    double sum = 0.0;
    for (const float v : x) sum += std::exp(double(v) - max);
    const double expected = max + std::log(sum);
    EXPECT_NEAR(LogSumValue(all), expected, 1e-5 * std::max(1.0, std::abs(expected)));
    EXPECT_NEAR(LogProb(x[0], all), double(x[0]) - expected,
                1e-5 * std::max(1.0, std::abs(double(x[0]) - expected)));
  }
}

TEST(Fold, NothingAndMinusInfinityGiveNoNan) {
  LogSum a;
  Merge(a, LogSum{});
  EXPECT_EQ(a.max, -INFINITY);
  EXPECT_EQ(a.sum, 0.0F);
  EXPECT_EQ(LogSumValue(a), -INFINITY);
  EXPECT_EQ(LogProb(1.0F, a), -INFINITY);
  Merge(a, {2.0F, 1.5F});
  EXPECT_EQ(a.max, 2.0F);
  EXPECT_EQ(a.sum, 1.5F);
  Merge(a, LogSum{});
  EXPECT_EQ(a.sum, 1.5F);
  EXPECT_EQ(LogProb(-INFINITY, a), -INFINITY);
}

}  // namespace
}  // namespace dragoman::kernels
