// Lists of ids that a row asks for (kernels/search/prepare_row.h).
#include "kernels/search/prepare_row.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <vector>

namespace dragoman {
namespace {

// Ascending ids below `end`, some of them left out.
std::vector<int32_t> RandomRun(std::mt19937& random, int length, int end) {
  std::set<int32_t> ids;
  for (int i = 0; i < length; ++i) ids.insert(static_cast<int32_t>(random() % end));
  std::vector<int32_t> run(ids.begin(), ids.end());
  for (int32_t& id : run) {
    if (random() % 4 == 0) id = -1;
  }
  return run;
}

TEST(MergeRun, IsTheUnionOfTheRuns) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<int32_t> ids(500);
    int32_t count = 0;
    std::set<int32_t> expected;
    const int end = 1 + static_cast<int>(random() % 300);
    for (int runs = static_cast<int>(random() % 5); runs > 0; --runs) {
      const std::vector<int32_t> run = RandomRun(random, static_cast<int>(random() % 60), end);
      expected.insert(run.begin(), run.end());
      MergeRun(ids.data(), count, static_cast<int32_t>(run.size()),
               [&](int32_t i) { return run[static_cast<size_t>(i)]; });
    }
    expected.erase(-1);
    ids.resize(static_cast<size_t>(count));
    ASSERT_EQ(ids, std::vector<int32_t>(expected.begin(), expected.end())) << "round " << round;
  }
}

// A state of an automaton and its suffix may forbid 2,000 tokens each.
TEST(MergeRun, LooksAtEachIdAFewTimes) {
  std::vector<int32_t> ids(5000);
  int32_t count = 0;
  int64_t looks = 0;
  for (const int first : {1, 0}) {
    MergeRun(ids.data(), count, 2000, [&](int32_t i) {
      ++looks;
      return 2 * i + first;
    });
  }
  EXPECT_EQ(count, 4000);
  EXPECT_LE(looks, 4 * 2000);
}

}  // namespace
}  // namespace dragoman
