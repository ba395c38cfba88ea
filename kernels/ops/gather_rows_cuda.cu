// Gathers rows. One warp copies a row of d elements, 16 bytes per lane at a time. A call gathers at
// most kChunkRows rows, so the launch itself takes most of the time.
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/gather_rows.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4;

template <class T>
__global__ void __launch_bounds__(kWarps * 32)
    GatherKernel(const T* x, const int32_t* rows, const int32_t* count, int first, int n, int d,
                 T* y) {
  AwaitKernelBefore();
  const int i = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.y);
  if (i >= n || first + i >= *count) return;
  const T* __restrict__ from = x + int64_t{rows[first + i]} * d;
  T* __restrict__ to = y + int64_t{i} * d;
  constexpr int kStep = 32 * kPieceElements<T>;
  for (int j = static_cast<int>(threadIdx.x) * kPieceElements<T>; j < d; j += kStep) {
    StorePiece(to + j, LoadPiece(from + j));
  }
}

}  // namespace

Error GatherRows(Stream stream, ComputeType type, const void* x, const MaterializedRows& list,
                 int64_t first, int64_t n, int d, void* y) {
  if (n == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    const auto blocks = static_cast<unsigned>((n + kWarps - 1) / kWarps);
    return LaunchEarly(GatherKernel<T>, blocks, dim3(32, kWarps), 0, stream,
                       static_cast<const T*>(x), list.rows, list.count, static_cast<int>(first),
                       static_cast<int>(n), d, static_cast<T*>(y));
  });
}

}  // namespace dragoman::kernels::cuda
