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

// The configuration of its backend, of this model.
CudaBackendConfig EmulatedBackendConfig(const ModelSpec& spec, const EmulatedEngineConfig& config);

// One worker on emulated device 0 (emulated_backend.h). Clock and observer outlive the engine. Errors as
// MakeWeightImage's, CreateCudaBackend's and CreateEngine's.
absl::StatusOr<std::unique_ptr<Engine>> StartEmulatedEngine(LoadedModel loaded,
                                                            const EmulatedEngineConfig& config,
                                                            const Clock* clock,
                                                            EngineObserver* observer);

// The same of another program than the model's, with its weights: of an ensemble (JoinPrograms).
absl::StatusOr<std::unique_ptr<Engine>> StartEmulatedEngine(
    LoadedModel loaded, const Program& program, const WeightImage& image,
    const EmulatedEngineConfig& config, const Clock* clock, EngineObserver* observer);

}  // namespace dragoman::engine
