// The step from the runtime's error codes to ours. For files that include CUDA's headers.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Turns the result of a runtime call into an Error. The runtime keeps a note of the failure for the
// thread, which the check of the next launch would take for its own: it is cleared here. (A failure
// within a kernel cannot be cleared and comes back with every later call.)
inline Error Checked(cudaError_t status) {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<Error>(status);
}

}  // namespace dragoman::kernels::cuda
