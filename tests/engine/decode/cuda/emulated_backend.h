// The backend of a GPU on the host (emulated_cuda.h), for tests that drive whole engines with it.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/profile/cuda_profile.h"

namespace dragoman::engine {

// The same as CreateCudaBackend and CheckCudaModel, on emulated device 0 with a gibibyte.
absl::Status CheckEmulatedCudaModel(const Program& program);
absl::StatusOr<std::shared_ptr<const Backend>> CreateEmulatedCudaBackend(
    const CudaBackendConfig& config, const Program& program, const WeightImage& image);

// The same as ProfileCudaSteps and TimeCudaSteps.
absl::StatusOr<std::string> ProfileEmulatedCudaSteps(const CudaBackendConfig& config,
                                                     const Program& program,
                                                     const WeightImage& image, int steps);
absl::StatusOr<CudaStepTime> TimeEmulatedCudaSteps(const CudaBackendConfig& config,
                                                   const Program& program, const WeightImage& image,
                                                   int steps);

// The device's compute capability, 90 for 9.0 and unless it is set: of the models that are loaded from now on.
void SetEmulatedCapability(int capability);

// Linear::other_bits_from of the products that are made from now on.
void SetEmulatedOtherBits(int rows);

}  // namespace dragoman::engine
