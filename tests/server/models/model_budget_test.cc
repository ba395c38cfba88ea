#include "server/models/model_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelSettings Model(const std::string& device = "cpu") {
  ModelSettings model;
  model.model_name = "m";
  model.devices = *engine::ParseDevices(device, "auto");
  return model;
}

ModelSettings WithCpus(int workers, int threads) {
  ModelSettings model = Model();
  model.cpu_workers = workers;
  model.threads_per_worker = threads;
  return model;
}

ModelSettings WithKv(int mb) {
  ModelSettings model = Model();
  model.kv_memory_mb = mb;
  return model;
}

ModelSettings WithFraction(const std::string& device, double fraction) {
  ModelSettings model = Model(device);
  model.own_device_memory_fraction = true;
  model.device_memory_fraction = fraction;
  return model;
}

TEST(ModelBudget, ProcessorsAreDividedAndTheFirstGetWhatIsLeftOver) {
  EXPECT_THAT(DivideCpus(8, {Model()}), ElementsAre(8));
  EXPECT_THAT(DivideCpus(8, {Model(), Model()}), ElementsAre(4, 4));
  EXPECT_THAT(DivideCpus(8, {Model("auto"), Model(), Model()}), ElementsAre(3, 3, 2));
}

TEST(ModelBudget, ModelsThatSayHowManyHaveThemAndTheOthersTheRest) {
  EXPECT_THAT(DivideCpus(8, {WithCpus(2, 3), Model()}), ElementsAre(6, 2));
  EXPECT_THAT(DivideCpus(8, {Model(), WithCpus(2, 1), Model()}), ElementsAre(3, 2, 3));
  // The number of workers alone does not say how many processors the model takes.
  EXPECT_THAT(DivideCpus(8, {WithCpus(2, 0), Model()}), ElementsAre(4, 4));
}

TEST(ModelBudget, EveryModelHasAProcessorEvenWhereThereAreFewer) {
  EXPECT_THAT(DivideCpus(2, {Model(), Model(), Model()}), ElementsAre(1, 1, 1));
  EXPECT_THAT(DivideCpus(4, {WithCpus(8, 1), Model()}), ElementsAre(8, 1));
}

TEST(ModelBudget, ModelsOnGpusTakeOneForTheirText) {
  EXPECT_THAT(DivideCpus(8, {Model("cuda:0"), Model()}), ElementsAre(1, 7));
}

// Two models with the setting `auto`. The machine's GPU takes only the first.
TEST(ModelBudget, AutoCountsAsWhatItCameTo) {
  DevicePlan gpu;
  gpu.devices.cuda = {0};
  const std::vector<ModelSettings> models = {OnDevices(Model("auto"), gpu),
                                             OnDevices(Model("auto"), DevicePlan())};
  EXPECT_THAT(DivideCpus(8, models), ElementsAre(1, 7));
  EXPECT_THAT(DivideTextCpus(8, models), ElementsAre(8, 7));
  const auto fractions = ExpectOk(DivideDeviceMemory(models, 0.9));
  EXPECT_THAT((*fractions)[0], DoubleNear(0.9, 1e-9));
  const int64_t left = 900 * kMiB;
  EXPECT_EQ(HostBytesToCome(left, models[1], {models[0]}), 0);
}

TEST(ModelBudget, TextOfModelsOnGpusHasAllProcessors) {
  EXPECT_THAT(DivideTextCpus(16, {Model("cuda:0")}), ElementsAre(16));
  EXPECT_THAT(DivideTextCpus(16, {Model("cuda:0"), Model("cuda:1")}), ElementsAre(8, 8));
  EXPECT_THAT(DivideTextCpus(8, {Model("cuda:0"), Model(), Model()}), ElementsAre(8, 4, 3));
  EXPECT_THAT(DivideTextCpus(1, {Model("cuda:0"), Model("cuda:0")}), ElementsAre(1, 1));
  EXPECT_THAT(DivideTextCpus(8, {Model(), WithCpus(2, 1)}), ElementsAre(6, 2));
}

TEST(ModelBudget, ModelsOfOneGpuFillItOneAfterAnother) {
  const auto two = ExpectOk(DivideDeviceMemory({Model("auto"), Model("cuda:0")}, 0.9));
  EXPECT_THAT(*two, ElementsAre(DoubleNear(0.45, 1e-9), DoubleNear(0.9, 1e-9)));
  const auto own = ExpectOk(
      DivideDeviceMemory({WithFraction("cuda:0", 0.5), Model("cuda:0"), Model("cuda:0")}, 0.9));
  EXPECT_THAT(*own,
              ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(0.7, 1e-9), DoubleNear(0.9, 1e-9)));
}

TEST(ModelBudget, ModelsOfDifferentDevicesDoNotShare) {
  const auto fractions =
      ExpectOk(DivideDeviceMemory({Model("cuda:0"), Model("cuda:1"), Model("cpu")}, 0.9));
  EXPECT_THAT(*fractions,
              ElementsAre(DoubleNear(0.9, 1e-9), DoubleNear(0.9, 1e-9), DoubleNear(0.9, 1e-9)));
}

TEST(ModelBudget, FractionsThatDoNotFitAreRefusedWithTheSum) {
  const auto above =
      DivideDeviceMemory({WithFraction("cuda:0", 0.5), WithFraction("cuda:0", 0.75)}, 0.9);
  EXPECT_EQ(above.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(above.status().message()),
              AllOf(HasSubstr("0.5 (m) + 0.75 (m) = 1.25"), HasSubstr("at most 1")));
  const auto none = DivideDeviceMemory({WithFraction("cuda:0", 0.9), Model("cuda:0")}, 0.9);
  EXPECT_THAT(
      std::string(none.status().message()),
      AllOf(HasSubstr("= 0.9"), HasSubstr("1 models without one"), HasSubstr("less than 0.9")));
}

TEST(ModelBudget, ModelsWithKvOfAGivenSizeAreLoadedFirst) {
  EXPECT_THAT(LoadOrder({Model(), WithKv(10), Model(), WithKv(5)}), ElementsAre(1, 3, 0, 2));
}

TEST(ModelBudget, WhatIsLeftOfMemoryIsDividedAmongThoseToCome) {
  const int64_t left = 900 * kMiB;
  // No other model is to come, so this one gets all of the memory.
  EXPECT_EQ(HostBytesToCome(left, Model(), {}), 0);
  // Two more models without a given size are to come, so this one gets a third.
  EXPECT_EQ(HostBytesToCome(left, Model(), {Model(), Model()}), 600 * kMiB);
  // Given sizes are reserved first. A model with a given size leaves everything else to the others.
  EXPECT_EQ(HostBytesToCome(left, Model(), {WithKv(300), Model()}), 600 * kMiB);
  EXPECT_EQ(HostBytesToCome(left, WithKv(50), {WithKv(300), Model()}), 300 * kMiB);
  // The K/V of a model on a GPU is not in host memory.
  EXPECT_EQ(HostBytesToCome(left, Model(), {Model("cuda:0")}), 0);
  // Less than nothing is left. Nothing is reserved, and the engine reports the lack.
  EXPECT_EQ(HostBytesToCome(-left, Model(), {Model()}), 0);
}

// Comparing all pairs of 50,000 models would take minutes. Equal models are therefore grouped.
TEST(DivideDeviceMemory, TakesTensOfThousandsOfModels) {
  std::vector<ModelSettings> models;
  for (int i = 0; i < 50'000; ++i) models.push_back(Model(i % 2 == 0 ? "cpu" : "auto"));
  const auto limits = ExpectOk(DivideDeviceMemory(models, 0.9));
  EXPECT_THAT((*limits)[49'998], DoubleNear(0.9, 1e-12));
  EXPECT_THAT((*limits)[1], DoubleNear(0.9 / 25'000, 1e-12));
  EXPECT_THAT((*limits)[49'999], DoubleNear(0.9, 1e-9));
}

}  // namespace
}  // namespace dragoman::server
