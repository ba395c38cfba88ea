// Adds the residual and computes RMSNorm in one pass over memory. A row moves as many bytes as in
// layer_norm_cuda.cu, but gamma takes only 4 d and there is no beta. An element takes about 5 flop.
#include "kernels/ops/row_norm.cuh"
#include "kernels/ops/row_norm.h"

namespace dragoman::kernels::cuda {
namespace {

// kRowWarps is the number of warps that compute a row: 1, or all warps of the block.
template <class T, int kRowWarps, int kSteps>
__global__ void __launch_bounds__(kNormWarps* kWarpThreads, kNormBlocks)
    AddRmsNormKernel(const T* x, const T* residual, const float* gamma, float epsilon, int64_t rows,
                     const int32_t* count, int d, T* y, T* sums) {
  AwaitKernelBefore();
  constexpr int kPiece = kPieceElements<T>;
  constexpr int kStep = kNormStride<T, kRowWarps>;
  __shared__ float partial[kNormWarps];
  const int64_t row =
      kRowWarps == 1 ? int64_t{blockIdx.x} * kNormWarps + threadIdx.y : int64_t{blockIdx.x};
  if (row >= rows) return;  // true for all threads of the row
  const RowsThere there(count, rows);
  // With kAtOnce the count of rows is tested only after the row's loads have begun (RowsThere).
  // With more steps the registers would not suffice. Longer rows also keep a warp busy for longer,
  // so a wait for the count matters less.
  constexpr bool kAtOnce = kSteps <= (kRowWarps == 1 ? 4 : 2);
  if (!kAtOnce && row >= there.After(0)) return;
  const int thread =
      static_cast<int>(kRowWarps == 1 ? threadIdx.x : threadIdx.y * kWarpThreads + threadIdx.x);
  const int first = thread * kPiece;
  const T* x_row = x + row * d;
  const T* residual_row = residual == nullptr ? nullptr : residual + row * d;

  const RowPieces<T, kSteps, kStep> pieces(x_row, residual_row, first, d);
  float z[kSteps * kPiece];
  float squares = 0.0F;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    pieces.Sum(step, z + step * kPiece);
#pragma unroll
    for (int j = 0; j < kPiece; ++j) {
      const float value = z[step * kPiece + j];
      squares = fmaf(value, value, squares);
    }
  }
  if (kAtOnce && row >= there.After(pieces.Loaded())) return;
  const float mean = RowSum<kRowWarps>(squares, partial) / static_cast<float>(d);
  if (sums != nullptr) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      Piece<T> out;
#pragma unroll
      for (int j = 0; j < kPiece; ++j) out.element[j] = FromFloat<T>(z[step * kPiece + j]);
      if (pieces.IsInside(step)) StorePiece(sums + row * d + pieces.At(step), out);
    }
  }
  const float scale = 1.0F / sqrtf(mean + epsilon);

#pragma unroll
  for (int begin = 0; begin < kSteps; begin += kGainBatch) {
    constexpr int kMost = kSteps < kGainBatch ? kSteps : kGainBatch;
    float gains[kMost][kPiece];
#pragma unroll
    for (int s = 0; s < kMost && begin + s < kSteps; ++s) {
      LoadGains<T>(gamma + pieces.From(begin + s), gains[s]);
    }
#pragma unroll
    for (int s = 0; s < kMost && begin + s < kSteps; ++s) {
      const float* at = z + (begin + s) * kPiece;
      Piece<T> out;
#pragma unroll
      for (int j = 0; j < kPiece; ++j) out.element[j] = FromFloat<T>(at[j] * scale * gains[s][j]);
      if (pieces.IsInside(begin + s)) StorePiece(y + row * d + pieces.At(begin + s), out);
    }
  }
}

}  // namespace

Error AddRmsNorm(Stream stream, ComputeType type, const void* x, const void* residual,
                 const float* gamma, float epsilon, int64_t rows, const int32_t* count, int d,
                 void* y, void* sum) {
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    const auto kernel_of = [](auto row_warps, auto steps) {
      return AddRmsNormKernel<T, decltype(row_warps)::kValue, decltype(steps)::kValue>;
    };
    return LaunchNorm<T>(stream, rows, d, kernel_of, static_cast<const T*>(x),
                         static_cast<const T*>(residual), gamma, epsilon, rows, count, d,
                         static_cast<T*>(y), static_cast<T*>(sum));
  });
}

}  // namespace dragoman::kernels::cuda
