#include "tests/gpu/ptx/small_model.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "engine/create_loaded_engine.h"
#include "tests/engine/decode/cuda/emulated_backend.h"
#include "tests/engine/decode/cuda/emulated_engine.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"

namespace dragoman::testing {
namespace {

FakeClock& Clock() {
  static FakeClock clock;
  return clock;
}
CountingObserver& Observer() {
  static CountingObserver observer;
  return observer;
}

// Returns 75 for sm_75: the architecture of the PTX device with which the emulation is compared.
int Capability() {
  const char* const arch = std::getenv("DRAGOMAN_PTX_ARCH");
  return arch == nullptr ? 90 : static_cast<int>(std::strtol(arch, nullptr, 10));
}

}  // namespace

std::string SmallModel() {
  const char* const model = std::getenv("DRAGOMAN_GPU_MODEL");
  return model == nullptr ? DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-a" : model;
}

engine::EngineConfig SmallConfig(kernels::ComputeType type, const SmallSettings& settings) {
  engine::EngineConfig config;
  config.max_rows = settings.max_rows;
  config.kv_memory_mb = settings.kv_megabytes;
  config.devices = {.cuda = settings.devices, .compute_type = type};
  config.cuda = settings.cuda;
  return config;
}

absl::StatusOr<std::unique_ptr<engine::Engine>> StartSmallEngine(kernels::ComputeType type,
                                                                 const SmallSettings& settings,
                                                                 engine::LoadContext* load) {
  return engine::CreateEngine(SmallModel(), SmallConfig(type, settings), &Clock(), &Observer(),
                              load);
}

std::unique_ptr<engine::Engine> SmallEngineOnCuda(kernels::ComputeType type) {
  auto engine = StartSmallEngine(type, {});
  EXPECT_TRUE(engine.ok()) << engine.status();
  return engine.ok() ? *std::move(engine) : nullptr;
}

std::unique_ptr<engine::Engine> SmallEngineEmulated(kernels::ComputeType type) {
  engine::SetEmulatedCapability(Capability());
  auto loaded = engine::LoadModel(SmallModel());
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  auto engine = engine::StartEmulatedEngine(
      *std::move(loaded),
      {.type = type, .max_rows = kSmallMaxRows, .kv_memory_mb = kSmallKvMegabytes}, &Clock(),
      &Observer());
  EXPECT_TRUE(engine.ok()) << engine.status();
  return engine.ok() ? *std::move(engine) : nullptr;
}

size_t Sentences(size_t otherwise) {
  const char* const count = std::getenv("DRAGOMAN_PTX_SENTENCES");
  return count == nullptr ? otherwise : std::strtoull(count, nullptr, 10);
}

std::vector<engine::TranslationJob> SmallJobs(size_t count) {
  std::vector<engine::TranslationJob> jobs =
      SentenceJobs(count, {std::begin(kSmallBeams), std::end(kSmallBeams)});
  for (engine::TranslationJob& job : jobs) job.decoding.max_output_tokens = kSmallTokens;
  return jobs;
}

void Compare(const std::vector<std::string>& texts, const std::vector<float>& log_probs,
             const engine::ItemResult& emulated, Compared* compared) {
  std::vector<std::string> expected;
  for (const engine::Hypothesis& hypothesis : emulated.hypotheses)
    expected.push_back(hypothesis.text);
  if (texts != expected) return;
  ++compared->lists;
  for (size_t i = 0; i < log_probs.size(); ++i) {
    const float other = emulated.hypotheses[i].log_prob;
    ++compared->numbers;
    if (std::bit_cast<uint32_t>(log_probs[i]) == std::bit_cast<uint32_t>(other)) ++compared->bits;
    compared->furthest = std::max(compared->furthest, std::abs(log_probs[i] - other));
  }
}

std::string Text(const Compared& compared, size_t sentences) {
  std::ostringstream text;
  text << sentences << " sentences, " << compared.lists
       << " n-best lists as the emulation's; of their " << compared.numbers << " log-probs "
       << compared.bits << " to the bit, the others within " << compared.furthest;
  return text.str();
}

}  // namespace dragoman::testing
