// The text of CUDA kernels on the host: a .cu file compiled by the C++ compiler, its launches run
// by fibers, one block after the other. So every index, barrier and shuffle of a kernel is tested
// where there is no GPU; what the device's own arithmetic and memory model do is not.
//
// To use: dragoman_emulate (tests/CMakeLists.txt) makes a .cc that includes this header first, gives the launchers other
// names, because the device's own are in the library, and includes the .cu.
// <cuda_fp16.h> and <cuda_bf16.h> beside this file take the place of CUDA's.
//
// A launch is done when Launch returns; no streams. Blocks and threads take their turns in another
// order at every launch, in half of the blocks all threads in turn, in the other half each warp as
// far as it can go alone, so that a missing barrier does not stay unseen. Fails the process, and
// says why, when threads of a block or warp wait in different places (a divergent barrier), or when
// some have left before one. Known: barriers, shuffles and votes of whole warps, static and
// dynamic shared memory (the latter full of NaN at the start of a block), plain arithmetic.
//
// Not thread-safe: one launch at a time in a process. For x86-64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#include "kernels/cuda/launch.h"

// Names that CUDA has taken from what is reserved.
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

// The indices of the thread whose turn it is.
struct Current {
  dim3 thread, block, block_size, grid_size;
  int lane = 0;  // of its warp
};
extern Current current;
extern unsigned char* dynamic_shared;
extern size_t dynamic_shared_bytes;
// Called, where set, when all threads of a block have ended.
extern void (*end_of_block)();

// Ends the process; says which thread it was.
[[noreturn]] void Fail(const char* why);

void BlockBarrier();
// All 32 threads of the warp arrive before any goes on.
void WarpBarrier();
// The thread goes on once `over()` says so. It is asked in every turn of the thread.
void WaitUntil(const std::function<bool()>& over);
// The same as WarpBarrier; every thread brings 8 bytes and gets those of lane `from`.
uint64_t Exchange(uint64_t mine, int from);
// The same as WarpBarrier; bit i of the result is lane i's argument.
uint32_t Ballot(bool mine);
// The same as BlockBarrier; whether any thread passed true.
bool BlockAny(bool mine);

// Launches that were run, ever.
extern int64_t launches;
// Threads that have come to AwaitKernelBefore, ever.
extern int64_t awaits;

// Refuses what a device would refuse: the value of a cudaError_t.
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
// Threads take turns, and only at barriers.
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

// The approximations of approximate.cuh, but exact.
inline float PowerOfTwo(float x) { return x < -126.0F ? 0.0F : std::exp2(x); }
inline float Reciprocal(float x) {
  const float y = 1.0F / x;
  return std::fpclassify(y) == FP_SUBNORMAL ? std::copysign(0.0F, y) : y;
}

// A kernel that begins early must wait in every thread, and before anything else but copies of
// weights. That nothing comes before is for the reader to check; that no thread goes round it is
// checked here.
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
