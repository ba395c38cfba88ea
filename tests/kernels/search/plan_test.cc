#include "kernels/search/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "tests/kernels/search/plan_harness.h"

namespace dragoman::kernels {
namespace {

using testing::PlanHarness;

TEST(Plan, TakesTheLongestPrefixThatFitsAndAtLeastOne) {
  PlanHarness harness(4, 10, 1000);
  harness.Enter(0, 4, 50);
  harness.Enter(1, 7, 50);
  harness.Enter(2, 2, 50);
  harness.Step({0, 1, 2});
  EXPECT_EQ(harness.out().slot_count, 1);  // 4 + 7 > 10, and slot 2 does not overtake slot 1
  harness.Step({1, 2, 0});
  EXPECT_EQ(harness.out().slot_count, 2);
  EXPECT_EQ(harness.out().rows, 9);
  EXPECT_EQ(harness.out().slots[0], 1);
}

// A row of cost five counts as five rows. A slot that is too wide because of its cost runs alone.
TEST(Plan, RowsCountWithTheirCosts) {
  PlanHarness harness(4, 8, 1000);  // takes a load of 16
  for (int i = 0; i < 4; ++i) harness.Enter(i, 2, 50);
  harness.SetCost(1, 5);
  harness.Step({0, 1, 2, 3});
  EXPECT_EQ(harness.out().slot_count, 4);  // 2 + 10 + 2 + 2
  harness.SetCost(2, 5);
  harness.Step({0, 1, 2, 3});
  EXPECT_EQ(harness.ran(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(harness.out().rows, 4);
  harness.SetCost(1, 30);
  harness.Step({1, 0, 2, 3});
  EXPECT_EQ(harness.ran(), (std::vector<int32_t>{1}));
  harness.Step({0, 1, 2, 3}, {SlotSelection::kAll, 2, 0});
  EXPECT_EQ(harness.ran(), (std::vector<int32_t>{0}));
}

TEST(Plan, NobodyPausesLongerThanTheBound) {
  PlanHarness harness(4, 4, 1000);
  harness.Enter(0, 4, 200);
  harness.Enter(1, 4, 200);
  int longest = 0;
  int pause = 0;
  for (int i = 0; i < 150; ++i) {
    harness.Step({0, 1});  // the policy always prefers slot 0
    pause = harness.State(1).paused > 0 ? pause + 1 : 0;
    longest = std::max(longest, pause);
  }
  EXPECT_EQ(longest, kMaxPause);
  EXPECT_EQ(harness.State(1).length, 2);
}

PlanRules Rules(SlotSelection selection, int width_budget = 0, int max_pause = 0) {
  return {selection, width_budget, max_pause};
}

// Returns a harness in which slot i has lengths[i] tokens and is as wide as its beam.
PlanHarness HarnessOf(const std::vector<int>& lengths, const std::vector<int>& beams) {
  PlanHarness harness(static_cast<int>(lengths.size()), 64, 1000);
  for (size_t i = 0; i < lengths.size(); ++i) harness.Enter(static_cast<int>(i), beams[i], 200);
  for (size_t i = 0; i < lengths.size(); ++i) {
    for (int step = 0; step < lengths[i]; ++step) harness.Step({static_cast<int32_t>(i)});
  }
  return harness;
}

using Numbers = std::vector<int32_t>;

TEST(Plan, ShortestRunsThoseOfTheLeastLengthAsAdmitted) {
  PlanHarness harness = HarnessOf({3, 1, 2, 1, 1}, {2, 2, 2, 2, 2});
  const PlanRules rules = Rules(SlotSelection::kShortest);
  const Numbers all = {0, 1, 2, 3, 4};
  harness.Step(all, rules);
  EXPECT_EQ(harness.ran(), (Numbers{1, 3, 4}));
  harness.Step(all, rules);
  EXPECT_EQ(harness.ran(), (Numbers{1, 2, 3, 4}));
  harness.Step(all, rules);
  EXPECT_EQ(harness.ran(), all);
  EXPECT_EQ(harness.State(0).paused, 0);
}

TEST(Plan, LongestTakesFromTheLargestLengthDown) {
  PlanHarness harness = HarnessOf({1, 5, 3, 5, 0}, {2, 2, 2, 2, 2});
  const Numbers all = {0, 1, 2, 3, 4};
  harness.Step(all, Rules(SlotSelection::kLongest, 7));
  EXPECT_EQ(harness.ran(), (Numbers{1, 3, 2}));
  harness.Step(all, Rules(SlotSelection::kLongest));
  EXPECT_EQ(harness.ran(), (Numbers{1, 3, 2, 0, 4}));
}

TEST(Plan, TheBudgetTakesTheLongestPrefixAndAtLeastOne) {
  PlanHarness harness = HarnessOf({0, 0, 0, 1}, {3, 9, 1, 1});
  const Numbers all = {0, 1, 2, 3};
  // 3 + 9 > 10. Slot 2 would fit but does not overtake slot 1.
  harness.Step(all, Rules(SlotSelection::kShortest, 10));
  EXPECT_EQ(harness.ran(), (Numbers{0}));
  harness.Step(all, Rules(SlotSelection::kShortest, 10));
  EXPECT_EQ(harness.ran(), (Numbers{1, 2}));
  EXPECT_EQ(harness.out().rows, 10);
  // A slot that is wider than the budget runs alone.
  harness.Step({1, 2}, Rules(SlotSelection::kAll, 4));
  EXPECT_EQ(harness.ran(), (Numbers{1}));
  EXPECT_EQ(harness.out().rows, 9);
}

TEST(Plan, ThePauseBoundCanBeSwitchedOff) {
  PlanHarness harness = HarnessOf({150, 0}, {1, 1});
  for (int i = 0; i < 150; ++i) {
    harness.Step({0, 1}, Rules(SlotSelection::kShortest));
    ASSERT_EQ(harness.ran(), (Numbers{1}));
  }
  harness.Step({0, 1}, Rules(SlotSelection::kShortest));
  EXPECT_EQ(harness.ran(), (Numbers{0, 1}));
}

TEST(Plan, ALongSlotAdvancesUnderShortestThoughShorterOnesNeverEnd) {
  PlanHarness harness = HarnessOf({100, 0}, {1, 1});
  int advanced = 0;
  for (int i = 0; i < 1000; ++i) {
    const int before = harness.State(0).length;
    harness.Step({0, 1}, Rules(SlotSelection::kShortest, 0, kMaxPause));
    if (harness.State(0).length > before) ++advanced;
    ASSERT_LE(harness.State(0).paused, kMaxPause);
    if (harness.State(1).length == 20) {
      harness.Leave(1);
      harness.Enter(1, 1, 200);
    }
  }
  EXPECT_EQ(advanced, 1000 / (kMaxPause + 1));
}

// There are more slots than can all run within the bound. Each waits until the others have run, and
// no longer.
TEST(Plan, WhereMoreAreDueThanFitEachGetsItsTurn) {
  constexpr int kSlots = 200;
  for (const SlotSelection selection :
       {SlotSelection::kAll, SlotSelection::kShortest, SlotSelection::kLongest}) {
    PlanHarness harness(kSlots, 64, 10000);
    Numbers all(kSlots);
    std::iota(all.begin(), all.end(), 0);
    for (const int32_t n : all) harness.Enter(n, 4, 200);
    int longest = 0;
    for (int step = 0; step < 3000; ++step) {
      harness.Step(all, Rules(selection, 4, kMaxPause));
      ASSERT_EQ(harness.out().rows, 4);
      for (const int32_t n : all) longest = std::max(longest, harness.State(n).paused);
    }
    EXPECT_LE(longest, kSlots + kMaxPause) << static_cast<int>(selection);
    for (const int32_t n : all) EXPECT_GE(harness.State(n).length, 3000 / (kSlots + kMaxPause) - 1);
  }
}

TEST(Plan, WhoCannotGrowKeepsNobodyFromRunning) {
  // The shortest slot needs a page for its first step, but all free pages are reserved for the
  // worst case of the oldest slot.
  PlanHarness harness(2, 8, 7);
  harness.Enter(0, 2, 95);  // worst case 6 pages
  for (int i = 0; i < 40; ++i) harness.Step({0});
  ASSERT_EQ(harness.State(0).pages, 4);
  harness.Enter(1, 2, 31);
  harness.Step({0, 1}, Rules(SlotSelection::kShortest));
  EXPECT_EQ(harness.ran(), (Numbers{0}));
  EXPECT_EQ(harness.State(1).paused, 1);
}

// Every selection, with budgets, widths that change from step to step, pools that are almost too
// small, and segments that leave early. The plan must be that of the simple implementation, some
// slot must always run, the rule of pages must hold, the oldest slot must always be able to grow to
// its full width, and all slots must end.
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
    PlanHarness harness(24, max_rows, pages);
    int entered = 0;
    int gone = 0;
    Numbers free_slots(24);
    std::iota(free_slots.begin(), free_slots.end(), 0);
    for (int step = 0; gone < 40; ++step) {
      ASSERT_LT(step, 20000) << "round " << round;
      while (entered < 40 && !free_slots.empty()) {
        const int beam = 1 + below(8);
        const int max_tokens = 1 + below(60);
        if (WorstCasePages(beam, max_tokens) > pages || !harness.MayEnter(beam, max_tokens)) break;
        harness.Enter(free_slots.back(), beam, max_tokens);
        free_slots.pop_back();
        ++entered;
      }
      if (harness.live().empty()) continue;
      const Numbers before = harness.live();
      for (const int32_t n : before) harness.SetWidth(n, 1 + below(harness.State(n).options.beam));
      ASSERT_TRUE(harness.OldestCanGrow());
      const Numbers expected = harness.Expected(before, rules);
      for (const int32_t n : before) {
        if (rules.max_pause > 0 && harness.State(n).paused >= rules.max_pause) ++starved;
      }
      harness.Step(before, rules);
      ASSERT_EQ(harness.ran(), expected) << "round " << round << ", step " << step;
      ASSERT_FALSE(expected.empty());
      if (harness.out().slot_count < static_cast<int>(before.size())) ++pageless;
      const int limit = rules.width_budget > 0 ? std::min(rules.width_budget, max_rows) : max_rows;
      ASSERT_TRUE(harness.out().rows <= limit || harness.out().slot_count == 1);
      if (below(50) == 0 && !harness.live().empty())
        harness.Leave(harness.live()[harness.live().size() / 2]);
      const int64_t held = harness.live().empty() ? 0 : harness.State(harness.live()[0]).pages;
      ASSERT_GE(harness.free_pages() + held, harness.Worst());
      for (const int32_t n : before) {
        if (std::find(harness.live().begin(), harness.live().end(), n) == harness.live().end()) {
          free_slots.push_back(n);
          ++gone;
        }
      }
    }
    EXPECT_EQ(harness.free_pages(), pages);
  }
  EXPECT_GT(starved, 100);
  EXPECT_GT(pageless, 100);
}

TEST(Plan, PagesNeverRunOutForTheOldestWhateverComes) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const int pages = 16 + static_cast<int>(random() % 40);
    PlanHarness harness(24, 1000, pages);
    int entered = 0;
    int finished = 0;
    std::vector<int32_t> free_slots(24);
    std::iota(free_slots.begin(), free_slots.end(), 0);
    for (int step = 0; step < 20000 && finished < 60; ++step) {
      while (entered < 60 && !free_slots.empty()) {
        const int beam = 1 + static_cast<int>(random() % 8);
        const int max_tokens = 1 + static_cast<int>(random() % 60);
        if (WorstCasePages(beam, max_tokens) > pages || !harness.MayEnter(beam, max_tokens)) break;
        harness.Enter(free_slots.back(), beam, max_tokens);
        free_slots.pop_back();
        ++entered;
      }
      if (harness.live().empty()) continue;
      const std::vector<int32_t> before = harness.live();
      harness.Step(before);
      ASSERT_GT(harness.out().slot_count, 0) << "everything is stuck";
      const std::span<const int32_t> ran(harness.out().slots,
                                         static_cast<size_t>(harness.out().slot_count));
      ASSERT_NE(std::find(ran.begin(), ran.end(), before[0]), ran.end())
          << "the oldest always grows";
      const int64_t held = harness.live().empty() ? 0 : harness.State(harness.live()[0]).pages;
      ASSERT_GE(harness.free_pages() + held, harness.Worst());
      for (const int32_t n : before) {
        if (std::find(harness.live().begin(), harness.live().end(), n) == harness.live().end()) {
          free_slots.push_back(n);
          ++finished;
        }
      }
    }
    EXPECT_EQ(finished, 60) << pages;
    EXPECT_EQ(harness.free_pages(), pages);
  }
}

}  // namespace
}  // namespace dragoman::kernels
