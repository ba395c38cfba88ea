// One thread places the bans of one row.
#include "kernels/cuda/kernel.cuh"
#include "tests/gpu/variants/host_bans.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads)
    PlaceBansKernel(const int32_t* offsets, const int32_t* ids, int rows, LogitRequest* requests) {
  const auto row = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (row >= rows) return;
  requests[row].masked[1] = {ids + offsets[row], offsets[row + 1] - offsets[row]};
}

}  // namespace

Error PlaceBans(Stream stream, const int32_t* offsets, const int32_t* ids, int64_t rows,
                LogitRequest* requests) {
  if (rows == 0) return Error::kNone;
  return Launch(PlaceBansKernel, static_cast<unsigned>((rows + kThreads - 1) / kThreads), kThreads,
                0, stream, offsets, ids, static_cast<int>(rows), requests);
}

}  // namespace dragoman::kernels::cuda
