// Instructions for host_cuda.cc.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Makes every further wait for a stream return `error`.
void FailWaits(Error error);

// Bytes that buffers own.
int64_t HeldBytes();

}  // namespace dragoman::kernels::cuda
