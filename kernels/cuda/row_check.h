// Functions to test a matrix product on a device. They make random operands and count the
// differences between two results. Counting on the device avoids copies of the results to the host.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Writes n random numbers of the type, uniform in [-1, 1). Each number depends only on its index.
Error FillRandom(Stream stream, ComputeType type, int64_t n, void* to);

// Compares `rows` rows of n elements. Adds to *different the number of elements whose bits differ
// between a and b. The rows of a and b are `stride` elements of element_bytes (2 or 4) apart.
Error CountDifferent(Stream stream, int element_bytes, const void* a, const void* b, int64_t rows,
                     int64_t n, int64_t stride, uint32_t* different);

}  // namespace dragoman::kernels::cuda
