// Engines of the bundled model on the CPU and on the first CUDA device, and jobs for them, for tests
// that compare them. Where the environment has DRAGOMAN_GPU_ENGINES=small the model is tiny, or the one in the
// directory DRAGOMAN_GPU_MODEL, rows are few, and jobs are few and short: for the interpreter of ptx/, which would
// take days for the others.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/create_engine.h"
#include "kernels/base/compute_type.h"

namespace dragoman::testing {

// Whether they are small.
bool SmallEngines();

// The tiny model is too narrow for Hopper's fused output layer, and for products of one byte in any.
bool TooNarrowForFusedOutput();

// SentenceJobs of mixed_requests.h, and the first `count` of its MixedRequests. Of small engines
// DRAGOMAN_TEST_SENTENCES of them, or 8, cut to 12 tokens.
std::vector<engine::TranslationJob> Sentences(size_t count, const std::vector<int>& beams);
std::vector<engine::TranslationJob> Mixed(size_t count, unsigned seed);

// A job that takes as many steps: 200, or 40 with small engines.
engine::TranslationJob LongJob();

// How many of a number of jobs there are: all, or as above.
size_t JobCount(size_t count);

// A time limit that is meant for a card: ten times as long for small engines.
unsigned HangSeconds(unsigned on_a_card);

// Float32 on the CPU, one worker for each processor that this process may use, at most eight.
// `noise` is added to the bias of every target token, at random, up to this much either way.
std::unique_ptr<engine::Engine> StartOnCpu(double noise = 0, unsigned seed = 0);

// On cuda:0. Of config.cuda the numbers of the output layer's products are kept; its switches are the
// environment's (cuda_switches.h).
std::unique_ptr<engine::Engine> StartOnDevice(kernels::ComputeType type,
                                              engine::EngineConfig config = {});

// Whether a job's n-best list would be the same if every logit were off by up to 1e-4: found by
// four CPU engines with noise of that size. Where it is not, some decision was closer than what two
// devices' sums may differ by, and either list is right.
std::vector<bool> Decided(const std::vector<engine::TranslationJob>& jobs,
                          const std::vector<engine::ItemResult>& results);

// Ranks, tokens and texts; no numbers.
bool SameTranslations(const engine::ItemResult& a, const engine::ItemResult& b);

// A suite over the compute types of the device; skipped aloud where there is none.
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
