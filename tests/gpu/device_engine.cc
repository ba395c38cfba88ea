#include "tests/gpu/device_engine.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/create_loaded_engine.h"
#include "engine/decode/cpu_model.h"
#include "tests/engine/support/all_weights.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"
#include "tests/engine/support/weights_in_memory.h"
#include "tests/gpu/cuda_switches.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/support/expect_ok.h"

namespace dragoman::testing {
namespace {

constexpr char kBundledModel[] = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";
constexpr char kTinyModel[] = DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-a";
constexpr int kSmallRows = 64;
constexpr int64_t kSmallKvMegabytes = 64;

std::vector<engine::TranslationJob> Short(std::vector<engine::TranslationJob> jobs) {
  constexpr int kSmallTokens = 12;
  for (engine::TranslationJob& job : jobs) {
    if (SmallEngines()) job.decoding.max_output_tokens = kSmallTokens;
  }
  return jobs;
}

// Returns the value of DRAGOMAN_GPU_MODEL, or nullptr.
const char* NamedModel() { return std::getenv("DRAGOMAN_GPU_MODEL"); }

const char* Model() {
  if (!SmallEngines()) return kBundledModel;
  return NamedModel() == nullptr ? kTinyModel : NamedModel();
}

FakeClock& Clock() {
  static FakeClock clock;
  return clock;
}

CountingObserver& Observer() {
  static CountingObserver observer;
  return observer;
}

engine::LoadedModel Load() {
  auto loaded = ExpectOk(engine::LoadModel(Model()));
  return *std::move(loaded);
}

}  // namespace

bool SmallEngines() {
  const char* const engines = std::getenv("DRAGOMAN_GPU_ENGINES");
  if (engines == nullptr) return false;
  EXPECT_EQ(std::string_view(engines), "small") << "DRAGOMAN_GPU_ENGINES";
  return true;
}

bool TooNarrowForFusedOutput() { return SmallEngines() && NamedModel() == nullptr; }

size_t JobCount(size_t count) {
  return SmallEngines() ? std::min(count, SentencesAskedFor(8)) : count;
}

std::vector<engine::TranslationJob> Sentences(size_t count, const std::vector<int>& beams) {
  return Short(SentenceJobs(JobCount(count), beams));
}

std::vector<engine::TranslationJob> Mixed(size_t count, unsigned seed) {
  return Short(MixedJobs(JobCount(count), seed));
}

engine::TranslationJob LongJob() {
  engine::TranslationJob job;
  job.contents = {"Das ist ein Satz, der sehr lange braucht."};
  job.split = engine::SplitMode::kNone;
  job.decoding.beam_size = 4;
  job.decoding.max_length_ratio = 1000.0F;
  job.decoding.max_length_extra = 1000;
  job.decoding.max_output_tokens = SmallEngines() ? 40 : 200;
  job.decoding.min_output_tokens = job.decoding.max_output_tokens;
  job.returns.partials = true;
  return job;
}

unsigned HangSeconds(unsigned on_a_card) { return SmallEngines() ? 10 * on_a_card : on_a_card; }

std::unique_ptr<engine::Engine> StartOnCpu(double noise, unsigned seed) {
  engine::LoadedModel loaded = Load();
  std::mt19937_64 random(seed);
  engine::WeightValues values = engine::AllWeights(loaded);
  for (float& bias : values[static_cast<size_t>(loaded.program.output().bias)]) {
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    bias += static_cast<float>(noise * uniform);
  }
  auto model = ExpectOk(engine::CreateCpuModel(
      loaded.program, engine::WeightsInMemory(loaded.program, std::move(values))));
  const auto workers = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
  auto engine = ExpectOk(engine::CreateEngine(
      std::move(loaded), {{engine::CreateCpuBackend(*std::move(model)), workers}},
      engine::EngineConfig{}, &Clock(), &Observer(), engine::SentinelTrial::kRun));
  return *std::move(engine);
}

std::unique_ptr<engine::Engine> StartOnDevice(kernels::ComputeType type,
                                              engine::EngineConfig config) {
  const kernels::QuantizedType output = config.cuda.output_products;
  const kernels::QuantizedType layers = config.cuda.layer_products;
  config.cuda = CudaOptionsOfEnvironment();
  config.cuda.output_products = output;
  config.cuda.layer_products = layers;
  config.devices = {.cuda = {0}, .compute_type = type};
  // Small enough that several engines fit on one card.
  config.kv_memory_mb = 4096;
  if (SmallEngines()) {
    config.max_rows = std::min(config.max_rows, kSmallRows);
    config.kv_memory_mb = kSmallKvMegabytes;
  }
  auto engine = ExpectOk(engine::CreateEngine(Model(), config, &Clock(), &Observer()));
  return *std::move(engine);
}

std::vector<bool> Decided(const std::vector<engine::TranslationJob>& jobs,
                          const std::vector<engine::ItemResult>& results) {
  std::vector<bool> decided(jobs.size(), true);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto noisy = TranslateTogether(*StartOnCpu(1e-4, seed), jobs, InOrder(jobs.size()));
    for (size_t i = 0; i < jobs.size(); ++i) {
      decided[i] = decided[i] && SameTranslations(results[i], noisy[i]);
    }
  }
  return decided;
}

bool SameTranslations(const engine::ItemResult& a, const engine::ItemResult& b) {
  return a.status == b.status &&
         std::ranges::equal(a.hypotheses, b.hypotheses,
                            [](const engine::Hypothesis& x, const engine::Hypothesis& y) {
                              return x.text == y.text && x.tokens == y.tokens &&
                                     x.finish_reason == y.finish_reason;
                            });
}

void OnCuda::SetUp() {
  const std::string why = kernels::WhyNoCuda();
  if (!why.empty()) GTEST_SKIP() << "CUDA cases skipped: " << why;
}

std::string ComputeTypeTestName(const ::testing::TestParamInfo<kernels::ComputeType>& info) {
  return kernels::ComputeTypeName(info.param);
}

}  // namespace dragoman::testing
