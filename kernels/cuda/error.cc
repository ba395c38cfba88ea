#include <cuda_runtime_api.h>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

const char* ErrorText(Error error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); }

}  // namespace dragoman::kernels::cuda
