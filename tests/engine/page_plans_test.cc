#include "engine/page_plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/backend.h"
#include "engine/worker_places.h"
#include "kernels/search/plan.h"
#include "tests/engine/support/bundled_engine.h"
#include "tests/engine/support/scripted_model.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kMebibyte = int64_t{1} << 20;

// A model that takes as much memory as one of OPUS-MT's size: pages of 786 KB and 300 MB of
// weights.
class LargeModel final : public testing::ScriptedModel {
 public:
  LargeModel() : testing::ScriptedModel([](auto, auto) { return std::vector<float>(); }) {}
  kernels::KvLayout kv_layout() const override { return {6, 8, 64}; }
  int64_t weight_bytes() const override { return 300 * kMebibyte; }
  int64_t workspace_bytes(int, int) const override { return 20 * kMebibyte; }
};

ModelSpec SpecOf(int max_length, int beams) {
  ModelSpec spec;
  spec.shape.max_positions = 512;
  spec.shape.target_vocab = 1000;
  spec.generation.max_length = max_length;
  spec.generation.num_beams = beams;
  return spec;
}

absl::StatusOr<PagePlan> Plan(const ModelSpec& spec, const EngineConfig& config) {
  const std::vector<WorkerPlace> places = {
      {CreateCpuBackend(std::make_shared<LargeModel>()), config.workers}};
  auto plans = PlanPagesOfPlaces(places, spec, spec.shape.max_positions,
                                 BatchConfigOf(spec, config), 0, config);
  if (!plans.ok()) return plans.status();
  return plans->front();
}

std::string ErrorOf(const EngineConfig& config,
                    absl::StatusCode code = absl::StatusCode::kResourceExhausted) {
  const auto plan = Plan(SpecOf(512, 4), config);
  EXPECT_EQ(plan.status().code(), code);
  return std::string(plan.status().message());
}

TEST(WorkerPlaces, AWorkerHasThreadsOfItsOwnNodeAlone) {
  EngineConfig config;
  config.workers = 4;
  config.threads_per_worker = 2;
  WorkerPlace place;
  place.workers = 4;
  EXPECT_EQ(MostThreadsOfWorker(config, place), 8);
  place.workers = 2;  // two of the four are on this node
  EXPECT_EQ(MostThreadsOfWorker(config, place), 4);
  config.max_threads_per_worker = 3;
  EXPECT_EQ(MostThreadsOfWorker(config, place), 3);
}

TEST(PagePlans, HoldEverySegmentThatIsPermittedWhateverMaxRows) {
  std::vector<int> rows = {100, 256, 1000, 4096};
  for (int i = 1; i <= 64; ++i) rows.push_back(i);
  for (const int max_rows : rows) {
    for (const int max_length : {2, 20, 200, 512}) {
      EngineConfig config;
      config.max_rows = max_rows;
      const auto plan = ExpectOk(Plan(SpecOf(max_length, 4), config));
      const int longest = max_length - 1;
      // There is room for the widest beam at its maximum length and for an ordinary request at the
      // same time.
      EXPECT_GE(plan->self_pages, kernels::WorstCasePages(std::min(max_rows, 64), longest) +
                                      kernels::WorstCasePages(std::min(max_rows, 4), longest))
          << max_rows << " rows, max_length " << max_length;
      EXPECT_GE(plan->cross_pages, 2 * kernels::KvLayout::PagesFor(512));
    }
  }
}

TEST(PagePlans, AGivenSizeMustHoldAnOrdinaryRequest) {
  // A beam of 4 over 511 tokens takes 64 pages of 768 KiB, and two sources of 512 tokens take 16
  // each.
  EngineConfig config;
  config.kv_memory_mb = 73;
  EXPECT_TRUE(Plan(SpecOf(512, 4), config).ok());
  config.kv_memory_mb = 70;
  EXPECT_THAT(ErrorOf(config, absl::StatusCode::kInvalidArgument),
              AllOf(HasSubstr("kv-memory-mb is 70"), HasSubstr("at least 64"),
                    HasSubstr("default beam of 4")));
  config.workers = 2;
  config.kv_memory_mb = 146;
  EXPECT_TRUE(Plan(SpecOf(512, 4), config).ok());
}

TEST(PagePlans, AGivenSizeThatTheMachineHasNotIsRefusedWithTheArithmetic) {
  EngineConfig config;
  config.memory.most = 4096 * kMebibyte;
  config.memory.most_of = "the cgroup /pod";
  config.memory.now = 100 * kMebibyte;  // must not cause a refusal, because it may be freed
  config.memory.reserved = 200 * kMebibyte;
  config.kv_memory_mb = 3000;
  EXPECT_TRUE(Plan(SpecOf(512, 4), config).ok());
  config.kv_memory_mb = 4000;
  EXPECT_THAT(ErrorOf(config),
              AllOf(HasSubstr("kv-memory-mb is 4000"), HasSubstr("300 MiB of weights"),
                    HasSubstr("200 MiB for requests"), HasSubstr("the cgroup /pod has 4096"),
                    HasSubstr("expected at most 35")));
  config.memory.most = 0;  // unknown
  EXPECT_TRUE(Plan(SpecOf(512, 4), config).ok());
}

TEST(PagePlans, WithoutASizeTheyFollowTheMemory) {
  EngineConfig config;
  config.workers = 2;
  const auto usual = Plan(SpecOf(512, 4), config);
  ASSERT_TRUE(usual.ok());
  EXPECT_EQ(usual->self_pages, 64 * 16 + 4 * 256);

  config.memory.most = 64 * 1024 * kMebibyte;
  config.memory.reserved = 200 * kMebibyte;
  EXPECT_EQ(Plan(SpecOf(512, 4), config)->self_pages, usual->self_pages);

  config.memory.most = 2048 * kMebibyte;
  for (const int64_t now : {int64_t{0}, 1500 * kMebibyte}) {
    config.memory.now = now;
    const auto small = ExpectOk(Plan(SpecOf(512, 4), config));
    const int64_t kv = 2 * (int64_t{small->self_pages} + small->cross_pages) * 768 * 1024;
    EXPECT_LT(kv + 500 * kMebibyte, now > 0 ? now : config.memory.most);
    EXPECT_GT(kv, (now > 0 ? now : config.memory.most) / 3);
  }

  // The memory of other models is not available, whether they are loaded already or still to come.
  config.memory.now = 0;
  const auto alone = Plan(SpecOf(512, 4), config);
  config.memory.loaded_models = 500 * kMebibyte;
  config.memory.models_to_come = 300 * kMebibyte;
  const auto beside = Plan(SpecOf(512, 4), config);
  config.memory.most -= 800 * kMebibyte;
  config.memory.loaded_models = 0;
  config.memory.models_to_come = 0;
  const auto smaller = Plan(SpecOf(512, 4), config);
  ASSERT_TRUE(alone.ok() && beside.ok() && smaller.ok());
  EXPECT_LT(beside->self_pages, alone->self_pages);
  EXPECT_EQ(beside->self_pages, smaller->self_pages);

  // The memory reserved for requests may shrink in favour of an ordinary segment. That of other
  // models may not.
  config.memory.now = 0;
  config.memory.most = 800 * kMebibyte;
  config.memory.reserved = 700 * kMebibyte;
  EXPECT_TRUE(Plan(SpecOf(512, 4), config).ok());
  config.memory.loaded_models = 300 * kMebibyte;
  EXPECT_THAT(ErrorOf(config), HasSubstr("300 MiB of other models"));
  config.memory.loaded_models = 0;

  config.memory.most = 500 * kMebibyte;
  config.memory.most_of = "the machine";
  EXPECT_THAT(ErrorOf(config),
              AllOf(HasSubstr("the machine"), HasSubstr("500 MiB"), HasSubstr("weights"),
                    HasSubstr("expected at least 64 for the default beam of 4")));
}

TEST(PagePlans, WeightsThatCannotFitAreRefusedBeforeTheyArePacked) {
  EngineConfig config;
  LoadMemory load;
  EXPECT_TRUE(CheckWeightsFit(1 << 30, int64_t{1} << 32, config, &load).ok());
  config.memory.most = 1024 * kMebibyte;
  config.memory.most_of = "the cgroup /pod";
  config.memory.reserved = 900 * kMebibyte;  // not in use while the model is loaded
  EXPECT_TRUE(CheckWeightsFit(200 << 20, 1000 * kMebibyte, config, &load).ok());
  const absl::Status status = CheckWeightsFit(300 << 20, 1200 * kMebibyte, config, &load).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("1200 MiB in float32"), HasSubstr("the cgroup /pod has 1024")));
  config.memory.loaded_models = 300 * kMebibyte;
  EXPECT_THAT(
      std::string(CheckWeightsFit(200 << 20, 800 * kMebibyte, config, &load).status().message()),
      HasSubstr("of which other models hold 300 MiB"));
  config.memory.loaded_models = 0;
  config.placement = {{0, {0}}, {0, {1}}, {1, {2}}};
  EXPECT_TRUE(CheckWeightsFit(100 << 20, 500 * kMebibyte, config, &load).ok());
  EXPECT_THAT(
      std::string(CheckWeightsFit(200 << 20, 800 * kMebibyte, config, &load).status().message()),
      HasSubstr("for each of 2 nodes of memory"));
}

// While the weights are packed, the vocabularies that were read and the process itself also hold
// memory.
TEST(PagePlans, WeightsAreJudgedBesideWhatTheLoadKeeps) {
  EngineConfig config;
  config.memory.most = 1024 * kMebibyte;
  config.memory.most_of = "the cgroup /pod";
  config.memory.process = 100 * kMebibyte;
  LoadMemory load;
  EXPECT_TRUE(CheckWeightsFit(200 << 20, 900 * kMebibyte, config, &load).ok());
  ASSERT_TRUE(load.Keep(50 * kMebibyte, "vocab.json").ok());
  EXPECT_THAT(
      std::string(CheckWeightsFit(200 << 20, 900 * kMebibyte, config, &load).status().message()),
      AllOf(HasSubstr("900 MiB in float32, and vocabularies and the process 150 MiB"),
            HasSubstr("the cgroup /pod has 1024 MiB")));
  EXPECT_EQ(load.peak(), 900 * kMebibyte);
}

// While unpacked files are in memory during a load, calls may use all memory that is reserved for
// them.
TEST(PagePlans, BesideUnpackedFilesWeightsLeaveCallsTheirMemory) {
  EngineConfig config;
  config.memory.most = 1024 * kMebibyte;
  config.memory.now = 1000 * kMebibyte;
  config.memory.most_of = "the cgroup /pod";
  config.memory.loaded_models = 165 * kMebibyte;
  config.memory.process = 128 * kMebibyte;
  config.memory.reserved_now = 440 * kMebibyte;
  LoadMemory load;
  LimitLoad(config, &load);
  const absl::Status huge = load.Reserve(1300 * kMebibyte, "model.bin").status();
  EXPECT_EQ(huge.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(huge.message()),
              AllOf(HasSubstr("model.bin: takes 1300 MiB"), HasSubstr("expected at most 395 MiB"),
                    HasSubstr("the cgroup /pod has 1000 MiB now"),
                    HasSubstr("other models hold 165 MiB and requests and the process 440 MiB")));
  const absl::StatusOr<LoadMemory::Hold> unpacked = load.Reserve(350 * kMebibyte, "model.bin");
  ASSERT_TRUE(unpacked.ok()) << unpacked.status();
  EXPECT_TRUE(CheckWeightsFit(20 << 20, 40 * kMebibyte, config, &load).ok());
  EXPECT_THAT(
      std::string(CheckWeightsFit(60 << 20, 62 * kMebibyte, config, &load).status().message()),
      HasSubstr("the packed weights: takes 62 MiB of memory while the model is loaded, 412 MiB"));
}

// A request with default options and few rows, which was once refused.
class FewRows : public testing::BundledEngine {};

TEST_F(FewRows, TakeOrdinaryRequests) {
  std::string text;
  for (int i = 0; i < 60; ++i) absl::StrAppend(&text, i > 0 ? " " : "", "Haus");
  for (const int rows : {1, 2, 3, 4, 5, 8, 13}) {
    EngineConfig config;
    config.max_rows = rows;
    Start(config);
    TranslationJob job = Job({text});
    job.decoding.beam_size = std::min(rows, 4);
    TranslateOne(std::move(job));  // expects success
  }
}

// KV caches without a given size may take all available memory, but a model can still be reloaded.
TEST(PagePlans, WhatRequestsMayHoldGivesWayToALoad) {
  EngineConfig config;
  config.memory.most = 1000 * kMebibyte;
  config.memory.most_of = "the cgroup /pod";
  config.memory.loaded_models = 500 * kMebibyte;
  config.memory.process = 100 * kMebibyte;
  config.memory.reserved_now = 540 * kMebibyte;
  LoadMemory load;
  LimitLoad(config, &load);
  EXPECT_TRUE(load.Reserve(200 * kMebibyte, "model.bin").ok());
  EXPECT_THAT(std::string(load.Reserve(201 * kMebibyte, "model.bin").status().message()),
              AllOf(HasSubstr("expected at most 200 MiB"), HasSubstr("half of what is left")));
}

}  // namespace
}  // namespace dragoman::engine
