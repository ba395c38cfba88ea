// Checks that the encoder and the steps of a device allocate exactly the planned memory.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "engine/decode/batch.h"
#include "engine/model/layouts/model_source.h"
#include "tests/engine/decode/cuda/emulated_names.h"
// These headers follow emulated_names.h, so that they declare the classes of the emulated device.
#include "engine/decode/cuda/cuda_model.h"
#include "engine/decode/cuda/cuda_planner.h"
#include "engine/decode/cuda/cuda_step.h"
#include "engine/decode/cuda/row_buckets.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

class EmulatedMemory : public ::testing::TestWithParam<kernels::ComputeType> {};

TEST_P(EmulatedMemory, WhatIsPlannedIsAllocated) {
  for (const char* name : {"/deploy/models/de-en", "/tests/data/models/tiny-b"}) {
    const auto loaded = ExpectOk(LoadModel(std::string(DRAGOMAN_SOURCE_DIR) + name));
    const auto image = ExpectOk(MakeWeightImage(loaded->program, *loaded->weights, GetParam()));
    CudaBackendConfig config;
    config.batch.max_rows = 40;
    config.batch.max_positions = loaded->spec.shape.max_positions + 1;
    config.batch.vocabulary = loaded->spec.shape.target_vocab;
    auto planner = ExpectOk(CudaPlanner::Create(config, loaded->program, *image));
    const auto model = ExpectOk(planner->LoadModel(*image));
    const auto plan = ExpectOk(planner->Plan(int64_t{64} << 20, 2));
    const auto encoder = ExpectOk(CreateCudaEncoder(*model));
    const auto step =
        ExpectOk(CudaStep::Create(*model, plan->limits, nullptr, kernels::cuda::StepMailboxes{}));

    // The first lines are: weights; tables, logits, fused output layer and activations of steps;
    // workspace of the encoder.
    ASSERT_EQ(plan->lines.size(), 8U);
    EXPECT_EQ(plan->lines[0].bytes, (*model)->weight_bytes());
    const int64_t steps =
        plan->lines[1].bytes + plan->lines[2].bytes + plan->lines[3].bytes + plan->lines[4].bytes;
    const kernels::cuda::FusedOutput* fused = (*model)->fused();
    EXPECT_EQ(steps, (*step)->bytes() + (fused == nullptr ? 0 : fused->bytes()));
    EXPECT_EQ(plan->lines[5].bytes, (*encoder)->workspace_bytes());

    // The memory of graphs is measured after they have been made.
    const auto device = ExpectOk(CreateCudaStepDevice(*model, plan->limits, nullptr));
    const int64_t nodes = ((*device)->workspace_bytes() - (*step)->bytes()) /
                          kernels::cuda::EmulatedGraph::kNodeBytes;
    const int64_t planned = plan->lines[6].bytes / kGraphNodeBytes;
    EXPECT_GT(nodes, planned / 2);
    EXPECT_LE(nodes, planned);
  }
}

// Each model on a device counts the memory of its own graphs, so a second model does not change the
// first one's number.
TEST(EmulatedGraphs, EachDeviceOfStepsHasItsOwnAccount) {
  const auto loaded = ExpectOk(LoadModel(DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-b"));
  const auto image =
      ExpectOk(MakeWeightImage(loaded->program, *loaded->weights, kernels::ComputeType::kFloat16));
  int64_t at_first = 0;
  ASSERT_EQ(kernels::cuda::FreeMemory(&at_first), kernels::cuda::Error::kNone);
  {
    std::vector<std::unique_ptr<StepDevice>> devices;
    int64_t graphs = 0;
    for (const int max_rows : {40, 8}) {
      CudaBackendConfig config;
      config.batch.max_rows = max_rows;
      config.batch.max_positions = loaded->spec.shape.max_positions + 1;
      config.batch.vocabulary = loaded->spec.shape.target_vocab;
      auto planner = ExpectOk(CudaPlanner::Create(config, loaded->program, *image));
      const auto model = ExpectOk(planner->LoadModel(*image));
      const kernels::BatchLimits limits = planner->Limits();
      const auto step =
          ExpectOk(CudaStep::Create(*model, limits, nullptr, kernels::cuda::StepMailboxes{}));
      auto device = ExpectOk(CreateCudaStepDevice(*model, limits, nullptr));
      EXPECT_GT((*device)->workspace_bytes(), (*step)->bytes());
      graphs += (*device)->workspace_bytes() - (*step)->bytes();
      devices.push_back(*std::move(device));
    }
    int64_t left = 0;
    ASSERT_EQ(kernels::cuda::FreeMemory(&left), kernels::cuda::Error::kNone);
    EXPECT_EQ(at_first - left, graphs);
  }
  int64_t after = 0;
  ASSERT_EQ(kernels::cuda::FreeMemory(&after), kernels::cuda::Error::kNone);
  EXPECT_EQ(after, at_first);
}

INSTANTIATE_TEST_SUITE_P(Types, EmulatedMemory,
                         ::testing::Values(kernels::ComputeType::kFloat32,
                                           kernels::ComputeType::kFloat16),
                         [](const auto& info) { return kernels::ComputeTypeName(info.param); });

}  // namespace
}  // namespace dragoman::engine
