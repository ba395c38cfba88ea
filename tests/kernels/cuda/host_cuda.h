// Test controls of host_cuda.cc.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Makes every later wait for a stream return `error`.
void FailWaits(Error error);

// Returns the bytes that buffers own.
int64_t HeldBytes();

}  // namespace dragoman::kernels::cuda
