// Converts error codes of the CUDA runtime to Error (launch.h). Only files that include CUDA's
// headers can use it.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Converts the result of a runtime call to an Error. Also clears the error that the runtime keeps
// for the thread. Otherwise the check of the next launch would take it for an error of that launch.
// The error of a failed kernel cannot be cleared; every later call returns it.
inline Error Checked(cudaError_t status) {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<Error>(status);
}

}  // namespace dragoman::kernels::cuda
