#include "kernels/search/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "tests/kernels/search/plan_bench.h"

namespace dragoman {
namespace {

using testing::PlanBench;

TEST(Plan, TakesTheLongestPrefixThatFitsAndAtLeastOne) {
  PlanBench bench(4, 10, 1000);
  bench.Enter(0, 4, 50);
  bench.Enter(1, 7, 50);
  bench.Enter(2, 2, 50);
  bench.Step({0, 1, 2});
  EXPECT_EQ(bench.out().slot_count, 1);  // 4 + 7 > 10, and slot 2 does not overtake slot 1
  bench.Step({1, 2, 0});
  EXPECT_EQ(bench.out().slot_count, 2);
  EXPECT_EQ(bench.out().rows, 9);
  EXPECT_EQ(bench.out().slots[0], 1);
}

// A row that costs five counts as five, and a slot that is too wide so runs alone.
TEST(Plan, RowsCountWithTheirCosts) {
  PlanBench bench(4, 8, 1000);  // a load of 16
  for (int i = 0; i < 4; ++i) bench.Enter(i, 2, 50);
  bench.SetCost(1, 5);
  bench.Step({0, 1, 2, 3});
  EXPECT_EQ(bench.out().slot_count, 4);  // 2 + 10 + 2 + 2
  bench.SetCost(2, 5);
  bench.Step({0, 1, 2, 3});
  EXPECT_EQ(bench.ran(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(bench.out().rows, 4);
  bench.SetCost(1, 30);
  bench.Step({1, 0, 2, 3});
  EXPECT_EQ(bench.ran(), (std::vector<int32_t>{1}));
  bench.Step({0, 1, 2, 3}, {SlotSelection::kAll, 2, 0});
  EXPECT_EQ(bench.ran(), (std::vector<int32_t>{0}));
}

TEST(Plan, NobodyPausesLongerThanTheBound) {
  PlanBench bench(4, 4, 1000);
  bench.Enter(0, 4, 200);
  bench.Enter(1, 4, 200);
  int longest = 0;
  int pause = 0;
  for (int i = 0; i < 150; ++i) {
    bench.Step({0, 1});  // the policy always prefers slot 0
    pause = bench.State(1).paused > 0 ? pause + 1 : 0;
    longest = std::max(longest, pause);
  }
  EXPECT_EQ(longest, kMaxPause);
  EXPECT_EQ(bench.State(1).length, 2);
}

PlanRules Rules(SlotSelection selection, int width_budget = 0, int max_pause = 0) {
  return {selection, width_budget, max_pause};
}

// Slot i has lengths[i] tokens and is as wide as its beam.
PlanBench BenchOf(const std::vector<int>& lengths, const std::vector<int>& beams) {
  PlanBench bench(static_cast<int>(lengths.size()), 64, 1000);
  for (size_t i = 0; i < lengths.size(); ++i) bench.Enter(static_cast<int>(i), beams[i], 200);
  for (size_t i = 0; i < lengths.size(); ++i) {
    for (int step = 0; step < lengths[i]; ++step) bench.Step({static_cast<int32_t>(i)});
  }
  return bench;
}

using Numbers = std::vector<int32_t>;

TEST(Plan, ShortestRunsThoseOfTheLeastLengthAsAdmitted) {
  PlanBench bench = BenchOf({3, 1, 2, 1, 1}, {2, 2, 2, 2, 2});
  const PlanRules rules = Rules(SlotSelection::kShortest);
  const Numbers all = {0, 1, 2, 3, 4};
  bench.Step(all, rules);
  EXPECT_EQ(bench.ran(), (Numbers{1, 3, 4}));
  bench.Step(all, rules);
  EXPECT_EQ(bench.ran(), (Numbers{1, 2, 3, 4}));
  bench.Step(all, rules);
  EXPECT_EQ(bench.ran(), all);
  EXPECT_EQ(bench.State(0).paused, 0);
}

TEST(Plan, LongestTakesFromTheLargestLengthDown) {
  PlanBench bench = BenchOf({1, 5, 3, 5, 0}, {2, 2, 2, 2, 2});
  const Numbers all = {0, 1, 2, 3, 4};
  bench.Step(all, Rules(SlotSelection::kLongest, 7));
  EXPECT_EQ(bench.ran(), (Numbers{1, 3, 2}));
  bench.Step(all, Rules(SlotSelection::kLongest));
  EXPECT_EQ(bench.ran(), (Numbers{1, 3, 2, 0, 4}));
}

TEST(Plan, TheBudgetTakesTheLongestPrefixAndAtLeastOne) {
  PlanBench bench = BenchOf({0, 0, 0, 1}, {3, 9, 1, 1});
  const Numbers all = {0, 1, 2, 3};
  // 3 + 9 > 10, and slot 2, which would fit, does not overtake.
  bench.Step(all, Rules(SlotSelection::kShortest, 10));
  EXPECT_EQ(bench.ran(), (Numbers{0}));
  bench.Step(all, Rules(SlotSelection::kShortest, 10));
  EXPECT_EQ(bench.ran(), (Numbers{1, 2}));
  EXPECT_EQ(bench.out().rows, 10);
  // Wider than the budget: alone.
  bench.Step({1, 2}, Rules(SlotSelection::kAll, 4));
  EXPECT_EQ(bench.ran(), (Numbers{1}));
  EXPECT_EQ(bench.out().rows, 9);
}

TEST(Plan, ThePauseBoundCanBeSwitchedOff) {
  PlanBench bench = BenchOf({150, 0}, {1, 1});
  for (int i = 0; i < 150; ++i) {
    bench.Step({0, 1}, Rules(SlotSelection::kShortest));
    ASSERT_EQ(bench.ran(), (Numbers{1}));
  }
  bench.Step({0, 1}, Rules(SlotSelection::kShortest));
  EXPECT_EQ(bench.ran(), (Numbers{0, 1}));
}

TEST(Plan, ALongSlotAdvancesUnderShortestThoughShorterOnesNeverEnd) {
  PlanBench bench = BenchOf({100, 0}, {1, 1});
  int advanced = 0;
  for (int i = 0; i < 1000; ++i) {
    const int before = bench.State(0).length;
    bench.Step({0, 1}, Rules(SlotSelection::kShortest, 0, kMaxPause));
    if (bench.State(0).length > before) ++advanced;
    ASSERT_LE(bench.State(0).paused, kMaxPause);
    if (bench.State(1).length == 20) {
      bench.Leave(1);
      bench.Enter(1, 1, 200);
    }
  }
  EXPECT_EQ(advanced, 1000 / (kMaxPause + 1));
}

// More slots than can all have their turn within the bound: each waits for the others' turn, and no
// longer.
TEST(Plan, WhereMoreAreDueThanFitEachGetsItsTurn) {
  constexpr int kSlots = 200;
  for (const SlotSelection selection :
       {SlotSelection::kAll, SlotSelection::kShortest, SlotSelection::kLongest}) {
    PlanBench bench(kSlots, 64, 10000);
    Numbers all(kSlots);
    std::iota(all.begin(), all.end(), 0);
    for (const int32_t n : all) bench.Enter(n, 4, 200);
    int longest = 0;
    for (int step = 0; step < 3000; ++step) {
      bench.Step(all, Rules(selection, 4, kMaxPause));
      ASSERT_EQ(bench.out().rows, 4);
      for (const int32_t n : all) longest = std::max(longest, bench.State(n).paused);
    }
    EXPECT_LE(longest, kSlots + kMaxPause) << static_cast<int>(selection);
    for (const int32_t n : all) EXPECT_GE(bench.State(n).length, 3000 / (kSlots + kMaxPause) - 1);
  }
}

TEST(Plan, WhoCannotGrowKeepsNobodyFromRunning) {
  // The shortest slot needs a page at its first step and there is none for it: the oldest's worst
  // case is all that is left.
  PlanBench bench(2, 8, 7);
  bench.Enter(0, 2, 95);  // worst case 6 pages
  for (int i = 0; i < 40; ++i) bench.Step({0});
  ASSERT_EQ(bench.State(0).pages, 4);
  bench.Enter(1, 2, 31);
  bench.Step({0, 1}, Rules(SlotSelection::kShortest));
  EXPECT_EQ(bench.ran(), (Numbers{0}));
  EXPECT_EQ(bench.State(1).paused, 1);
}

// Every selection, budgets, widths that change from step to step, pools that are all but too small,
// segments that leave early: the plan is the one found the plain way; somebody always runs; the
// rule of pages holds; the oldest can always grow to its full width; and everything ends.
TEST(Plan, EveryRuleKeepsThePagesAndLosesNobody) {
  std::mt19937 random(11);
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  int starved = 0;
  int pageless = 0;
  for (int round = 0; round < 200; ++round) {
    const int pages = 16 + below(40);
    const int max_rows = 8 + below(30);
    const PlanRules rules{static_cast<SlotSelection>(below(3)), below(2) * (1 + below(12)),
                          std::vector<int>{0, 3, kMaxPause}[static_cast<size_t>(below(3))]};
    PlanBench bench(24, max_rows, pages);
    int entered = 0;
    int gone = 0;
    Numbers free_slots(24);
    std::iota(free_slots.begin(), free_slots.end(), 0);
    for (int step = 0; gone < 40; ++step) {
      ASSERT_LT(step, 20000) << "round " << round;
      while (entered < 40 && !free_slots.empty()) {
        const int beam = 1 + below(8);
        const int max_tokens = 1 + below(60);
        if (WorstCasePages(beam, max_tokens) > pages || !bench.MayEnter(beam, max_tokens)) break;
        bench.Enter(free_slots.back(), beam, max_tokens);
        free_slots.pop_back();
        ++entered;
      }
      if (bench.live().empty()) continue;
      const Numbers before = bench.live();
      for (const int32_t n : before) bench.SetWidth(n, 1 + below(bench.State(n).options.beam));
      ASSERT_TRUE(bench.OldestCanGrow());
      const Numbers expected = bench.Expected(before, rules);
      for (const int32_t n : before) {
        if (rules.max_pause > 0 && bench.State(n).paused >= rules.max_pause) ++starved;
      }
      bench.Step(before, rules);
      ASSERT_EQ(bench.ran(), expected) << "round " << round << ", step " << step;
      ASSERT_FALSE(expected.empty());
      if (bench.out().slot_count < static_cast<int>(before.size())) ++pageless;
      const int limit = rules.width_budget > 0 ? std::min(rules.width_budget, max_rows) : max_rows;
      ASSERT_TRUE(bench.out().rows <= limit || bench.out().slot_count == 1);
      if (below(50) == 0 && !bench.live().empty())
        bench.Leave(bench.live()[bench.live().size() / 2]);
      const int64_t held = bench.live().empty() ? 0 : bench.State(bench.live()[0]).pages;
      ASSERT_GE(bench.free_pages() + held, bench.Worst());
      for (const int32_t n : before) {
        if (std::find(bench.live().begin(), bench.live().end(), n) == bench.live().end()) {
          free_slots.push_back(n);
          ++gone;
        }
      }
    }
    EXPECT_EQ(bench.free_pages(), pages);
  }
  EXPECT_GT(starved, 100);
  EXPECT_GT(pageless, 100);
}

TEST(Plan, PagesNeverRunOutForTheOldestWhateverComes) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const int pages = 16 + static_cast<int>(random() % 40);
    PlanBench bench(24, 1000, pages);
    int entered = 0;
    int finished = 0;
    std::vector<int32_t> free_slots(24);
    std::iota(free_slots.begin(), free_slots.end(), 0);
    for (int step = 0; step < 20000 && finished < 60; ++step) {
      while (entered < 60 && !free_slots.empty()) {
        const int beam = 1 + static_cast<int>(random() % 8);
        const int max_tokens = 1 + static_cast<int>(random() % 60);
        if (WorstCasePages(beam, max_tokens) > pages || !bench.MayEnter(beam, max_tokens)) break;
        bench.Enter(free_slots.back(), beam, max_tokens);
        free_slots.pop_back();
        ++entered;
      }
      if (bench.live().empty()) continue;
      const std::vector<int32_t> before = bench.live();
      bench.Step(before);
      ASSERT_GT(bench.out().slot_count, 0) << "everything is stuck";
      const std::span<const int32_t> ran(bench.out().slots,
                                         static_cast<size_t>(bench.out().slot_count));
      ASSERT_NE(std::find(ran.begin(), ran.end(), before[0]), ran.end())
          << "the oldest always grows";
      const int64_t held = bench.live().empty() ? 0 : bench.State(bench.live()[0]).pages;
      ASSERT_GE(bench.free_pages() + held, bench.Worst());
      for (const int32_t n : before) {
        if (std::find(bench.live().begin(), bench.live().end(), n) == bench.live().end()) {
          free_slots.push_back(n);
          ++finished;
        }
      }
    }
    EXPECT_EQ(finished, 60) << pages;
    EXPECT_EQ(bench.free_pages(), pages);
  }
}

}  // namespace
}  // namespace dragoman
