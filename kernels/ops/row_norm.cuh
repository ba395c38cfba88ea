// What the norms of rows have in common: a warp per row, or four of them where d is beyond 1,024, and
// the row in their registers. A thread holds pieces of 16 bytes a whole stride apart, so that loads
// are whole lines. The steps are a template parameter, for registers have no index. A thread's sum
// runs in the order of its pieces, the lanes' by a butterfly, the warps' in their order: fixed by d
// alone, and the same in every thread.
#pragma once

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"

namespace dragoman::cuda {

inline constexpr int kNormWarps = 4;         // of a block
inline constexpr int kNormWarpWidth = 1024;  // of a row that one warp holds
inline constexpr int kMaxNormWidth = 4096;

// Elements of a row that its threads take at once.
template <class T, int kRowWarps>
inline constexpr int kNormStride = kRowWarps* kWarpThreads* kPieceElements<T>;

// The sum over the threads of a row, the same in each of them. partial: one float for each warp in
// shared memory, of this call alone.
template <int kRowWarps>
__device__ float RowSum(float x, float* partial) {
  x = WarpSum(x);
  if constexpr (kRowWarps > 1) {
    if (threadIdx.x == 0) partial[threadIdx.y] = x;
    __syncthreads();
    x = partial[0];
#pragma unroll
    for (int warp = 1; warp < kRowWarps; ++warp) x += partial[warp];
  }
  return x;
}

// Calls launch(Steps<n>{}), n being the smallest of the given numbers of steps that holds a row of d.
template <int kSteps>
struct NormSteps {
  static constexpr int kValue = kSteps;
};
template <class T, int kRowWarps, int kSteps, int... kMore, class Launch>
Error ForSteps(int d, Launch launch) {
  if constexpr (sizeof...(kMore) > 0) {
    if (d > kSteps * kNormStride<T, kRowWarps>) return ForSteps<T, kRowWarps, kMore...>(d, launch);
  }
  return launch(NormSteps<kSteps>{});
}

}  // namespace dragoman::cuda
