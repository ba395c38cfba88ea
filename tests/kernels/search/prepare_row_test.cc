// Tests of the lists of ids that a row asks for (kernels/search/prepare_row.h).
#include "kernels/search/prepare_row.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "kernels/search/host_memory.h"

namespace dragoman::kernels {
namespace {

// The lists of a row that follows `tokens`, in a search that starts with `start`.
struct Lists {
  std::vector<int32_t> wanted;
  std::vector<int32_t> masked;
};

Lists ListsAfter(const SearchOptions& options, const SegmentRules& rules, int32_t start,
                 const std::vector<int32_t>& tokens) {
  constexpr size_t kStride = 32;
  constexpr std::array<int32_t, 1> kLane = {0};
  LaneMemory<uint8_t> lanes(kLane.size(), kStride);
  SlotState state;
  const SlotView view{&state, kLane.data(), lanes.arrays()};
  StartSlot(view, options, rules, start);
  for (const int32_t token : tokens) {
    view.arrays.tokens[view.At(0, ++state.length)] = token;
    for (int32_t i = 0; i < state.length; ++i) view.Ancestry(0)[i] = 0;
  }
  std::vector<int32_t> wanted(kMaxWantedIds);
  std::vector<int32_t> masked(static_cast<size_t>(MaxRowMasks(kStride, 1)));
  LogitRequest request;
  PrepareRow(view, 0, state.length, wanted.data(), masked.data(), request);
  wanted.resize(static_cast<size_t>(request.wanted.count));
  masked.resize(static_cast<size_t>(request.masked[1].count));
  return {wanted, masked};
}

using Ids = std::vector<int32_t>;

// A model may begin its outputs with the end of sentence, as in transformers.
TEST(PrepareRow, AStartTokenThatCountsIsBannedLikeOthers) {
  const std::vector<float> divisors(32, 1.0F);
  SegmentRules rules;
  rules.divisor = divisors.data();
  SearchOptions o;
  o.max_tokens = 20;
  o.eos = 2;
  o.no_repeat_ngram = 1;
  Lists lists = ListsAfter(o, rules, /*start=*/2, {5, 7});
  EXPECT_EQ(lists.wanted, Ids{2});
  EXPECT_EQ(lists.masked, (Ids{5, 7}));
  o.counts_start = true;
  lists = ListsAfter(o, rules, 2, {5, 7});
  EXPECT_EQ(lists.wanted, Ids{});
  EXPECT_EQ(lists.masked, (Ids{2, 5, 7}));
  lists = ListsAfter(o, rules, /*start=*/9, {5, 7});
  EXPECT_EQ(lists.wanted, Ids{2});
  EXPECT_EQ(lists.masked, (Ids{5, 7, 9}));
  // The first 9, the start token, was followed by 5.
  o.no_repeat_ngram = 2;
  lists = ListsAfter(o, rules, /*start=*/9, {5, 7, 9});
  EXPECT_EQ(lists.masked, Ids{5});
}

// Returns ascending ids below `end`, some of them replaced by -1.
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

// A state of an automaton and its suffix may forbid 2,000 tokens each, so each id must be read only
// a few times.
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
}  // namespace dragoman::kernels
