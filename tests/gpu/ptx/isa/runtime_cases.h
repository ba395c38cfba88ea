// Kernels of the ISA tests that need the CUDA runtime: a tensor's map comes from the driver, and
// grids that depend on each other from launches. Compiled by nvcc like the product's kernels.
//
// Pointers are of device memory. The launchers put kernels on the default stream, and return a
// cudaError_t.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace dragoman::ptx::isa {

inline constexpr int kBoxElements = 64;  // of 2 bytes: a row of a box
inline constexpr int kBoxRows = 16;
inline constexpr int kBoxes = 2;

// Copies the boxes at (x[i], y[i]) of the map's tensor to shared memory, and then writes all that
// is there to `out` [kBoxes, kBoxRows, kBoxElements] in the order of addresses. `over` [3] gets
// whether the phase is over when the bytes of all boxes have been announced and the only arrival
// has come, when the copies are under way but for one, and when the wait is over.
int CopyBoxes(const CUtensorMap& map, const int* x, const int* y, uint16_t* out, uint32_t* over);

// Two grids, of which the second may begin while the first runs. The first lets it at once, and
// then writes `between` [blocks, 32], 1000 times the block plus the lane; the second waits, and
// each of its threads adds up a column to `sums` [32].
int DependentSums(uint32_t* between, int blocks, uint32_t* sums);

}  // namespace dragoman::ptx::isa
