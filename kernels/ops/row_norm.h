// Norms of rows, with a residual before them: z = x + residual, row by row.
//
//   LayerNorm   y = (z - mean(z)) / sqrt(var(z) + epsilon) * gamma + beta
//   RMSNorm     y = z / sqrt(mean(z^2) + epsilon) * gamma: it takes no mean off and adds no bias
//
//   x, residual, y, sum [rows, d]; gamma, beta [d]; f32, dense. residual may be nullptr (z = x).
//   y may be x or residual. sum takes z, for layers that go on with what is not normed (pre-norm);
//   nullptr: it is not needed. It may be x or residual, and is not y.
//
// Mean and (biased) variance are two passes of f32, the mean of squares one, each in an order fixed by d
// alone.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

void AddLayerNorm(OpContext& context, const float* x, const float* residual, const float* gamma,
                  const float* beta, float epsilon, int64_t rows, int d, float* y,
                  float* sum = nullptr);

void AddRmsNorm(OpContext& context, const float* x, const float* residual, const float* gamma,
                float epsilon, int64_t rows, int d, float* y, float* sum = nullptr);

namespace cuda {

// x, residual, y, sum of the compute type; gamma, beta f32. `count` (nullptr: rows) says how many of
// the rows are there; the others of y and sum keep what they hold, and those of x and residual may
// be read. Sums are f32, in an order fixed by d alone; y is of z before it is rounded for `sum`.
// REQUIRES: rows < 2^31; d is a multiple of 8, at most 4096; all are aligned to 16 bytes.
Error AddLayerNorm(Stream stream, ComputeType type, const void* x, const void* residual,
                   const float* gamma, const float* beta, float epsilon, int64_t rows,
                   const int32_t* count, int d, void* y, void* sum = nullptr);

Error AddRmsNorm(Stream stream, ComputeType type, const void* x, const void* residual,
                 const float* gamma, float epsilon, int64_t rows, const int32_t* count, int d,
                 void* y, void* sum = nullptr);

}  // namespace cuda
}  // namespace dragoman::kernels
