// The small model for whole engines on the PTX device, and the same engine emulated.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/api/engine.h"
#include "kernels/base/compute_type.h"

namespace dragoman::testing {

// The model's directory: DRAGOMAN_GPU_MODEL, or tests/data/models/tiny-a.
std::string SmallModel();

inline constexpr int kSmallMaxRows = 16;
inline constexpr int kSmallKvMegabytes = 8;

// Settings of an engine with the small model.
struct SmallSettings {
  std::vector<int> devices = {0};
  engine::CudaOptions cuda = {};
  int max_rows = kSmallMaxRows;
  int kv_megabytes = kSmallKvMegabytes;
};
engine::EngineConfig SmallConfig(kernels::ComputeType type, const SmallSettings& settings = {});
absl::StatusOr<std::unique_ptr<engine::Engine>> StartSmallEngine(
    kernels::ComputeType type, const SmallSettings& settings, engine::LoadContext* load = nullptr);

// Start an engine on cuda:0, or emulated (tests/engine/decode/cuda/emulated_cuda.h) as a card of
// the PTX device's architecture. Return nullptr after failing the test.
std::unique_ptr<engine::Engine> SmallEngineOnCuda(kernels::ComputeType type);
std::unique_ptr<engine::Engine> SmallEngineEmulated(kernels::ComputeType type);

// Returns DRAGOMAN_PTX_SENTENCES, or `otherwise` if it is not set.
size_t Sentences(size_t otherwise);

// The first lines of the German test text, as n-best lists of 4, 1 and 3 in turn, limited to 12
// tokens.
std::vector<engine::TranslationJob> SmallJobs(size_t count);
inline constexpr int kSmallBeams[] = {4, 1, 3};
inline constexpr int kSmallTokens = 12;

// Compares n-best lists with the emulation's: the texts must be equal. Also counts the log-probs
// with equal bits, which tests print.
struct Compared {
  size_t lists = 0;    // with the same texts in the same order
  size_t numbers = 0;  // log-probs of those lists
  size_t bits = 0;     // log-probs with equal bits
  float furthest = 0;  // largest absolute difference
};
void Compare(const std::vector<std::string>& texts, const std::vector<float>& log_probs,
             const engine::ItemResult& emulated, Compared* compared);
std::string Text(const Compared& compared, size_t sentences);

}  // namespace dragoman::testing
