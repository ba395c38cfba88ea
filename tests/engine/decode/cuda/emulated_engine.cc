#include "tests/engine/decode/cuda/emulated_engine.h"

#include <utility>
#include <vector>

#include "engine/create_loaded_engine.h"
#include "engine/decode/cuda/weight_image.h"
#include "tests/engine/decode/cuda/emulated_backend.h"

namespace dragoman::engine {

CudaBackendConfig EmulatedBackendConfig(const ModelSpec& spec, const EmulatedEngineConfig& config) {
  CudaBackendConfig backend;
  backend.batch.max_rows = config.max_rows;
  backend.batch.max_positions = spec.shape.max_positions + 1;
  backend.batch.vocabulary = spec.shape.target_vocab;
  backend.batch.start_token = spec.tokens.decoder_start;
  backend.options = config.options;
  return backend;
}

absl::StatusOr<std::unique_ptr<Engine>> StartEmulatedEngine(LoadedModel loaded,
                                                            const EmulatedEngineConfig& config,
                                                            const Clock* clock,
                                                            EngineObserver* observer) {
  const auto image = MakeWeightImage(loaded.program, *loaded.weights, config.type);
  if (!image.ok()) return image.status();
  const Program program = loaded.program;
  return StartEmulatedEngine(std::move(loaded), program, *image, config, clock, observer);
}

absl::StatusOr<std::unique_ptr<Engine>> StartEmulatedEngine(
    LoadedModel loaded, const Program& program, const WeightImage& image,
    const EmulatedEngineConfig& config, const Clock* clock, EngineObserver* observer) {
  auto backend =
      CreateEmulatedCudaBackend(EmulatedBackendConfig(loaded.spec, config), program, image);
  if (!backend.ok()) return backend.status();
  EngineConfig engine;
  engine.max_rows = config.max_rows;
  engine.kv_memory_mb = config.kv_memory_mb;
  return CreateEngine(std::move(loaded), std::vector<WorkerPlace>{{*std::move(backend), 1}}, engine,
                      clock, observer, SentinelTrial::kRun);
}

}  // namespace dragoman::engine
