// The parts of CUDA's language that kernels use beyond plain C++: launches, memory shared by a
// block, sums over a warp. A .cu file that launches through here can be run on the host by tests
// (tests/kernels/cuda_emulation), which bring their own launches, AwaitKernelBefore and
// DynamicShared.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/device.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

inline constexpr int kWarpThreads = 32;
inline constexpr unsigned kWholeWarp = 0xffffffffU;

#if defined(__CUDACC__)
// First of all in every thread of a kernel that is launched by LaunchEarly, but for copies to shared
// memory of weights, which nothing writes: what the kernels before it have written may be read from
// here on, and the kernel after it may take its place on the multiprocessors, where it comes to this
// very wait. By code for older cards nothing is done, for there no kernel begins early.
__device__ inline void AwaitKernelBefore() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <class... Parameters, class... Arguments>
Error Launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
             Stream stream, Arguments... arguments) {
  kernel<<<grid, block, shared_bytes, stream>>>(arguments...);
  return static_cast<Error>(cudaGetLastError());
}

// The same, for kernels that begin with AwaitKernelBefore: blocks come to the multiprocessors while
// the kernel before this one ends (programmatic dependent launch; an edge of that kind in a graph),
// where the device can (LaunchesEarly). Nothing of the kernel itself happens earlier.
template <class... Parameters, class... Arguments>
Error LaunchEarly(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                  Stream stream, Arguments... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = LaunchesEarly() ? 1 : 0;
  const auto launched = static_cast<Error>(
      cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
  const auto last = static_cast<Error>(cudaGetLastError());
  return launched != Error::kNone ? launched : last;
}

// The memory that the launch asked for as shared_bytes, aligned to 16 bytes.
template <class T>
__device__ T* DynamicShared() {
  extern __shared__ uint4 dragoman_dynamic_shared[];
  return reinterpret_cast<T*>(dragoman_dynamic_shared);
}
#endif

// How many rows there are, of a launch that is made for `rows`; asked together with what a row
// needs, for two loads that wait for each other are most of such a kernel's time in small steps.
// What lies beyond is memory of the same buffer, read and not used.
class RowsThere {
 public:
  __device__ RowsThere(const int32_t* count, int64_t rows)
      : count_(count == nullptr ? static_cast<int32_t>(rows) : *count),
        zero_(static_cast<uint32_t>(rows >> 32)) {}

  // `loaded`: bits of what was asked for. Or the compiler would look at the count first, and not ask
  // for the rest before that; it cannot know that there are fewer than 2^32 rows.
  __device__ int32_t After(uint32_t loaded) const {
    return count_ | static_cast<int32_t>(loaded & zero_);
  }

 private:
  const int32_t count_;
  const uint32_t zero_;
};

// The sum over all lanes, returned to all lanes with the same bits in each: the tree is the same
// from everywhere, and a + b is b + a.
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

}  // namespace dragoman::kernels::cuda
