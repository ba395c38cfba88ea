// Applies an activation in place to x, the output of a matrix product. Used for the activations
// that no epilogue of cuBLASLt computes in the way that kernels/base/activation.h defines. For
// example, cuBLASLt has only the tanh form of GELU.
//
// Bytes per row of n elements of e bytes: 2 n e; flop about 20 to 30 per element (erf, or exp and a
// division). Floor of 4,096 rows, n 2,048, float16 at 4.3 TB/s: 33.6 MB, 7.8 us (computed, not
// measured). The time is shorter if the 16.8 MB that the product wrote are still in L2.
//
// A thread computes one piece of 16 bytes, in f32. There is no sum over elements, so a row's bits
// do not depend on its place.
#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/activation_cuda.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

template <class T, Activation kActivation>
__global__ void __launch_bounds__(kThreads)
    ActivateKernel(int64_t rows, const int32_t* count, int row_pieces, T* x) {
  AwaitKernelBefore();
  const int64_t piece = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (piece >= rows * row_pieces) return;
  const RowsThere there(count, rows);
  T* at = x + piece * kPieceElements<T>;
  const RawPiece<T> loaded = LoadRaw(at);
  if (piece >= int64_t{there.After(loaded.bits.x)} * row_pieces) return;
  float wide[kPieceElements<T>];
  Widen(loaded, wide);
  Piece<T> values;
#pragma unroll
  for (int j = 0; j < kPieceElements<T>; ++j) {
    values.element[j] = FromFloat<T>(Apply<kActivation, T>(wide[j]));
  }
  StorePiece(at, values);
}

template <class T, Activation kActivation>
Error LaunchActivation(Stream stream, int64_t rows, const int32_t* count, int n, T* x) {
  const int row_pieces = n / kPieceElements<T>;
  const auto blocks = static_cast<unsigned>((rows * row_pieces + kThreads - 1) / kThreads);
  return LaunchEarly(ActivateKernel<T, kActivation>, blocks, kThreads, 0, stream, rows, count,
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
    return ForActivation(activation, [&](auto is) {
      return LaunchActivation<T, decltype(is)::kValue>(stream, rows, count, n, values);
    });
  });
}

}  // namespace dragoman::kernels::cuda
