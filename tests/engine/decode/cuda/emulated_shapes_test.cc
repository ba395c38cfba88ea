// Runs encoder passes and steps on the emulated device and checks that it supports exactly the
// shapes that CheckDeviceShapes accepts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/model/families/family.h"
#include "tests/engine/decode/cuda/emulated_backend.h"
#include "tests/engine/support/weights_in_memory.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

// A fixture for networks with one encoder and one decoder layer and batches of 16 rows.
class EmulatedShapes : public ::testing::TestWithParam<kernels::ComputeType> {
 protected:
  void Make(int heads, int head_dim, int ffn) {
    ModelSpec spec;
    spec.shape = {heads * head_dim, 1, 1, heads, heads, ffn, ffn, 11, 11, 40};
    program_ = FindFamily("marian")->make(spec)->program;
    Fill();
  }
  void MakeT5(int d, int heads, int head_dim, int ffn) {
    ModelSpec spec;
    spec.shape = {d, 1, 1, heads, heads, ffn, ffn, 11, 11, 40, head_dim};
    spec.distances = {8, 16};
    spec.gated = true;
    program_ = FindFamily("t5")->make(spec)->program;
    Fill();
  }

  // Runs a pass of the encoder, which its creation includes, and a step.
  absl::Status Run() const {
    auto backend = CreateEmulatedCudaBackend(config_, program_, image_);
    if (!backend.ok()) return backend.status();
    const auto encoder = (*backend)->CreateEncoder(1);
    if (!encoder.ok()) return encoder.status();
    return TimeEmulatedCudaSteps(config_, program_, image_, 1).status();
  }

  Program program_;

 private:
  void Fill() {
    std::mt19937 random(7);
    WeightValues values;
    for (const Weight& weight : program_.weights) {
      std::vector<float>& of = values.emplace_back(static_cast<size_t>(weight.elements()));
      for (float& x : of) x = static_cast<float>(random() % 2001) / 2000.0F - 0.5F;
    }
    auto image = ExpectOk(
        MakeWeightImage(program_, WeightsInMemory(program_, std::move(values)), GetParam()));
    image_ = *std::move(image);
    config_.batch.max_rows = 16;
    config_.batch.max_positions = 41;
    config_.batch.vocabulary = 11;
  }

  WeightImage image_;
  CudaBackendConfig config_;
};

TEST_P(EmulatedShapes, WhatIsTakenRuns) {
  for (const auto& [heads, head_dim, ffn] :
       {std::tuple{1, 8, 8}, {3, 24, 40}, {1, 40, 8}, {2, 72, 24}, {1, 120, 8}, {2, 128, 72}}) {
    Make(heads, head_dim, ffn);
    EXPECT_EQ(Run(), absl::OkStatus()) << heads << " heads of " << head_dim << ", " << ffn;
  }
  MakeT5(40, 3, 8, 24);
  EXPECT_EQ(Run(), absl::OkStatus()) << "T5";
}

TEST_P(EmulatedShapes, WhatIsNotIsRefusedBeforeAnythingIsMade) {
  for (const auto& [heads, head_dim, ffn] :
       {std::tuple{1, 4, 8}, {4, 18, 8}, {2, 20, 8}, {1, 136, 8}, {1, 8, 12}}) {
    Make(heads, head_dim, ffn);
    const absl::Status status = Run();
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
    EXPECT_EQ(status, CheckEmulatedCudaModel(program_));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EmulatedShapes,
                         ::testing::Values(kernels::ComputeType::kFloat32,
                                           kernels::ComputeType::kBFloat16),
                         [](const auto& info) { return kernels::ComputeTypeName(info.param); });

}  // namespace
}  // namespace dragoman::engine
