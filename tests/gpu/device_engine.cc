#include "tests/gpu/device_engine.h"
#include "tests/engine/support/all_weights.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>
#include <utility>

#include "engine/create_loaded_engine.h"
#include "engine/decode/cpu_model.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/translate_all.h"
#include "tests/gpu/cuda_switches.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::testing {
namespace {

constexpr char kModel[] = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

FakeClock& Clock() {
  static FakeClock clock;
  return clock;
}

CountingObserver& Observer() {
  static CountingObserver observer;
  return observer;
}

LoadedModel Load() {
  auto loaded = LoadModel(kModel);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return *std::move(loaded);
}

}  // namespace

std::unique_ptr<Engine> StartOnCpu(double noise, unsigned seed) {
  LoadedModel loaded = Load();
  std::mt19937_64 random(seed);
  WeightValues values = AllWeights(loaded);
  for (float& bias : values[static_cast<size_t>(loaded.program.output().bias)]) {
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    bias += static_cast<float>(noise * uniform);
  }
  auto model = CreateCpuModel(loaded.program, WeightsInMemory(loaded.program, std::move(values)));
  EXPECT_TRUE(model.ok()) << model.status();
  EngineConfig config;
  config.workers = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
  auto engine = CreateEngine(std::move(loaded), *std::move(model), config, &Clock(), &Observer());
  EXPECT_TRUE(engine.ok()) << engine.status();
  return *std::move(engine);
}

std::unique_ptr<Engine> StartOnDevice(ComputeType type, EngineConfig config) {
  const NarrowType products = config.cuda.output_products;
  config.cuda = CudaOptionsOfEnvironment();
  config.cuda.output_products = products;
  config.devices = {.cuda = {0}, .compute_type = type};
  // Several of them fit on one card.
  config.kv_memory_mb = 4096;
  auto engine = CreateEngine(kModel, config, &Clock(), &Observer());
  EXPECT_TRUE(engine.ok()) << engine.status();
  return *std::move(engine);
}

std::vector<bool> Decided(const std::vector<TranslationJob>& jobs,
                          const std::vector<ItemResult>& results) {
  std::vector<bool> decided(jobs.size(), true);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto noisy = TranslateTogether(*StartOnCpu(1e-4, seed), jobs, InOrder(jobs.size()));
    for (size_t i = 0; i < jobs.size(); ++i) {
      decided[i] = decided[i] && SameTranslations(results[i], noisy[i]);
    }
  }
  return decided;
}

bool SameTranslations(const ItemResult& a, const ItemResult& b) {
  return a.status == b.status && std::ranges::equal(a.hypotheses, b.hypotheses,
                                                    [](const Hypothesis& x, const Hypothesis& y) {
                                                      return x.text == y.text &&
                                                             x.tokens == y.tokens &&
                                                             x.finish_reason == y.finish_reason;
                                                    });
}

void OnCuda::SetUp() {
  const std::string why = WhyNoCuda();
  if (!why.empty()) GTEST_SKIP() << "CUDA cases skipped: " << why;
}

std::string ComputeTypeTestName(const ::testing::TestParamInfo<ComputeType>& info) {
  return ComputeTypeName(info.param);
}

}  // namespace dragoman::testing
