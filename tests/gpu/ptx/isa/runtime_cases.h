// Kernels of the ISA tests that need the CUDA runtime: the driver makes the map of a tensor, and
// launches make grids that depend on each other. nvcc compiles them like the product's kernels.
//
// Pointers are to device memory. The functions launch kernels on the default stream and return a
// cudaError_t.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace dragoman::ptx::isa {

inline constexpr int kBoxElements = 64;  // of 2 bytes each: one row of a box
inline constexpr int kBoxRows = 16;
inline constexpr int kBoxes = 2;

// Copies the boxes at (x[i], y[i]) of the map's tensor to shared memory, and then writes this
// memory to `out` [kBoxes, kBoxRows, kBoxElements] in the order of addresses. `over` [3] gets
// whether the mbarrier's phase is complete at three times: when the bytes of all boxes were
// announced and the only arrival has come; when all copies but one were started; and after the
// wait.
int CopyBoxes(const CUtensorMap& map, const int* x, const int* y, uint16_t* out, uint32_t* over);

// Runs two grids, of which the second may begin while the first runs. The first permits this at
// once, and then writes 1000 times the block plus the lane to `between` [blocks, 32]. The second
// waits, and each of its threads sums a column into `sums` [32].
int DependentSums(uint32_t* between, int blocks, uint32_t* sums);

}  // namespace dragoman::ptx::isa
