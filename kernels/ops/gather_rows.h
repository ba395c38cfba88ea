// Gathers rows of a matrix: y[i] = x[list.rows[first + i]] for all i < n with first + i <
// *list.count.
//
//   x [rows, d], y [n, d] of the compute type, dense, 16-byte aligned; y must not overlap x. Other
//   rows of y keep their contents.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"
#include "kernels/ops/output_layer_cuda.h"

namespace dragoman::kernels::cuda {

// REQUIRES: d is a multiple of 8.
Error GatherRows(Stream stream, ComputeType type, const void* x, const MaterializedRows& list,
                 int64_t first, int64_t n, int d, void* y);

}  // namespace dragoman::kernels::cuda
