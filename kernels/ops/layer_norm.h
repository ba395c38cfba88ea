// y = (z - mean(z)) / sqrt(var(z) + epsilon) * gamma + beta, z = x + residual, row by row.
//
//   x, residual, y [rows, d]; gamma, beta [d]; f32, dense. residual may be nullptr (z = x).
//   y may be x or residual.
//
// Mean and (biased) variance in two passes of f32 in an order fixed by d alone.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"

namespace dragoman {

void AddLayerNorm(OpContext& context, const float* x, const float* residual, const float* gamma,
                  const float* beta, float epsilon, int64_t rows, int d, float* y);

namespace cuda {

// x, residual, y of the compute type; gamma, beta f32. `count` (nullptr: rows) says how many of the
// rows are there; the others of y keep what they hold, and those of x and residual may be read.
// Sums are f32, in an order fixed by d alone. REQUIRES: rows < 2^31; d is a multiple of 8, at most
// 4096; all are aligned to 16 bytes.
Error AddLayerNorm(Stream stream, ComputeType type, const void* x, const void* residual,
                   const float* gamma, const float* beta, float epsilon, int64_t rows,
                   const int32_t* count, int d, void* y);

}  // namespace cuda
}  // namespace dragoman
