// Computes y = activation(a) * b (gate.h). A row of n elements of e bytes moves 3 n e bytes. An
// element takes about 20 to 30 flop (erf, or exp and a division).
//
// A thread computes one piece of 16 bytes of y, in f32. There is no sum over elements, so a row's
// bits do not depend on its place.
#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/gate.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

template <class T, Activation kActivation>
__global__ void __launch_bounds__(kThreads)
    GateKernel(const T* x, int64_t rows, const int32_t* count, int row_pieces, T* y) {
  AwaitKernelBefore();
  const int64_t piece = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (piece >= rows * row_pieces) return;
  const RowsThere there(count, rows);
  const int64_t row = piece / row_pieces;
  const T* const a = x + (piece + row * row_pieces) * kPieceElements<T>;
  const RawPiece<T> left = LoadRaw(a);
  const RawPiece<T> right = LoadRaw(a + row_pieces * kPieceElements<T>);
  if (row >= there.After(left.bits.x | right.bits.x)) return;
  float gate[kPieceElements<T>];
  float by[kPieceElements<T>];
  Widen(left, gate);
  Widen(right, by);
  Piece<T> values;
#pragma unroll
  for (int j = 0; j < kPieceElements<T>; ++j) {
    values.element[j] = FromFloat<T>(Apply<kActivation, T>(gate[j]) * by[j]);
  }
  StorePiece(y + piece * kPieceElements<T>, values);
}

}  // namespace

Error GateRows(Stream stream, ComputeType type, Activation activation, const void* x, int64_t rows,
               const int32_t* count, int n, void* y) {
  if (n <= 0 || n % 8 != 0) return static_cast<Error>(cudaErrorInvalidValue);
  if (rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    return ForActivation(activation, [&](auto is) {
      const int row_pieces = n / kPieceElements<T>;
      const auto blocks = static_cast<unsigned>((rows * row_pieces + kThreads - 1) / kThreads);
      return LaunchEarly(GateKernel<T, decltype(is)::kValue>, blocks, kThreads, 0, stream,
                         static_cast<const T*>(x), rows, count, row_pieces, static_cast<T*>(y));
    });
  });
}

}  // namespace dragoman::kernels::cuda
