// Random operands and the comparison of two results. They run only while a model is loaded, so
// simple loops suffice.
#include <algorithm>

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/row_check.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

// The finaliser of MurmurHash3: every bit of the index affects every bit of the number.
__device__ uint32_t Mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  return x ^ (x >> 16);
}

template <class T>
__global__ void __launch_bounds__(kThreads) FillRandomKernel(int64_t n, T* to) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  const auto bits = Mix(static_cast<uint32_t>(i) + 0x9e3779b9U) >> 8;  // 24 bits
  to[i] = FromFloat<T>(static_cast<float>(bits) * (1.0F / 8388608.0F) - 1.0F);
}

// One block per row, with only as many warps as the row needs.
template <class Bits>
__global__ void __launch_bounds__(kThreads)
    CountDifferentKernel(const Bits* a, const Bits* b, int64_t n, int64_t stride,
                         uint32_t* different) {
  const int64_t start = int64_t{blockIdx.x} * stride;
  uint32_t found = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) found += a[start + i] != b[start + i];
  if (found > 0) atomicAdd(different, found);
}

}  // namespace

Error FillRandom(Stream stream, ComputeType type, int64_t n, void* to) {
  if (n == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    return Launch(FillRandomKernel<T>, blocks, kThreads, 0, stream, n, static_cast<T*>(to));
  });
}

Error CountDifferent(Stream stream, int element_bytes, const void* a, const void* b, int64_t rows,
                     int64_t n, int64_t stride, uint32_t* different) {
  if (rows == 0) return Error::kNone;
  const int64_t warps = (n + kWarpThreads - 1) / kWarpThreads;
  const auto threads = static_cast<unsigned>(std::min<int64_t>(kThreads, warps * kWarpThreads));
  const auto launch = [&](auto zero) {
    using Bits = decltype(zero);
    return Launch(CountDifferentKernel<Bits>, static_cast<unsigned>(rows), threads, 0, stream,
                  static_cast<const Bits*>(a), static_cast<const Bits*>(b), n, stride, different);
  };
  return element_bytes == 2 ? launch(uint16_t{}) : launch(uint32_t{});
}

}  // namespace dragoman::kernels::cuda
