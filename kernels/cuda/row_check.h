// Tools for trying a product on a device: random operands, and the count of what differs between
// two results, so that no result has to come back to the host.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// n numbers of the type, even in [-1, 1), each a function of its index alone.
Error FillRandom(Stream stream, ComputeType type, int64_t n, void* to);

// Adds to *different the number of elements of [rows, n] whose bits differ; a and b have rows of
// `stride` elements of element_bytes (2 or 4).
Error CountDifferent(Stream stream, int element_bytes, const void* a, const void* b, int64_t rows,
                     int64_t n, int64_t stride, uint32_t* different);

}  // namespace dragoman::kernels::cuda
