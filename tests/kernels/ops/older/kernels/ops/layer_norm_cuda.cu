// OLDER VERSION, kept to hold the present one against it bit by bit:
// the number of rows is waited for before anything is asked for.
// See tests/kernels/ops/older/README.md.
//
// Residual and LayerNorm in one pass over memory: z = x + residual, y = (z - mean) * scale * gamma
// + beta.
//
// Bytes per row, elements of e bytes: 3 d e (x, residual, y), and 8 d of gamma and beta, which stay
// in cache; about 8 flop per element. Floor of 4,096 rows, d 512, float16 at 4.3 TB/s: 12.6 MB,
// 2.9 us (counted); in a step x was written just before and is in L2.
//
// A warp per row, or four of them where d is beyond 1,024, and the row in their registers: both
// passes (mean, then squares of what is left) read no memory. A thread holds pieces of 16 bytes a
// whole stride apart, so that loads are whole lines. The steps are a template parameter, for
// registers have no index. A thread's sum runs in the order of its pieces, the lanes' by a
// butterfly, the warps' in their order: fixed by d alone, and the same in every thread.
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/row_norm.h"

namespace dragoman::cuda {
namespace {

constexpr int kWarps = 4;
constexpr int kWarpWidth = 1024;  // of a row that one warp holds
constexpr int kMaxWidth = 4096;

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

// Elements of a row that its threads take at once.
template <class T, int kRowWarps>
constexpr int kStride = kRowWarps* kWarpThreads* kPieceElements<T>;

// kRowWarps: 1, or all of the block's.
template <class T, int kRowWarps, int kSteps>
__global__ void __launch_bounds__(kWarps* kWarpThreads)
    AddLayerNormKernel(const T* x, const T* residual, const float* gamma, const float* beta,
                       float epsilon, int64_t rows, const int32_t* count, int d, T* y, T* sums) {
  AwaitKernelBefore();
  constexpr int kPiece = kPieceElements<T>;
  constexpr int kStep = kStride<T, kRowWarps>;
  __shared__ float partial[2][kWarps];
  const int64_t row =
      kRowWarps == 1 ? int64_t{blockIdx.x} * kWarps + threadIdx.y : int64_t{blockIdx.x};
  if (row >= rows || (count != nullptr && row >= *count)) return;  // a row's threads go together
  const int thread =
      static_cast<int>(kRowWarps == 1 ? threadIdx.x : threadIdx.y * kWarpThreads + threadIdx.x);
  const int first = thread * kPiece;
  const T* x_row = x + row * d;
  const T* residual_row = residual == nullptr ? nullptr : residual + row * d;

  float z[kSteps * kPiece];
  float sum = 0.0F;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int i = first + step * kStep;
    Piece<T> a{};
    Piece<T> b{};
    if (i < d) {
      a = LoadPiece(x_row + i);
      if (residual_row != nullptr) b = LoadPiece(residual_row + i);
    }
#pragma unroll
    for (int j = 0; j < kPiece; ++j) {
      const float value = ToFloat(a.element[j]) + ToFloat(b.element[j]);
      z[step * kPiece + j] = value;
      sum += value;
    }
    if (sums != nullptr && i < d) {
      Piece<T> out;
#pragma unroll
      for (int j = 0; j < kPiece; ++j) out.element[j] = FromFloat<T>(z[step * kPiece + j]);
      StorePiece(sums + row * d + i, out);
    }
  }
  const float mean = RowSum<kRowWarps>(sum, partial[0]) / static_cast<float>(d);

  float squares = 0.0F;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const bool inside = first + step * kStep < d;
#pragma unroll
    for (int j = 0; j < kPiece; ++j) {
      const float off = inside ? z[step * kPiece + j] - mean : 0.0F;
      squares += off * off;
    }
  }
  const float variance = RowSum<kRowWarps>(squares, partial[1]) / static_cast<float>(d);
  const float scale = 1.0F / sqrtf(variance + epsilon);

#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int i = first + step * kStep;
    if (i >= d) continue;
    Piece<T> out;
#pragma unroll
    for (int part = 0; part < kPiece; part += 4) {
      const float4 g = *reinterpret_cast<const float4*>(gamma + i + part);
      const float4 b = *reinterpret_cast<const float4*>(beta + i + part);
      const float* at = z + step * kPiece + part;
      out.element[part] = FromFloat<T>((at[0] - mean) * scale * g.x + b.x);
      out.element[part + 1] = FromFloat<T>((at[1] - mean) * scale * g.y + b.y);
      out.element[part + 2] = FromFloat<T>((at[2] - mean) * scale * g.z + b.z);
      out.element[part + 3] = FromFloat<T>((at[3] - mean) * scale * g.w + b.w);
    }
    StorePiece(y + row * d + i, out);
  }
}

template <class T>
struct Operands {
  const T* x;
  const T* residual;
  const float* gamma;
  const float* beta;
  float epsilon;
  int64_t rows;
  const int32_t* count;
  int d;
  T* y;
  T* sum;
};

// The smallest of the given numbers of steps that holds the row.
template <class T, int kRowWarps, int kSteps, int... kMore>
Error LaunchSteps(Stream stream, const Operands<T>& o) {
  if constexpr (sizeof...(kMore) > 0) {
    if (o.d > kSteps * kStride<T, kRowWarps>) return LaunchSteps<T, kRowWarps, kMore...>(stream, o);
  }
  constexpr int kRows = kWarps / kRowWarps;  // of a block
  const auto blocks = static_cast<unsigned>((o.rows + kRows - 1) / kRows);
  return LaunchEarly(AddLayerNormKernel<T, kRowWarps, kSteps>, blocks, dim3(kWarpThreads, kWarps),
                     0, stream, o.x, o.residual, o.gamma, o.beta, o.epsilon, o.rows, o.count, o.d,
                     o.y, o.sum);
}

}  // namespace

Error AddLayerNorm(Stream stream, ComputeType type, const void* x, const void* residual,
                   const float* gamma, const float* beta, float epsilon, int64_t rows,
                   const int32_t* count, int d, void* y, void* sum) {
  if (d <= 0 || d % 8 != 0 || d > kMaxWidth) return static_cast<Error>(cudaErrorInvalidValue);
  if (rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    const Operands<T> operands = {static_cast<const T*>(x),
                                  static_cast<const T*>(residual),
                                  gamma,
                                  beta,
                                  epsilon,
                                  rows,
                                  count,
                                  d,
                                  static_cast<T*>(y),
                                  static_cast<T*>(sum)};
    // A warp's step is 256 elements of 16 bits, 128 of f32: d 256, 512, 768, 1024, 2048 and 4096
    // are met exactly.
    if constexpr (sizeof(T) == 2) {
      return d <= kWarpWidth ? LaunchSteps<T, 1, 1, 2, 3, 4>(stream, operands)
                             : LaunchSteps<T, kWarps, 2, 3, 4>(stream, operands);
    } else {
      return d <= kWarpWidth ? LaunchSteps<T, 1, 1, 2, 4, 6, 8>(stream, operands)
                             : LaunchSteps<T, kWarps, 3, 4, 6, 8>(stream, operands);
    }
  });
}

}  // namespace dragoman::cuda
