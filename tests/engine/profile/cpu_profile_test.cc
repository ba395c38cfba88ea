// Tests the profile of steps on the CPU. The clock advances by one microsecond at each reading, so
// a time is the number of readings, which the test knows.
#include "engine/profile/cpu_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/model/layouts/model_source.h"
#include "engine/profile/op_times.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class TickingClock final : public Clock {
 public:
  Nanos Now() const override { return now_ += 1000; }

 private:
  mutable Nanos now_ = 0;
};

TEST(OpTimes, TakeWhatRanWithinAnOperationOutOfIt) {
  const TickingClock clock;
  OpTimes times(&clock);
  for (int i = 0; i < 2; ++i) {
    const kernels::Probed whole(&times, "whole");
    const kernels::Probed part(&times, "part");
  }
  EXPECT_EQ(times.Of("whole"), 2 * 2000);
  EXPECT_EQ(times.Of("part"), 2 * 1000);
  EXPECT_EQ(times.Total(), 2 * 3000);
  EXPECT_EQ(times.Of("nothing"), 0);
  times.Clear();
  EXPECT_EQ(times.Total() + times.Of("part"), 0);
}

absl::StatusOr<LoadedModel> TinyModel() {
  return LoadModel(DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-a");
}

class CpuProfiles : public ::testing::TestWithParam<kernels::ComputeType> {
 protected:
  void SetUp() override {
    absl::StatusOr<LoadedModel> loaded = TinyModel();
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    program_ = loaded->program;
    weights_ = std::move(loaded->weights);
    config_.type = GetParam();
    config_.batch.max_rows = 10;  // two segments of beam 4
    config_.batch.max_positions = loaded->spec.shape.max_positions + 1;
    config_.batch.vocabulary = loaded->spec.shape.target_vocab;
    config_.batch.start_token = loaded->spec.tokens.decoder_start;
  }

  absl::StatusOr<CpuProfile> Measure(int steps) const {
    return MeasureCpuSteps(config_, program_, *weights_, steps, &clock_);
  }

  Program program_;
  std::shared_ptr<const Weights> weights_;
  CpuProfileConfig config_;
  const TickingClock clock_;
};

TEST_P(CpuProfiles, ListEveryOperationOnceWithItsLaunchesAndTime) {
  for (const int threads : {1, 2}) {
    config_.threads = threads;
    const absl::StatusOr<CpuProfile> profile = Measure(3);
    ASSERT_TRUE(profile.ok()) << profile.status();
    EXPECT_EQ(profile->rows.rows, 8);
    EXPECT_EQ(profile->rows.segments, 2);
    EXPECT_DOUBLE_EQ(profile->rows.self_positions, 17);

    const bool quantized = GetParam() != kernels::ComputeType::kFloat32;
    std::vector<StepCost> expected = CostsByName(program_.decoder, program_, profile->rows);
    int64_t products = 0;
    for (const Op& op : program_.decoder.ops) {
      if (std::holds_alternative<ProductOp>(op.what)) ++products;
    }
    const size_t operations = expected.size();
    expected.push_back({kernels::op_part::kOperands, quantized ? products + 1 : 0, {}});
    expected.push_back({kernels::op_part::kActivation, 0, {}});  // relu is part of the products
    expected.push_back({kernels::op_part::kFold, 1, {}});
    expected.push_back({kAroundTheModel, 1, {}});
    ASSERT_EQ(profile->costs.size(), expected.size());
    ASSERT_EQ(profile->seconds.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const StepCost& cost = profile->costs[i];
      EXPECT_STREQ(cost.name, expected[i].name);
      EXPECT_EQ(cost.launches, expected[i].launches) << cost.name;
      EXPECT_EQ(cost.cost.bytes, expected[i].cost.bytes) << cost.name;
      if (cost.launches == 0) {
        EXPECT_EQ(profile->seconds[i], 0) << cost.name;
      } else {
        EXPECT_GT(profile->seconds[i], 0) << cost.name;
      }
    }
    const auto begin = profile->seconds.begin();
    EXPECT_LT(std::accumulate(begin, profile->seconds.end() - 1, 0.0), profile->step_seconds);
    EXPECT_NEAR(std::accumulate(begin, profile->seconds.end(), 0.0), profile->step_seconds, 1e-12);

    // One microsecond passes between two readings. An operation with a measured part inside has
    // four readings and takes two microseconds without that part.
    const double reading = 1e-6;
    double product_seconds = 0;
    for (size_t i = 0; i < operations; ++i) {
      const StepCost& cost = profile->costs[i];
      const Op* op = nullptr;
      for (const Op& each : program_.decoder.ops) {
        if (std::string_view(each.name) == cost.name) op = &each;
      }
      ASSERT_NE(op, nullptr);
      const bool product = std::holds_alternative<ProductOp>(op->what);
      const bool output = std::holds_alternative<OutputOp>(op->what);
      if (!output) {
        EXPECT_NEAR(profile->seconds[i],
                    reading * static_cast<double>(cost.launches) * (product && quantized ? 2 : 1),
                    1e-12)
            << cost.name;
      }
      if (product || output) product_seconds += profile->seconds[i];
    }
    EXPECT_NEAR(profile->product_seconds, product_seconds, 1e-12);
    EXPECT_NEAR(profile->seconds[operations],
                reading * static_cast<double>(expected[operations].launches), 1e-12);
  }
}

TEST_P(CpuProfiles, CountTheBytesOfTheirTypes) {
  const absl::StatusOr<CpuProfile> profile = Measure(1);
  ASSERT_TRUE(profile.ok()) << profile.status();
  const bool quantized = GetParam() != kernels::ComputeType::kFloat32;
  EXPECT_EQ(profile->rows.element_bytes, 4);
  EXPECT_EQ(profile->rows.weight_bytes, kernels::ElementBytes(GetParam()));
  EXPECT_EQ(profile->rows.kv_bytes, quantized ? 2 : 4);
}

TEST_P(CpuProfiles, AreATable) {
  const auto table = ExpectOk(ProfileCpuSteps(config_, program_, *weights_, 1, &clock_));
  EXPECT_THAT(*table, HasSubstr(" thread\n8 rows, 2 slots, 16.0 self positions, 30.0 source "));
  EXPECT_THAT(*table, HasSubstr(std::string(kernels::ComputeTypeName(GetParam())) + "\ncopy "));
  EXPECT_THAT(*table, HasSubstr("\nself-attention            2        2.0 "));
  EXPECT_THAT(*table, HasSubstr("\nsearch and tables         1 "));
  EXPECT_THAT(*table, ContainsRegex("\nstep .*\neverything except products: [0-9.]+ %\n$"));
  EXPECT_EQ(table->find("\nrows to operands ") == std::string::npos,
            GetParam() == kernels::ComputeType::kFloat32);
  EXPECT_THAT(*table, Not(HasSubstr("\nactivation ")));
}

TEST_P(CpuProfiles, SayWhatCannotBeProfiled) {
  const auto refused = [&](int steps) {
    const absl::StatusOr<CpuProfile> profile = Measure(steps);
    EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(profile.status().message());
  };
  EXPECT_THAT(refused(113), AllOf(HasSubstr("profile: found 113 steps of 10 rows"),
                                  HasSubstr("expected at most 112 of 4 rows or more")));
  EXPECT_TRUE(Measure(112).ok());
  config_.batch.max_rows = 3;
  EXPECT_THAT(refused(1), HasSubstr("found 1 steps of 3 rows"));
  config_.batch.max_rows = 4;
  program_.max_positions = 29;
  EXPECT_THAT(refused(1), HasSubstr("found a model of 29 positions, expected 30 or more"));
}

INSTANTIATE_TEST_SUITE_P(Types, CpuProfiles,
                         ::testing::Values(kernels::ComputeType::kFloat32,
                                           kernels::ComputeType::kBFloat16,
                                           kernels::ComputeType::kInt8),
                         [](const auto& param) {
                           return std::string(kernels::ComputeTypeName(param.param));
                         });

TEST(CpuProfile, RefusesATypeThatTheCpuHasNoKernelsOf) {
  absl::StatusOr<LoadedModel> loaded = TinyModel();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  CpuProfileConfig config;
  config.type = kernels::ComputeType::kFloat16;
  config.batch.max_rows = 4;
  config.batch.max_positions = 129;
  const TickingClock clock;
  const auto table = ProfileCpuSteps(config, loaded->program, *loaded->weights, 1, &clock);
  EXPECT_EQ(table.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(table.status().message()), HasSubstr("found float16"));
}

}  // namespace
}  // namespace dragoman::engine
