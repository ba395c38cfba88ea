// The parts of CUDA that kernels use beyond plain C++: launches, shared memory, sums over a warp.
// Tests can run a .cu file that launches through this header on the host
// (tests/kernels/cuda_emulation). The tests define Launch, LaunchEarly, AwaitKernelBefore and
// DynamicShared themselves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/device.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

inline constexpr int kWarpThreads = 32;
inline constexpr unsigned kWholeWarp = 0xffffffffU;

#if defined(__CUDACC__)
// Waits until the kernel before this one on the stream has ended. Every thread of a kernel that
// LaunchEarly launches calls this function first. Before the call, a thread may only copy weights
// to shared memory, because no kernel writes weights. After the call, it may read results of
// earlier kernels. The call also allows the next kernel on the stream to start and to wait in its
// own AwaitKernelBefore. Does nothing in code for cards before 9.0, where no kernel begins early.
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

// Like Launch, for kernels that begin with AwaitKernelBefore. If the device can do it
// (LaunchesEarly), the kernel's blocks start while the kernel before ends and wait in
// AwaitKernelBefore. That is programmatic dependent launch; in a graph it becomes a programmatic
// edge.
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

// Returns the memory that the launch requested as shared_bytes, aligned to 16 bytes.
template <class T>
__device__ T* DynamicShared() {
  extern __shared__ uint4 dragoman_dynamic_shared[];
  return reinterpret_cast<T*>(dragoman_dynamic_shared);
}
#endif

// Loads `*count`, the number of rows that exist in a launch for `rows` rows. If `count` is null,
// all exist. The count is loaded at the same time as a row's data, because in a small step two
// loads one after the other would take most of the kernel's time. So rows that do not exist are
// also loaded. They are memory of the same buffer, and their values are not used.
class RowsThere {
 public:
  __device__ RowsThere(const int32_t* count, int64_t rows)
      : count_(count == nullptr ? static_cast<int32_t>(rows) : *count),
        zero_(static_cast<uint32_t>(rows >> 32)) {}

  // Returns the number of rows. `loaded` is any value that other loads have read. It does not
  // change the result, because zero_ is always 0. But the result seems to depend on it, so the
  // compiler does not test the count before it starts those loads. The compiler cannot know that
  // zero_, the upper half of `rows`, is 0.
  __device__ int32_t After(uint32_t loaded) const {
    return count_ | static_cast<int32_t>(loaded & zero_);
  }

 private:
  const int32_t count_;
  const uint32_t zero_;
};

// Returns the sum of x over all lanes. All lanes get the same bits, because all add in the same
// tree and a + b equals b + a.
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
