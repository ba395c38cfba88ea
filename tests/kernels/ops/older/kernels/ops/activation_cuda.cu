// OLDER VERSION, kept to hold the present one against it bit by bit:
// the number of rows is waited for before anything is asked for.
// See tests/kernels/ops/older/README.md.
//
// Activation in place: those that no epilogue of cuBLASLt computes as they are defined (its GELU is
// a tanh form of its own), on what a product has just written.
//
// Bytes per row of n elements of e bytes: 2 n e; flop about 20 to 30 per element (erf, or exp and a
// division). Floor of 4,096 rows, n 2,048, float16 at 4.3 TB/s: 33.6 MB, 7.8 us (counted); as long
// as it fits, 16.8 MB, it is still in L2. Not run on a GPU yet.
//
// One piece of 16 bytes per thread, in f32. No reduction, so every row is bit-equal anywhere.
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/activation_cuda.h"

namespace dragoman::cuda {
namespace {

constexpr int kThreads = 256;

__device__ inline float ExactGelu(float x) { return 0.5F * x * (1.0F + erff(x * 0.707106781F)); }

// NaN stays NaN in each of them: fminf and fmaxf would lose it.
template <Activation kActivation>
__device__ float Apply(float x) {
  if constexpr (kActivation == Activation::kRelu) {
    return x < 0.0F ? 0.0F : x;
  } else if constexpr (kActivation == Activation::kGelu) {
    return ExactGelu(x);
  } else if constexpr (kActivation == Activation::kGeluTanh) {
    // (1 + tanh(u)) / 2 = sigmoid(2 u)
    return x / (1.0F + expf(-2.0F * 0.7978845608F * x * (1.0F + 0.044715F * x * x)));
  } else if constexpr (kActivation == Activation::kGeluClipped) {
    const float y = ExactGelu(x);
    return y < -10.0F ? -10.0F : (y > 10.0F ? 10.0F : y);
  } else if constexpr (kActivation == Activation::kQuickGelu) {
    return x / (1.0F + expf(-1.702F * x));
  } else if constexpr (kActivation == Activation::kMish) {
    // With e = exp(x): tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2), which is 1 from 20 on.
    const float e = expf(x > 20.0F ? 20.0F : x);
    const float n = e * (e + 2.0F);
    return x * (n / (n + 2.0F));
  } else if constexpr (kActivation == Activation::kLeakyRelu) {
    return x < 0.0F ? 0.01F * x : x;
  } else if constexpr (kActivation == Activation::kRelu6) {
    return x < 0.0F ? 0.0F : (x > 6.0F ? 6.0F : x);
  } else if constexpr (kActivation == Activation::kReluSquared) {
    return x < 0.0F ? 0.0F : x * x;
  } else if constexpr (kActivation == Activation::kSigmoid) {
    return 1.0F / (1.0F + expf(-x));
  } else if constexpr (kActivation == Activation::kTanh) {
    return tanhf(x);
  } else if constexpr (kActivation == Activation::kLaplace) {
    return 0.5F * (1.0F + erff((x - 0.707107F) * 2.50663092F));  // 1 / (0.282095 sqrt 2)
  } else {
    static_assert(kActivation == Activation::kSwish);
    return x / (1.0F + expf(-x));
  }
}

template <class T, Activation kActivation>
__global__ void __launch_bounds__(kThreads)
    ActivateKernel(int64_t rows, const int32_t* count, int row_pieces, T* x) {
  AwaitKernelBefore();
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
    switch (activation) {
      case Activation::kRelu:
        return LaunchActivation<T, Activation::kRelu>(stream, rows, count, n, values);
      case Activation::kGelu:
        return LaunchActivation<T, Activation::kGelu>(stream, rows, count, n, values);
      case Activation::kSwish:
        return LaunchActivation<T, Activation::kSwish>(stream, rows, count, n, values);
      case Activation::kGeluTanh:
        return LaunchActivation<T, Activation::kGeluTanh>(stream, rows, count, n, values);
      case Activation::kGeluClipped:
        return LaunchActivation<T, Activation::kGeluClipped>(stream, rows, count, n, values);
      case Activation::kQuickGelu:
        return LaunchActivation<T, Activation::kQuickGelu>(stream, rows, count, n, values);
      case Activation::kMish:
        return LaunchActivation<T, Activation::kMish>(stream, rows, count, n, values);
      case Activation::kLeakyRelu:
        return LaunchActivation<T, Activation::kLeakyRelu>(stream, rows, count, n, values);
      case Activation::kRelu6:
        return LaunchActivation<T, Activation::kRelu6>(stream, rows, count, n, values);
      case Activation::kReluSquared:
        return LaunchActivation<T, Activation::kReluSquared>(stream, rows, count, n, values);
      case Activation::kSigmoid:
        return LaunchActivation<T, Activation::kSigmoid>(stream, rows, count, n, values);
      case Activation::kTanh:
        return LaunchActivation<T, Activation::kTanh>(stream, rows, count, n, values);
      case Activation::kLaplace:
        return LaunchActivation<T, Activation::kLaplace>(stream, rows, count, n, values);
      case Activation::kNone:
        break;
    }
    return Error::kNone;
  });
}

}  // namespace dragoman::cuda
