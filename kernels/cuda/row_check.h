// Tools to test a product on a device: random operands, and the number of differences between two
// results, counted on the device so that no result has to be copied to the host.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Writes n random numbers of the type, uniform in [-1, 1). Each number depends only on its index.
Error FillRandom(Stream stream, ComputeType type, int64_t n, void* to);

// Adds to *different the number of elements of [rows, n] whose bits differ. The rows of a and b are
// `stride` elements of element_bytes (2 or 4) apart.
Error CountDifferent(Stream stream, int element_bytes, const void* a, const void* b, int64_t rows,
                     int64_t n, int64_t stride, uint32_t* different);

}  // namespace dragoman::kernels::cuda
