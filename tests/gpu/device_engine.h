// Engines of the bundled model on the CPU and on the first CUDA device, and jobs for them, for
// tests that compare the two. If the environment has DRAGOMAN_GPU_ENGINES=small, the model is tiny
// (or the one in the directory DRAGOMAN_GPU_MODEL), the batch has few rows, and jobs are few and
// short. This is meant for the interpreter of ptx/, which would take days otherwise.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/create_engine.h"
#include "kernels/base/compute_type.h"

namespace dragoman::testing {

// Whether engines and jobs are small.
bool SmallEngines();

// Whether the model is too narrow for Hopper's fused output layer and for quantized products. The
// tiny model is.
bool TooNarrowForFusedOutput();

// The SentenceJobs and the first `count` MixedRequests of mixed_requests.h. With small engines,
// only DRAGOMAN_TEST_SENTENCES (default: 8) of them, cut to 12 tokens.
std::vector<engine::TranslationJob> Sentences(size_t count, const std::vector<int>& beams);
std::vector<engine::TranslationJob> Mixed(size_t count, unsigned seed);

// Returns a job that takes 200 steps, or 40 with small engines.
engine::TranslationJob LongJob();

// Returns how many of `count` jobs a test runs: all of them, or as above with small engines.
size_t JobCount(size_t count);

// Returns a time limit: `on_a_card`, or ten times as much with small engines.
unsigned HangSeconds(unsigned on_a_card);

// Starts float32 on the CPU with one worker for each processor that this process may use, at most
// eight. Adds uniform noise between -`noise` and `noise` to the bias of every target token.
std::unique_ptr<engine::Engine> StartOnCpu(double noise = 0, unsigned seed = 0);

// Starts an engine on cuda:0. Of config.cuda it uses only the types of products. The environment
// sets the other options (cuda_switches.h).
std::unique_ptr<engine::Engine> StartOnDevice(kernels::ComputeType type,
                                              engine::EngineConfig config = {});

// Whether each job's n-best list would be the same if every logit were off by up to 1e-4, as four
// CPU engines with noise of that size show. If not, some decision was closer than the rounding
// difference between two devices, and either list is correct.
std::vector<bool> Decided(const std::vector<engine::TranslationJob>& jobs,
                          const std::vector<engine::ItemResult>& results);

// Compares ranks, tokens and texts, but no scores.
bool SameTranslations(const engine::ItemResult& a, const engine::ItemResult& b);

// A suite for each compute type of the device. Its tests are skipped with a message if there is no
// device.
class OnCuda : public ::testing::TestWithParam<kernels::ComputeType> {
 protected:
  void SetUp() override;
};
std::string ComputeTypeTestName(const ::testing::TestParamInfo<kernels::ComputeType>& info);

#define DRAGOMAN_FOR_EVERY_COMPUTE_TYPE(suite)                                             \
  INSTANTIATE_TEST_SUITE_P(Cuda, suite,                                                    \
                           ::testing::Values(::dragoman::kernels::ComputeType::kFloat32,   \
                                             ::dragoman::kernels::ComputeType::kFloat16,   \
                                             ::dragoman::kernels::ComputeType::kBFloat16), \
                           ::dragoman::testing::ComputeTypeTestName)

}  // namespace dragoman::testing
