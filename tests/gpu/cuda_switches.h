// The parts of the GPU backend that DRAGOMAN_CUDA_OFF turns off, for programs of the bundle.
#pragma once

#include "engine/api/cuda_options.h"

namespace dragoman {

// Returns the options of DRAGOMAN_CUDA_OFF. Ends the process with status 2 and a message if the
// value is wrong.
engine::CudaOptions CudaOptionsOfEnvironment();

}  // namespace dragoman
