// What host_cuda.cc can be told.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"

namespace dragoman::cuda {

// What every wait for a stream returns from now on.
void FailWaits(Error error);

// Bytes that buffers own.
int64_t HeldBytes();

}  // namespace dragoman::cuda
