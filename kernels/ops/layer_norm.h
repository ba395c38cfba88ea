// y = (z - mean(z)) / sqrt(var(z) + epsilon) * gamma + beta, z = x + residual, row by row.
//
//   x, residual, y [rows, d]; gamma, beta [d]; f32, dense. residual may be nullptr (z = x).
//   y may be x or residual.
//
// Mean and (biased) variance in two passes of f32 in an order fixed by d alone.
#pragma once

#include <cstdint>

#include "kernels/ops/op_context.h"

namespace dragoman {

void AddLayerNorm(OpContext& context, const float* x, const float* residual, const float* gamma,
                  const float* beta, float epsilon, int64_t rows, int d, float* y);

}  // namespace dragoman
