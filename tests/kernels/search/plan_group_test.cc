// Compares, page by page, the plan that a single thread makes with the plan that the threads of a
// group make together. batch_step_test.cc tests groups of many threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tests/kernels/search/plan_harness.h"

namespace dragoman::kernels {
namespace {

using testing::PlanHarness;
using Numbers = std::vector<int32_t>;

// Batches of random slots in the middle of their searches, with all selections and budgets, pauses
// up to the bound, and pools from ample ones to pools that pause a slot in every step.
class RandomBatches {
 public:
  explicit RandomBatches(unsigned seed) : random_(seed) { Begin(); }

  // Returns the batch before its next plan.
  const PlanHarness& harness() const { return harness_; }
  const Numbers& order() const { return harness_.live(); }
  const PlanRules& rules() const { return rules_; }

  void Next() {
    const Numbers before = harness_.live();
    harness_.Step(before, rules_);
    for (const int32_t n : before) {
      const bool gone =
          std::find(harness_.live().begin(), harness_.live().end(), n) == harness_.live().end();
      if (gone) free_slots_.push_back(n);
    }
    if (++steps_ == 60) Begin();
    Fill();
  }

 private:
  static constexpr int kSlots = 40;

  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void Begin() {
    steps_ = 0;
    pages_ = Below(2) == 0 ? 16 + Below(60) : 400;
    harness_ = PlanHarness(kSlots, 8 + Below(120), pages_);
    rules_ = {static_cast<SlotSelection>(Below(3)), Below(2) * (1 + Below(40)),
              std::vector<int>{0, 3, kMaxPause}[static_cast<size_t>(Below(3))]};
    free_slots_.resize(kSlots);
    std::iota(free_slots_.begin(), free_slots_.end(), 0);
    Fill();
  }

  void Fill() {
    while (!free_slots_.empty()) {
      const int beam = 1 + Below(8);
      const int max_tokens = 1 + Below(100);
      if (WorstCasePages(beam, max_tokens) > pages_) continue;
      if (!harness_.MayEnter(beam, max_tokens)) break;
      harness_.Enter(free_slots_.back(), beam, max_tokens);
      harness_.SetCost(free_slots_.back(), Below(4) == 0 ? 3 : 1);
      free_slots_.pop_back();
    }
    for (const int32_t n : harness_.live())
      harness_.SetWidth(n, 1 + Below(harness_.State(n).options.beam));
  }

  std::mt19937 random_;
  PlanHarness harness_{1, 1, 1};
  PlanRules rules_;
  Numbers free_slots_;
  int pages_ = 0;
  int steps_ = 0;
};

void ExpectSame(const PlanHarness& found, const PlanHarness& expected, int plan) {
  ASSERT_TRUE(found.SameOutput(expected)) << "plan " << plan;
  ASSERT_TRUE(found.SameState(expected)) << "plan " << plan;
}

TEST(PlanGroup, SharesGiveWhatTheWalkGives) {
  RandomBatches batches(3);
  int without_walk = 0;
  int with_pages = 0;
  int with_pauses = 0;
  constexpr int kPlans = 20000;
  for (int plan = 0; plan < kPlans; ++plan, batches.Next()) {
    PlanHarness walked = batches.harness().Copy();
    const PlanInput in = walked.Input(batches.order(), batches.rules());
    walked.Walk(in);
    PlanHarness planned = batches.harness().Copy();
    planned.Plan(SingleThread(), in);
    ExpectSame(planned, walked, plan);
    if (HasFatalFailure()) return;
    PlanHarness shares = batches.harness().Copy();
    const bool done = shares.PlanWithoutWalk(in);
    if (!done) {
      ASSERT_TRUE(shares.SameState(batches.harness())) << "plan " << plan;
      continue;
    }
    ++without_walk;
    with_pages += shares.free_pages() < batches.harness().free_pages() ? 1 : 0;
    with_pauses += shares.out().slot_count < in.count ? 1 : 0;
  }
  EXPECT_GT(without_walk, kPlans / 4);
  EXPECT_GT(kPlans - without_walk, kPlans / 20);
  EXPECT_GT(with_pages, kPlans / 20);
  EXPECT_GT(with_pauses, kPlans / 10);
}

}  // namespace
}  // namespace dragoman::kernels
