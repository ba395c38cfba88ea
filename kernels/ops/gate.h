// y = activation(a) * b for each row a | b of a product: the gated feed-forward layer.
//
//   x [rows, 2 * n]: a | b; y [rows, n]; f32, dense; y does not overlap x.
//
// A row's result depends only on that row.
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

// GateRows on a device, for rows [0, *count), or for all rows if count is nullptr. Other rows of y
// do not change; other rows of x may be read. x and y are of the compute type; activation and
// product are computed in f32. REQUIRES: rows < 2^31; n is a multiple of 8; x and y are aligned to
// 16 bytes.
Error GateRows(Stream stream, ComputeType type, Activation activation, const void* x, int64_t rows,
               const int32_t* count, int n, void* y);

}  // namespace cuda
}  // namespace dragoman::kernels
