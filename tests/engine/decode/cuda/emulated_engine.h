// Whole engines on an emulated GPU, for tests and measurements.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/api/cuda_options.h"
#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/model/layouts/model_source.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

struct EmulatedEngineConfig {
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  CudaOptions options = {};
  int max_rows = 40;
  int kv_memory_mb = 64;
};

// Returns the configuration of the engine's backend for this model.
CudaBackendConfig EmulatedBackendConfig(const ModelSpec& spec, const EmulatedEngineConfig& config);

// Starts an engine with one worker on emulated device 0. Clock and observer must outlive it.
// Returns the errors of MakeWeightImage, CreateCudaBackend and CreateEngine.
absl::StatusOr<std::unique_ptr<Engine>> StartEmulatedEngine(LoadedModel loaded,
                                                            const EmulatedEngineConfig& config,
                                                            const Clock* clock,
                                                            EngineObserver* observer);

// Like the function above, for another program with its weights, such as an ensemble's
// (JoinPrograms).
absl::StatusOr<std::unique_ptr<Engine>> StartEmulatedEngine(
    LoadedModel loaded, const Program& program, const WeightImage& image,
    const EmulatedEngineConfig& config, const Clock* clock, EngineObserver* observer);

}  // namespace dragoman::engine
