// Implements the ThreadGroup of kernels/search/thread_group.h with the threads of a block.
//
// REQUIRES: the block is one-dimensional and has whole warps; its object Shared is in shared
// memory, and no other ThreadBlock uses this object at the same time.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/base/atomic.h"
#include "kernels/cuda/kernel.cuh"

namespace dragoman::kernels::cuda {

class ThreadBlock {
 public:
  static constexpr int kMaxWarps = 32;
  static constexpr int kMaxWords = 16;  // largest number of 32-bit words of a value

  // Memory for one value of each warp.
  struct Shared {
    uint32_t words[kMaxWords][kMaxWarps];
  };

  __device__ explicit ThreadBlock(Shared& shared) : shared_(shared) {}

  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ void Sync() const { __syncthreads(); }
  __device__ bool Any(bool mine) const { return __syncthreads_or(mine ? 1 : 0) != 0; }

  // Reduces over the lanes of each warp, then, if there are several warps, over the warps' values.
  // Every warp does the second part.
  template <class T, class Better>
  __device__ T Reduce(T value, Better better) const {
    value = WarpBest(value, better);
    if (Warps() > 1) {
      if (Lane() == 0) Put(value);
      __syncthreads();
      // `span` adjacent lanes hold one value of each warp of the block. The other lanes of this
      // warp repeat these values.
      int span = 2;
      while (span < Warps()) span *= 2;
      const int warp = Lane() % span;
      value = WarpBest(Get<T>(warp < Warps() ? warp : 0), better, span / 2);
    }
    __syncthreads();
    return value;
  }

  template <class T>
  __device__ T ExclusiveSum(T value, T* total) const {
    const T in_warp = WarpInclusiveSum(value);
    if (Lane() == kWarpThreads - 1) Put(in_warp);
    __syncthreads();
    const int warp = Lane();
    const T of_warp = warp < Warps() ? Get<T>(warp) : T{0};
    const T of_warps = WarpInclusiveSum(of_warp);
    *total = __shfl_sync(kWholeWarp, of_warps, kWarpThreads - 1);
    const T before = __shfl_sync(kWholeWarp, of_warps - of_warp, Warp());
    __syncthreads();
    return before + in_warp - value;
  }

  __device__ void Add(uint64_t& sum, uint64_t value) const { AtomicAdd(sum, value); }

  // Sorts with a bitonic network in which every exchange moves the better value to the lower index.
  // Indices from n on count as worse than all values. They would never be exchanged, so they are
  // skipped, and n need not be a power of two.
  template <class T, class Better>
  __device__ void Sort(T* data, int n, Better better) const {
    __syncthreads();
    for (int run = 2; run < 2 * n; run *= 2) {
      // Each half of a run of `run` elements is sorted. Compares the first half from its start on
      // with the second half from its end backwards.
      Exchange(data, n, run / 2, run - 1, better);
      for (int step = run / 4; step > 0; step /= 2) Exchange(data, n, step, step, better);
    }
  }

 private:
  // The empty asm hides the value from the compiler, which would otherwise keep values derived from
  // it in registers.
  __device__ static int Lane() {
    int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    asm volatile("" : "+r"(lane));
    return lane;
  }
  __device__ static int Warp() { return static_cast<int>(threadIdx.x) / kWarpThreads; }
  __device__ static int Warps() { return static_cast<int>(blockDim.x) / kWarpThreads; }

  template <class T>
  static constexpr int kWords = static_cast<int>(sizeof(T) / 4);

  template <class T>
  __device__ static void Check() {
    static_assert(sizeof(T) % 4 == 0 && kWords<T> <= kMaxWords);
  }

  // Compares each element i with its partner i ^ flip and puts the better one at the lower index.
  // `bit` is the highest bit of `flip`.
  template <class T, class Better>
  __device__ void Exchange(T* data, int n, int bit, int flip, Better better) const {
    for (int i = rank(); i < n; i += size()) {
      const int partner = i ^ flip;
      if ((i & bit) != 0 || partner >= n) continue;
      const T a = data[i];
      const T b = data[partner];
      if (!better(b, a)) continue;
      data[i] = b;
      data[partner] = a;
    }
    __syncthreads();
  }

  // Returns the best value of the lanes whose numbers agree with this lane's in all bits above
  // `furthest`.
  template <class T, class Better>
  __device__ static T WarpBest(T value, Better better, int furthest = kWarpThreads / 2) {
    Check<T>();
#pragma unroll
    for (int lanes = furthest; lanes > 0; lanes /= 2) {
      uint32_t words[kWords<T>];
      memcpy(words, &value, sizeof(T));
#pragma unroll
      for (int w = 0; w < kWords<T>; ++w) words[w] = __shfl_xor_sync(kWholeWarp, words[w], lanes);
      T other;
      memcpy(static_cast<void*>(&other), words, sizeof(T));
      if (better(other, value)) value = other;
    }
    return value;
  }

  template <class T>
  __device__ static T WarpInclusiveSum(T value) {
    const int lane = Lane();
#pragma unroll
    for (int by = 1; by < kWarpThreads; by *= 2) {
      const T other = __shfl_up_sync(kWholeWarp, value, by);
      if (lane >= by) value += other;
    }
    return value;
  }

  // Writes the value of this warp. One of its lanes calls it.
  template <class T>
  __device__ void Put(const T& value) const {
    Check<T>();
    uint32_t words[kWords<T>];
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int w = 0; w < kWords<T>; ++w) shared_.words[w][Warp()] = words[w];
  }

  template <class T>
  __device__ T Get(int warp) const {
    uint32_t words[kWords<T>];
#pragma unroll
    for (int w = 0; w < kWords<T>; ++w) words[w] = shared_.words[w][warp];
    T value;
    memcpy(static_cast<void*>(&value), words, sizeof(T));
    return value;
  }

  Shared& shared_;
};

}  // namespace dragoman::kernels::cuda
