// Norms of rows with a residual: z = x + residual, row by row.
//
//   LayerNorm   y = (z - mean(z)) / sqrt(var(z) + epsilon) * gamma + beta
//   RMSNorm     y = z / sqrt(mean(z^2) + epsilon) * gamma
//
//   x, residual, y, sum [rows, d]; gamma, beta [d]; f32, dense. residual may be nullptr (z = x).
//   y may be x or residual. sum receives z, which some layers continue from (pre-norm); nullptr:
//   not needed. sum may be x or residual, but not y.
//
// LayerNorm takes one pass for the mean and one for the biased variance, RMSNorm one for the mean
// of squares. Sums are f32. Their order depends only on d.
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

// AddLayerNorm on a device, for rows [0, *count), or for all rows if count is nullptr. Other rows
// of y and sum do not change; other rows of x and residual may be read. x, residual, y, sum are of
// the compute type; gamma, beta f32. Sums are f32. Their order depends only on d. y is computed
// from z before z is rounded for `sum`. REQUIRES: rows < 2^31; d is a multiple of 8, at most 4096;
// all arrays are aligned to 16 bytes.
Error AddLayerNorm(Stream stream, ComputeType type, const void* x, const void* residual,
                   const float* gamma, const float* beta, float epsilon, int64_t rows,
                   const int32_t* count, int d, void* y, void* sum = nullptr);

Error AddRmsNorm(Stream stream, ComputeType type, const void* x, const void* residual,
                 const float* gamma, float epsilon, int64_t rows, const int32_t* count, int d,
                 void* y, void* sum = nullptr);

}  // namespace cuda
}  // namespace dragoman::kernels
