// Applies the activations of the feed-forward layers (kernels/base/activation.h) on a GPU.
#pragma once

#include <cstdint>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Applies the activation in place to the first *count rows of x [rows, n], or to all rows if count
// is nullptr. Other rows do not change. The elements of x have the compute type. Used for the
// activations that no epilogue of cuBLASLt computes in the way that kernels/base/activation.h
// defines. REQUIRES: rows < 2^31; n is a multiple of 8; x is aligned to 16 bytes.
Error Activate(Stream stream, ComputeType type, Activation activation, int64_t rows,
               const int32_t* count, int n, void* x);

}  // namespace dragoman::kernels::cuda
