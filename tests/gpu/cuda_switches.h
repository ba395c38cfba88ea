// Parts of the GPU backend that the environment turns off for programs of the bundle, as the setting
// `cuda` does for the daemon: DRAGOMAN_CUDA_OFF=graphs,early-launch.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "engine/api/cuda_options.h"

namespace dragoman {

// Reads names as the setting has them, separated by commas; "" turns nothing off. INVALID_ARGUMENT
// names one that there is not, and those that there are.
absl::StatusOr<CudaOptions> ParseCudaOff(std::string_view names);

// The options of DRAGOMAN_CUDA_OFF. Ends the process with status 2 and a message where they are wrong.
CudaOptions CudaOptionsOfEnvironment();

}  // namespace dragoman
