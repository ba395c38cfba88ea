// Activation in place: the exact GELU and swish, which no epilogue of cuBLASLt computes (its GELU
// is the tanh form), on what a product has just written.
//
// Bytes per row of n elements of e bytes: 2 n e; flop about 20 to 30 per element (erf, or exp and a
// division). Floor of 4,096 rows, n 2,048, float16 at 4.3 TB/s: 33.6 MB, 7.8 us (counted); as long
// as it fits, 16.8 MB, it is still in L2. Not run on a GPU yet.
//
// One piece of 16 bytes per thread, in f32. No reduction, so every row is bit-equal anywhere.
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/activation.h"

namespace dragoman::cuda {
namespace {

constexpr int kThreads = 256;

// NaN stays NaN in each of them.
template <Activation kActivation>
__device__ float Apply(float x) {
  if constexpr (kActivation == Activation::kRelu) return x < 0.0F ? 0.0F : x;
  if constexpr (kActivation == Activation::kGelu) {
    return 0.5F * x * (1.0F + erff(x * 0.707106781F));
  }
  return x / (1.0F + expf(-x));
}

template <class T, Activation kActivation>
__global__ void __launch_bounds__(kThreads)
    ActivateKernel(int64_t rows, const int32_t* count, int row_pieces, T* x) {
  const int64_t here = count == nullptr || *count > rows ? rows : *count;
  const int64_t piece = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (piece >= here * row_pieces) return;
  T* at = x + piece * kPieceElements<T>;
  Piece<T> values = LoadPiece(at);
#pragma unroll
  for (int j = 0; j < kPieceElements<T>; ++j) {
    values.element[j] = FromFloat<T>(Apply<kActivation>(ToFloat(values.element[j])));
  }
  StorePiece(at, values);
}

template <class T, Activation kActivation>
Error LaunchActivation(Stream stream, int64_t rows, const int32_t* count, int n, T* x) {
  const int row_pieces = n / kPieceElements<T>;
  const auto blocks = static_cast<unsigned>((rows * row_pieces + kThreads - 1) / kThreads);
  return Launch(ActivateKernel<T, kActivation>, blocks, kThreads, 0, stream, rows, count,
                row_pieces, x);
}

}  // namespace

Error Activate(Stream stream, ComputeType type, Activation activation, int64_t rows,
               const int32_t* count, int n, void* x) {
  if (n <= 0 || n % 8 != 0) return static_cast<Error>(cudaErrorInvalidValue);
  if (rows == 0 || activation == Activation::kNone) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    T* values = static_cast<T*>(x);
    switch (activation) {
      case Activation::kRelu:
        return LaunchActivation<T, Activation::kRelu>(stream, rows, count, n, values);
      case Activation::kGelu:
        return LaunchActivation<T, Activation::kGelu>(stream, rows, count, n, values);
      case Activation::kSwish:
      case Activation::kNone:
        break;
    }
    return LaunchActivation<T, Activation::kSwish>(stream, rows, count, n, values);
  });
}

}  // namespace dragoman::cuda
