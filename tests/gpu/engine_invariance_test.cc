// Tests promise 1 of the design on a GPU: a translation, and the bits of its scores, never depend
// on the other segments in the batch.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/cuda/device.h"
#include "tests/engine/support/translate_all.h"
#include "tests/gpu/cuda_switches.h"
#include "tests/gpu/device_engine.h"

namespace dragoman::testing {
namespace {

class EngineInvarianceOnCuda : public OnCuda {
 protected:
  static void ExpectAsAlone(const std::vector<engine::TranslationJob>& jobs,
                            const std::vector<engine::ItemResult>& alone,
                            const std::vector<engine::ItemResult>& found) {
    ExpectSameToTheBit(jobs, found, alone);
    // Small engines have random weights and short limits, so some texts are empty.
    EXPECT_GE(CountTexts(alone), jobs.size() * (SmallEngines() ? 50 : 95) / 100);
  }
};

// Small enough to run under a tool that checks every memory access.
TEST_P(EngineInvarianceOnCuda, SmallBatch) {
  const auto jobs = Sentences(8, {1, 4, 2, 3});
  engine::EngineConfig config;
  config.max_rows = 16;
  const auto engine = StartOnDevice(GetParam(), config);
  const auto alone = TranslateAlone(*engine, jobs);
  ExpectAsAlone(jobs, alone, TranslateTogether(*engine, jobs, InOrder(jobs.size())));
}

// Includes beams wider than the fused output layer supports, in batches of few and of many rows.
TEST_P(EngineInvarianceOnCuda, QuantizedAndWideBeamsTogether) {
  const auto jobs = Sentences(300, {1, 4, 12, 32});
  engine::EngineConfig config;
  config.max_rows = 1024;
  const auto large = StartOnDevice(GetParam(), config);
  const auto alone = TranslateAlone(*large, jobs);
  ExpectAsAlone(jobs, alone, TranslateTogether(*large, jobs, InOrder(jobs.size())));
  ExpectAsAlone(jobs, alone, TranslateTogether(*large, jobs, Shuffled(jobs.size(), 1)));
  for (const int max_rows : {64, 200}) {
    config.max_rows = max_rows;
    const auto engine = StartOnDevice(GetParam(), config);
    ExpectAsAlone(jobs, alone, TranslateTogether(*engine, jobs, Shuffled(jobs.size(), 2)));
  }
}

// The output layer's products are quantized, in each type that the card supports.
TEST_P(EngineInvarianceOnCuda, QuantizedOutputProducts) {
  if (GetParam() == kernels::ComputeType::kFloat32)
    GTEST_SKIP() << "float32 has no quantized products";
  if (!CudaOptionsOfEnvironment().fused_output) GTEST_SKIP() << "they are the fused layer's";
  if (TooNarrowForFusedOutput()) GTEST_SKIP() << "the model is too narrow for the fused layer";
  kernels::cuda::DeviceInfo info;
  ASSERT_EQ(kernels::cuda::Describe(0, &info), kernels::cuda::Error::kNone);
  const int capability = 10 * info.major + info.minor;
  if (capability < 80 || info.major == 10) GTEST_SKIP() << "no fused output layer here";
  const auto jobs = Sentences(100, {1, 4, 12, 32});
  for (const kernels::QuantizedType quantized :
       {kernels::QuantizedType::kInt8, kernels::QuantizedType::kFloat8}) {
    if (quantized == kernels::QuantizedType::kFloat8 && capability < 89) continue;
    SCOPED_TRACE(kernels::QuantizedTypeName(quantized));
    engine::EngineConfig config;
    config.cuda.output_products = quantized;
    const auto engine = StartOnDevice(GetParam(), config);
    const auto alone = TranslateAlone(*engine, jobs);
    ExpectAsAlone(jobs, alone, TranslateTogether(*engine, jobs, Shuffled(jobs.size(), 4)));
  }
}

// The products of the layers are int8.
TEST_P(EngineInvarianceOnCuda, LayerProductsInInt8) {
  if (GetParam() == kernels::ComputeType::kFloat32)
    GTEST_SKIP() << "float32 has no quantized products";
  kernels::cuda::DeviceInfo info;
  ASSERT_EQ(kernels::cuda::Describe(0, &info), kernels::cuda::Error::kNone);
  if (info.major == 10 || info.major == 11) GTEST_SKIP() << "none on " << info.name;
  const auto jobs = Sentences(300, {1, 4, 12, 32});
  engine::EngineConfig config;
  config.max_rows = 1024;
  config.cuda.layer_products = kernels::QuantizedType::kInt8;
  const auto large = StartOnDevice(GetParam(), config);
  const auto alone = TranslateAlone(*large, jobs);
  ExpectAsAlone(jobs, alone, TranslateTogether(*large, jobs, Shuffled(jobs.size(), 5)));
  config.max_rows = 64;
  const auto small = StartOnDevice(GetParam(), config);
  ExpectAsAlone(jobs, alone, TranslateTogether(*small, jobs, Shuffled(jobs.size(), 6)));
}

TEST_P(EngineInvarianceOnCuda, RequestsOfEveryMethodTogether) {
  const auto jobs = Mixed(500, 21);
  const auto engine = StartOnDevice(GetParam());
  const auto alone = TranslateAlone(*engine, jobs);
  ExpectAsAlone(jobs, alone, TranslateTogether(*engine, jobs, Shuffled(jobs.size(), 3)));
}

DRAGOMAN_FOR_EVERY_COMPUTE_TYPE(EngineInvarianceOnCuda);

}  // namespace
}  // namespace dragoman::testing
