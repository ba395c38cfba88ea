#include "engine/schedule/policy.h"

#include <gtest/gtest.h>

namespace dragoman::engine {
namespace {

constexpr int kRows = 24;

Load Segments(int64_t count) { return {count, 10 * count, 4 * count}; }

Waiting Queued(int64_t segments, bool on_its_way = false, bool held_up = false) {
  return {Segments(segments), on_its_way, held_up};
}

SchedulerOptions Stream(int64_t n, int64_t num, int64_t den) {
  SchedulerOptions o;
  o.refill = RefillRule::kStream;
  o.unit = CapacityUnit::kSegments;
  o.capacity = n;
  o.eps_num = num;
  o.eps_den = den;
  return o;
}

// Each row has a cost of thirty, so a few rows fill the batch.
TEST(Policy, AdmitsByTheCostsOfRowsToo) {
  const Policy policy;
  const Load dear = {1, 10, 4, 120};
  EXPECT_TRUE(policy.Admits({}, dear, kRows));  // a segment always fits into an empty batch
  EXPECT_FALSE(policy.Admits(dear, dear, kRows));
  const Load light = {1, 10, 4, 4};
  EXPECT_TRUE(policy.Admits(light, {1, 10, 4, 2 * kRows - 4}, kRows));
  EXPECT_FALSE(policy.Admits(light, {1, 10, 4, 2 * kRows - 3}, kRows));
}

TEST(Policy, ContinuousAdmitsWhileTheBeamsFitTheRows) {
  const Policy policy;
  EXPECT_FALSE(policy.RefillBegins(Segments(0), Queued(0), kRows));
  EXPECT_TRUE(policy.RefillBegins(Segments(6), Queued(1), kRows));
  EXPECT_TRUE(policy.Admits(Segments(5), Segments(1), kRows));
  EXPECT_FALSE(policy.Admits(Segments(6), Segments(1), kRows));
  const kernels::PlanRules rules = policy.plan_rules();
  EXPECT_EQ(rules.selection, kernels::SlotSelection::kAll);
  EXPECT_EQ(rules.width_budget, 0);
  EXPECT_EQ(rules.max_pause, kernels::kMaxPause);
}

TEST(Policy, ContinuousWithSlotsCountsSegments) {
  SchedulerOptions o;
  o.unit = CapacityUnit::kSegments;
  o.capacity = 3;
  const Policy policy(o);
  EXPECT_TRUE(policy.Admits(Segments(2), Segments(1), kRows));
  EXPECT_FALSE(policy.Admits(Segments(3), Segments(1), kRows));
}

TEST(Policy, StreamRefillsAtTheExactThreshold) {
  const Policy sixth(Stream(12, 1, 6));
  EXPECT_TRUE(sixth.RefillBegins(Segments(2), Queued(1), kRows));
  EXPECT_FALSE(sixth.RefillBegins(Segments(3), Queued(1), kRows));
  EXPECT_FALSE(sixth.RefillBegins(Segments(0), Queued(0), kRows));
  // The threshold is 10/3, which no float represents: 3 is below it and 4 above.
  const Policy third(Stream(10, 1, 3));
  EXPECT_TRUE(third.RefillBegins(Segments(3), Queued(1), kRows));
  EXPECT_FALSE(third.RefillBegins(Segments(4), Queued(1), kRows));
  const Policy zero(Stream(10, 0, 1));
  EXPECT_TRUE(zero.RefillBegins(Segments(0), Queued(1), kRows));
  EXPECT_FALSE(zero.RefillBegins(Segments(1), Queued(1), kRows));
  // The largest accepted numbers do not overflow.
  const int64_t big = int64_t{1} << 31;
  SchedulerOptions large = Stream(big, big - 1, big);
  large.unit = CapacityUnit::kSourceTokens;
  ASSERT_TRUE(CheckSchedulerOptions(large, kRows).ok());
  EXPECT_TRUE(Policy(large).RefillBegins({1, big - 1, 1}, Queued(1), kRows));
  EXPECT_FALSE(Policy(large).RefillBegins({1, big, 1}, Queued(1), kRows));
}

TEST(Policy, SourceTokensAreAUnitToo) {
  SchedulerOptions o = Stream(100, 1, 4);
  o.unit = CapacityUnit::kSourceTokens;
  const Policy policy(o);
  EXPECT_TRUE(policy.RefillBegins({3, 25, 12}, Queued(1), kRows));
  EXPECT_FALSE(policy.RefillBegins({1, 26, 4}, Queued(1), kRows));
  EXPECT_TRUE(policy.Admits({9, 70, 36}, {1, 30, 4}, kRows));
  EXPECT_FALSE(policy.Admits({1, 71, 4}, {1, 30, 4}, kRows));
}

TEST(Policy, WhatExceedsTheCapacityEntersAlone) {
  SchedulerOptions o = Stream(100, 1, 4);
  o.unit = CapacityUnit::kSourceTokens;
  const Policy policy(o);
  EXPECT_TRUE(policy.Admits({}, {1, 101, 4}, kRows));
  EXPECT_FALSE(policy.Admits({1, 1, 4}, {1, 101, 4}, kRows));
}

TEST(Policy, HalfEmptyRefillsAtHalf) {
  SchedulerOptions o;
  o.refill = RefillRule::kHalfEmpty;
  o.unit = CapacityUnit::kSegments;
  o.capacity = 5;
  const Policy policy(o);
  EXPECT_TRUE(policy.RefillBegins(Segments(2), Queued(1), kRows));
  EXPECT_FALSE(policy.RefillBegins(Segments(3), Queued(1), kRows));
}

TEST(Policy, AStaticBatchWaitsForTheRestOnlyWhileItComes) {
  SchedulerOptions o;
  o.refill = RefillRule::kStatic;
  o.unit = CapacityUnit::kSegments;
  o.capacity = 4;
  const Policy policy(o);
  EXPECT_TRUE(policy.RefillBegins({}, Queued(4, true), kRows));
  EXPECT_FALSE(policy.RefillBegins({}, Queued(3, true), kRows));
  EXPECT_TRUE(policy.RefillBegins({}, Queued(3, false), kRows));
  EXPECT_TRUE(policy.RefillBegins({}, Queued(3, true, true), kRows));
  EXPECT_FALSE(policy.RefillBegins(Segments(1), Queued(9), kRows));
  EXPECT_FALSE(policy.RefillGoesOn(Queued(0, true)));
}

TEST(Policy, OtherRefillsGoOnWhileTheEncoderIsAtWork) {
  const Policy stream(Stream(12, 1, 6));
  EXPECT_TRUE(stream.RefillGoesOn(Queued(0, true)));
  EXPECT_TRUE(stream.RefillGoesOn(Queued(0, true, true)));
  EXPECT_FALSE(stream.RefillGoesOn(Queued(0, false)));
}

}  // namespace
}  // namespace dragoman::engine
