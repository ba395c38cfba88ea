// What kernels use of CUDA's language beyond plain C++: launches, memory shared by a block, sums
// over a warp. A .cu file that launches through here can be run on the host by tests
// (tests/kernels/cuda_emulation), which bring their own Launch and DynamicShared.
#pragma once

#include <cstddef>

#include "kernels/cuda/launch.h"

namespace dragoman::cuda {

inline constexpr int kWarpThreads = 32;
inline constexpr unsigned kWholeWarp = 0xffffffffU;

#if defined(__CUDACC__)
template <class... Parameters, class... Arguments>
Error Launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
             Stream stream, Arguments... arguments) {
  kernel<<<grid, block, shared_bytes, stream>>>(arguments...);
  return static_cast<Error>(cudaGetLastError());
}

// The memory that the launch asked for as shared_bytes, aligned to 16 bytes.
template <class T>
__device__ T* DynamicShared() {
  extern __shared__ uint4 dragoman_dynamic_shared[];
  return reinterpret_cast<T*>(dragoman_dynamic_shared);
}
#endif

// Of all lanes, for all lanes, with the same bits in each: the tree is the same from everywhere,
// and a + b is b + a.
__device__ inline float WarpSum(float x) {
#pragma unroll
  for (int lanes = kWarpThreads / 2; lanes > 0; lanes /= 2) {
    x += __shfl_xor_sync(kWholeWarp, x, lanes);
  }
  return x;
}

__device__ inline float WarpMax(float x) {
#pragma unroll
  for (int lanes = kWarpThreads / 2; lanes > 0; lanes /= 2) {
    x = fmaxf(x, __shfl_xor_sync(kWholeWarp, x, lanes));
  }
  return x;
}

}  // namespace dragoman::cuda
