// The backend of a GPU, emulated on the host (emulated_cuda.h), for tests that run whole engines.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/profile/cuda_profile.h"

namespace dragoman::engine {

// Like CreateCudaBackend and CheckCudaModel, on emulated device 0 with 1 GiB of memory.
absl::Status CheckEmulatedCudaModel(const Program& program);
absl::StatusOr<std::shared_ptr<const Backend>> CreateEmulatedCudaBackend(
    const CudaBackendConfig& config, const Program& program, const WeightImage& image);

// The counterparts of ProfileCudaSteps and TimeCudaSteps.
absl::StatusOr<std::string> ProfileEmulatedCudaSteps(const CudaBackendConfig& config,
                                                     const Program& program,
                                                     const WeightImage& image, int steps);
absl::StatusOr<CudaStepTime> TimeEmulatedCudaSteps(const CudaBackendConfig& config,
                                                   const Program& program, const WeightImage& image,
                                                   int steps);

// Sets the compute capability for models loaded after the call. The default is 90, meaning 9.0.
void SetEmulatedCapability(int capability);

// Sets Linear::other_bits_from for products made after the call.
void SetEmulatedOtherBits(int rows);

}  // namespace dragoman::engine
