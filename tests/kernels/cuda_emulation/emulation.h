// Runs CUDA kernels on the host: the C++ compiler compiles a .cu file, and fibers run its launches,
// one block after the other. This tests every index, barrier and shuffle of a kernel without a GPU,
// but not the device's arithmetic and memory model.
//
// dragoman_emulate (tests/CMakeLists.txt) makes a .cc that includes this header first, renames the
// launchers (the library contains the device's) and includes the .cu. <cuda_fp16.h> and
// <cuda_bf16.h> in this folder replace CUDA's.
//
// A launch has finished when Launch returns. There are no streams. The order of blocks and threads
// differs at every launch: in half of the blocks all threads alternate, in the others each warp
// runs alone as far as it can. This reveals missing barriers. The process fails with a message if
// threads of a block or warp wait in different places (a divergent barrier), or if some have exited
// before a barrier. Supported: barriers, shuffles and votes of whole warps, static and dynamic
// shared memory (dynamic memory is full of NaN at the start of a block), plain arithmetic.
//
// Not thread-safe: one launch at a time in a process. Launches on x86-64 only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#include "kernels/cuda/launch.h"

// CUDA uses reserved names.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define __grid_constant__
#define threadIdx (::dragoman::emulation::current.thread)
#define blockIdx (::dragoman::emulation::current.block)
#define blockDim (::dragoman::emulation::current.block_size)
#define gridDim (::dragoman::emulation::current.grid_size)

struct dim3 {
  unsigned x, y, z;
  // NOLINTNEXTLINE(google-explicit-constructor): as CUDA's
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct alignas(16) uint4 {
  uint32_t x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoKernelImageForDevice = 209
};
inline cudaError_t cudaGetLastError() { return cudaSuccess; }

namespace dragoman::emulation {

// The indices of the current thread.
struct Current {
  dim3 thread, block, block_size, grid_size;
  int lane = 0;  // in its warp
};
extern Current current;
extern unsigned char* dynamic_shared;
extern size_t dynamic_shared_bytes;
// If set, called after all threads of a block have ended.
extern void (*end_of_block)();

// Ends the process with a message that names the thread.
[[noreturn]] void Fail(const char* why);

void BlockBarrier();
// Waits for all 32 threads of the warp.
void WarpBarrier();
// Blocks the thread until `over()` returns true. It is called in every turn of the thread.
void WaitUntil(const std::function<bool()>& over);
// A WarpBarrier in which every thread passes 8 bytes and gets those of lane `from`.
uint64_t Exchange(uint64_t mine, int from);
// A WarpBarrier that returns a mask: bit i is lane i's argument.
uint32_t Ballot(bool mine);
// A BlockBarrier that returns whether any thread passed true.
bool BlockAny(bool mine);

// The number of launches in this process.
extern int64_t launches;
// The number of threads in this process that have reached AwaitKernelBefore.
extern int64_t awaits;

// Returns the value of a cudaError_t for launches that a device would refuse.
int Run(dim3 grid, dim3 block, size_t shared, const std::function<void()>& thread);

template <class T>
T Shuffle(unsigned mask, T value, int from) {
  static_assert(sizeof(T) <= 8);
  if (mask != 0xffffffffU) std::abort();  // whole warps only
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = Exchange(bits, from);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace dragoman::emulation

inline void __syncthreads() { dragoman::emulation::BlockBarrier(); }
inline void __syncwarp(unsigned = 0xffffffffU) { dragoman::emulation::WarpBarrier(); }

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const int first = dragoman::emulation::current.lane & ~(width - 1);
  return dragoman::emulation::Shuffle(mask, value, first + (from & (width - 1)));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes) {
  return dragoman::emulation::Shuffle(mask, value, dragoman::emulation::current.lane ^ lanes);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, int by) {
  const int from = dragoman::emulation::current.lane - by;
  return dragoman::emulation::Shuffle(mask, value,
                                      from >= 0 ? from : dragoman::emulation::current.lane);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, int by) {
  const int from = dragoman::emulation::current.lane + by;
  return dragoman::emulation::Shuffle(mask, value,
                                      from < 32 ? from : dragoman::emulation::current.lane);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  if (mask != 0xffffffffU) std::abort();  // whole warps only
  return dragoman::emulation::Ballot(predicate != 0);
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) == 0xffffffffU;
}
inline int __syncthreads_or(int predicate) {
  return static_cast<int>(dragoman::emulation::BlockAny(predicate != 0));
}
// Threads switch only at barriers, so no atomic instruction is needed.
inline int atomicAdd(int* at, int value) {
  const int before = *at;
  *at += value;
  return before;
}
inline unsigned atomicAdd(unsigned* at, unsigned value) {
  const unsigned before = *at;
  *at += value;
  return before;
}
inline unsigned atomicOr(unsigned* at, unsigned bits) {
  const unsigned before = *at;
  *at |= bits;
  return before;
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __fmul_rn(float a, float b) { return a * b; }
template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
void __stwb(T* to, T value) {
  *to = value;
}
inline unsigned __float_as_uint(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
// NOLINTEND(bugprone-reserved-identifier)
inline float rsqrtf(float x) { return 1.0F / std::sqrt(x); }
using std::max;
using std::min;

namespace dragoman::kernels::cuda {

template <class... P, class... A>
Error Launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, Stream, A... arguments) {
  return Error{emulation::Run(grid, block, shared, [&] { kernel(arguments...); })};
}

inline void AwaitKernelBefore() { ++emulation::awaits; }

// Exact versions of the approximations in approximate.cuh.
inline float PowerOfTwo(float x) { return x < -126.0F ? 0.0F : std::exp2(x); }
inline float Reciprocal(float x) {
  const float y = 1.0F / x;
  return std::fpclassify(y) == FP_SUBNORMAL ? std::copysign(0.0F, y) : y;
}

// A kernel that begins early must wait in every thread, before anything except copies of weights.
// This checks only that every thread waits; a reviewer must check that nothing else comes first.
template <class... P, class... A>
Error LaunchEarly(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, Stream,
                  A... arguments) {
  const int64_t before = emulation::awaits;
  const int error = emulation::Run(grid, block, shared, [&] { kernel(arguments...); });
  const int64_t threads = int64_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
  if (error == 0 && emulation::awaits - before != threads) {
    emulation::Fail("a kernel that begins early has threads that do not wait, or wait twice");
  }
  return Error{error};
}

template <class T>
T* DynamicShared() {
  return reinterpret_cast<T*>(emulation::dynamic_shared);
}

}  // namespace dragoman::kernels::cuda
