#include "client/load/plan_meter.h"

#include <gtest/gtest.h>

namespace dragoman::client {
namespace {

constexpr int64_t kMiB = 1 << 20;

// A measurement with 2 workers on 2 cores: 1,000 characters for each second of a core.
PlanMeasurement Measured() {
  return {.seconds = 10,
          .characters = 20'000,
          .cpu_seconds = 20,
          .workers = 2,
          .at_rest = 100 * kMiB,
          .under_load = 140 * kMiB,
          .bound = 500 * kMiB,
          .per_worker = 150 * kMiB};
}

TEST(Plan, CoresFollowFromProcessorTimeAndUtilisation) {
  const Plan plan = Estimate(Measured(), {.characters_per_second = 7'000, .utilisation = 0.7});
  EXPECT_DOUBLE_EQ(plan.characters_per_core_second, 1000);
  EXPECT_DOUBLE_EQ(plan.cores, 10);
  EXPECT_EQ(plan.replicas, 6);  // 5 replicas of 2 cores, and one spare
  EXPECT_DOUBLE_EQ(plan.core_hours_per_million, 1e6 / 700 / 3600);
}

TEST(Plan, WhatOthersTookOfTheMachineIsNotCounted) {
  PlanMeasurement half = Measured();
  half.seconds = 20;  // the same work in twice the time
  EXPECT_DOUBLE_EQ(Estimate(half, {.characters_per_second = 7'000}).cores, 10);
}

TEST(Plan, ReplicasAreRoundedUpAndAtLeastOne) {
  const auto replicas = [](double rate, int spare) {
    return Estimate(Measured(), {.characters_per_second = rate, .utilisation = 0.7, .spare = spare})
        .replicas;
  };
  EXPECT_EQ(replicas(1'400, 0), 1);
  EXPECT_EQ(replicas(1'401, 0), 2);
  EXPECT_EQ(replicas(0.001, 0), 1);
  EXPECT_EQ(replicas(0.001, 2), 3);
}

TEST(Plan, WeightsAreThereOnceAndTheRestForEachWorker) {
  Plan plan = Estimate(Measured(), {.characters_per_second = 1, .cores = 2});
  EXPECT_EQ(plan.at_rest, 100 * kMiB);
  EXPECT_EQ(plan.under_load, 140 * kMiB);
  EXPECT_EQ(plan.limit, 500 * kMiB);
  plan = Estimate(Measured(), {.characters_per_second = 1, .cores = 8});
  EXPECT_EQ(plan.under_load, 260 * kMiB);
  EXPECT_EQ(plan.limit, 1'400 * kMiB);
  plan = Estimate(Measured(), {.characters_per_second = 1, .cores = 1});
  EXPECT_EQ(plan.under_load, 120 * kMiB);
  EXPECT_EQ(plan.limit, 350 * kMiB);
}

}  // namespace
}  // namespace dragoman::client
