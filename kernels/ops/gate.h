// y = activation(a) * b, row by row, of a row a | b that a product has written: the gated
// feed-forward layer.
//
//   x [rows, 2 * n]: a | b; y [rows, n]; f32, dense; y does not overlap x.
//
// No reduction: a row's result depends on the row alone.
#pragma once

#include <cstdint>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

void GateRows(OpContext& context, Activation activation, const float* x, int64_t rows, int n,
              float* y);

namespace cuda {

// x and y of the compute type, the activation and the product f32; `count` (nullptr: rows) says how
// many of the rows are there: the others of y keep what they hold, and those of x may be read.
// REQUIRES: rows < 2^31; n is a multiple of 8; x and y are aligned to 16 bytes.
Error GateRows(Stream stream, ComputeType type, Activation activation, const void* x, int64_t rows,
               const int32_t* count, int n, void* y);

}  // namespace cuda
}  // namespace dragoman::kernels
