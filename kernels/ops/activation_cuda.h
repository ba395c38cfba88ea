// Activations of the feed-forward layers (kernels/base/activation.h) on a device. On the CPU they
// are inner loops (kernels/cpu/kernel_table.h).
#pragma once

#include <cstdint>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Activates rows [0, *count) of x [rows, n], or all if count is nullptr, in place; other rows do
// not change. x is of the compute type. For activations that no epilogue of cuBLASLt computes as
// they are defined here. REQUIRES: rows < 2^31; n is a multiple of 8, x aligned to 16 bytes.
Error Activate(Stream stream, ComputeType type, Activation activation, int64_t rows,
               const int32_t* count, int n, void* x);

}  // namespace dragoman::kernels::cuda
