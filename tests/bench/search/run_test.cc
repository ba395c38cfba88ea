// Tests of runs of the benchmark on the CPU and with a device's loop whose steps the CPU's model
// computes: what is counted, compared and printed.
#include "tests/bench/search/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/decode/cpu_model.h"
#include "tests/bench/search/device.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/searches.h"
#include "tests/bench/search/subcommands.h"
#include "tests/engine/support/all_weights.h"
#include "tests/engine/support/host_device_backend.h"
#include "tests/engine/support/weights_in_memory.h"

namespace dragoman::bench {
namespace {

constexpr int kSegments = 3;  // at a time
constexpr int kBeam = 4;

const BenchModel& Model() {
  static const BenchModel model(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en");
  return model;
}

std::vector<std::vector<int32_t>> Sources(size_t count) {
  return Model().Encode(
      JoinLines(ReadLines(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt"), count, 1, 2, 1));
}

std::shared_ptr<const engine::Backend> DeviceOf(std::shared_ptr<const engine::StepModel> model) {
  // Enough room for all segments of a batch to enter, or to leave, in one step.
  testing::HostDeviceOptions options;
  options.rules_words = options.command_words = options.output_words = 1 << 16;
  return testing::CreateHostDeviceBackend(std::move(model), options);
}

// Borrows the benchmark's own model, so that it is in memory only once.
Runner OnDevice() {
  return {&Model(), [](const engine::BatchConfig&) {
            return DeviceOf({std::shared_ptr<const engine::StepModel>(), &Model().model()});
          }};
}

TEST(SearchRun, WhatADeviceDoesNotTellIsNotCounted) {
  const std::vector<Task> tasks = Model().Tasks(Sources(4), FixedOurs(kBeam));
  const RunConfig config = OfSegments(engine::RefillRule::kStatic,
                                      engine::WindowOrder::kLongestFirst, kSegments, kBeam, 4);
  const RunResult cpu = Runner(&Model()).Run(config, tasks);
  EXPECT_GE(cpu.expansions, cpu.row_steps);
  EXPECT_TRUE(cpu.self.has_value() && cpu.cross.has_value());
  const RunResult device = OnDevice().Run(config, tasks);
  EXPECT_FALSE(device.expansions.has_value());
  EXPECT_FALSE(device.self.has_value() || device.cross.has_value());
  EXPECT_GT(device.encode_seconds, 0);
  EXPECT_GT(device.decode_seconds, 0);
}

TEST(SearchRun, ComparesTokensAndBits) {
  const std::vector<Task> tasks = Model().Tasks(Sources(2), FixedOurs(2));
  const RunResult run =
      Runner(&Model()).Run(TopUpByRows(2, 2, engine::WindowOrder::kArrival, 2), tasks);
  RunResult other = run;
  EXPECT_EQ(FirstDifference(run, other), -1);
  EXPECT_TRUE(SameWork(run, other));
  float& score = other.nbest[1].back().score;
  score = std::nextafter(score, 0.0F);
  EXPECT_EQ(FirstDifference(run, other), 1);
  other.nbest[0].pop_back();
  EXPECT_EQ(FirstDifference(run, other), 0);
  ++other.row_steps;
  EXPECT_FALSE(SameWork(run, other));
}

// A device whose model differs from batch to batch, as if its sums depended on a row's neighbours.
class FickleBackend final : public engine::Backend {
 public:
  FickleBackend() {
    auto loaded = engine::LoadModel(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en");
    const engine::Program& program = loaded->program;
    engine::WeightValues values = engine::AllWeights(*loaded);
    for (float shift : {0.0F, 1e-3F}) {
      values[static_cast<size_t>(program.output().bias)][7] += shift;
      faces_.push_back(
          DeviceOf(*engine::CreateCpuModel(program, engine::WeightsInMemory(program, values))));
    }
  }
  const engine::BackendInfo& info() const override { return faces_[0]->info(); }
  absl::StatusOr<engine::PagePlan> PlanPages(const engine::PageRequest& request) const override {
    return faces_[0]->PlanPages(request);
  }
  absl::StatusOr<std::unique_ptr<engine::KvMemory>> CreateKvMemory(
      const engine::PagePlan& plan) const override {
    return faces_[0]->CreateKvMemory(plan);
  }
  absl::StatusOr<std::unique_ptr<engine::Encoder>> CreateEncoder(int threads) const override {
    return faces_[0]->CreateEncoder(threads);
  }
  absl::StatusOr<std::unique_ptr<engine::Batch>> CreateBatch(
      const engine::BatchConfig& config, int threads, engine::KvMemory* memory) const override {
    return faces_[static_cast<size_t>(batches_++ % 2)]->CreateBatch(config, threads, memory);
  }

 private:
  std::vector<std::shared_ptr<const engine::Backend>> faces_;
  mutable int batches_ = 0;
};

Arguments Words(std::vector<std::string> words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  return {static_cast<int>(pointers.size()), pointers.data(), 0};
}

class SearchSubcommand : public ::testing::Test {
 protected:
  bool Run(bool (*subcommand)(Runner&, Arguments&, Report&), Runner runner) {
    Arguments arguments =
        Words({"--texts", "5", "--segments", "2", "--beam", "3", "--rounds", "1"});
    ::testing::internal::CaptureStdout();
    const bool held = subcommand(runner, arguments, report_);
    printed_ = ::testing::internal::GetCapturedStdout();
    return held;
  }

  Report report_{"thread", "float32"};
  std::string printed_;
};

TEST_F(SearchSubcommand, PrintsADashForWhatADeviceDoesNotTell) {
  EXPECT_TRUE(Run(RunSchedulers, OnDevice()));
  EXPECT_THAT(printed_, ::testing::HasSubstr("thread, float32; seconds are those of a clock"));
  EXPECT_THAT(printed_, ::testing::HasSubstr("% | - | - | - | "));
  const nlohmann::json& table = report_.json()["tables"].at(0);
  EXPECT_EQ(table["columns"].at(5), "expansions");
  for (const auto& row : table["rows"]) {
    EXPECT_GT(row.at(2), 0) << "row-steps";
    EXPECT_TRUE(row.at(5).is_null() && row.at(6).is_null() && row.at(7).is_null());
  }
  EXPECT_EQ(report_.json()["identical"].size(), 1U);
}

TEST_F(SearchSubcommand, PruningRunsOnADevice) { EXPECT_TRUE(Run(RunPruning, OnDevice())); }

TEST_F(SearchSubcommand, CostOfConstraintsRunsOnADevice) {
  EXPECT_TRUE(Run(RunConstraintCost, OnDevice()));
  EXPECT_EQ(report_.json()["tables"].size(), 3U);
}

TEST_F(SearchSubcommand, FailsWhenSchedulesDiffer) {
  const std::shared_ptr<const engine::Backend> fickle = std::make_shared<FickleBackend>();
  const MakeBackend make =
      [&](const engine::BatchConfig&) -> absl::StatusOr<std::shared_ptr<const engine::Backend>> {
    return fickle;
  };
  EXPECT_FALSE(Run(RunSchedulers, Runner(&Model(), make)));
  EXPECT_THAT(printed_, ::testing::HasSubstr("DIFFERENT"));
  EXPECT_THAT(report_.json()["identical"].dump(), ::testing::HasSubstr(":false"));
}

TEST(SearchDevice, IsOneDeviceThatThereIs) {
  const auto cpu = ChooseDevice(*ParseDevice("cpu", "auto"), Model());
  ASSERT_TRUE(cpu.ok());
  EXPECT_EQ(cpu->make, nullptr);
  EXPECT_EQ(cpu->compute_type, "float32");
  for (const auto& [device, type] : {std::pair{"auto", "auto"},
                                     {"cuda:0,cuda:1", "auto"},
                                     {"cpu", "float16"},
                                     {"host", "float16"},
                                     {"gpu", "auto"},
                                     {"cuda:0", "int8"}}) {
    EXPECT_EQ(ParseDevice(device, type).status().code(), absl::StatusCode::kInvalidArgument)
        << device << " " << type;
  }
  EXPECT_EQ(ChooseDevice(*ParseDevice("cuda:1023", "auto"), Model()).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace dragoman::bench
