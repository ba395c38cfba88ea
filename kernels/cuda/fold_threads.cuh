// Implements the ThreadGroup interface of kernels/ops/output_fold.h with the threads of a block.
#pragma once

#include <cstdint>

namespace dragoman::kernels::cuda {

// REQUIRES: a one-dimensional block of kThreads threads.
template <int kThreads>
struct FoldThreads {
  __device__ static int rank() { return static_cast<int>(threadIdx.x); }
  __device__ static constexpr int size() { return kThreads; }
  __device__ static void Sync() { __syncthreads(); }
  __device__ static bool Any(bool here) { return __syncthreads_or(here) != 0; }
  __device__ static int Claim(int32_t* counter) { return atomicAdd(counter, 1); }
  __device__ static void SetBit(uint32_t* word, int bit) { atomicOr(word, 1U << bit); }
};

}  // namespace dragoman::kernels::cuda
