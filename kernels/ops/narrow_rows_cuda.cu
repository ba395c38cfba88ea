// Rows in numbers of one byte: a warp for each row. Up to 1,024 numbers are asked for at once and kept
// until the largest is known; what lies beyond is read twice. 4,096 rows of 512 numbers are 4 MB read
// and 2 MB written, in L2.
#include <cstdint>

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/narrow.cuh"
#include "kernels/ops/narrow_rows.h"

namespace dragoman::cuda {
namespace {

constexpr int kWarps = 4;  // of a block, a row each
constexpr int kPiece = 8;  // numbers of 16 bits
constexpr int kStretch = kWarpThreads * kPiece;
constexpr int kKept = 4;  // stretches
constexpr uint32_t kInfinityBits = 0x7f800000U;
constexpr float kMostFloat = 3.40282347e38F;

// The larger of all lanes'.
__device__ inline uint32_t WarpMost(uint32_t x) {
#pragma unroll
  for (int lanes = kWarpThreads / 2; lanes > 0; lanes /= 2) {
    x = max(x, __shfl_xor_sync(kWholeWarp, x, lanes));
  }
  return x;
}

template <class T, class Q>
__global__ void __launch_bounds__(kWarps* kWarpThreads)
    NarrowRowsKernel(const T* x, const int32_t* count, int64_t rows, int d, uint8_t* y,
                     float* scales) {
  AwaitKernelBefore();
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.y;
  if (row >= rows) return;  // all lanes of the warp
  const bool there = count == nullptr || row < *count;
  const auto lane = static_cast<int>(threadIdx.x);
  const T* const from = x + row * d + lane * kPiece;
  const int left = d - lane * kPiece;  // numbers from this lane's first on
  RawPiece<T> kept[kKept] = {};
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    if (there && i * kStretch < left) kept[i] = LoadRaw(from + i * kStretch);
  }
  // Bits of magnitudes: their order is that of the numbers, and a NaN is the largest.
  uint32_t most_bits = 0;
  const auto look_at = [&](RawPiece<T> piece) {
    float value[kPiece];
    Widen(piece, value);
#pragma unroll
    for (const float v : value) most_bits = max(most_bits, __float_as_uint(v) & 0x7fffffffU);
  };
#pragma unroll
  for (const RawPiece<T>& piece : kept) look_at(piece);
  for (int at = kKept * kStretch; there && at < left; at += kStretch) look_at(LoadRaw(from + at));
  most_bits = WarpMost(most_bits);
  const float most = __uint_as_float(most_bits);
  float factor = Q::kMost / most;
  float scale = most / Q::kMost;
  if (!(factor <= kMostFloat)) factor = scale = 0.0F;  // zero, or too small
  if (most_bits >= kInfinityBits) {
    factor = 0.0F;
    scale = __uint_as_float(0x7fc00000U);
  }
  if (lane == 0) scales[row] = scale;
  uint8_t* const to = y + row * d + lane * kPiece;
  const auto put = [&](int at, RawPiece<T> piece) {
    float value[kPiece];
    Widen(piece, value);
    Run<uint32_t, 2> run{};
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
      // Not x times zero, which may be a NaN.
      const uint32_t byte = factor > 0.0F ? Narrowed(Q{}, value[i], factor) : uint8_t{0};
      run.element[i / 4] |= byte << i % 4 * 8;
    }
    *reinterpret_cast<Run<uint32_t, 2>*>(to + at) = run;
  };
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    if (i * kStretch < left) put(i * kStretch, kept[i]);
  }
  for (int at = kKept * kStretch; at < left; at += kStretch) put(at, LoadRaw(from + at));
}

constexpr int kCheckRows = 8;  // of a thread, which has one column
constexpr int kCheckColumns = 128;
constexpr int kCheckPiece = 16;

template <class Q>
__global__ void __launch_bounds__(kCheckColumns)
    NarrowProductKernel(const uint8_t* x, const float* x_scales, int64_t rows, const uint8_t* w,
                        const float* w_scales, int64_t columns, int d, float* z, int64_t stride) {
  AwaitKernelBefore();
  const int64_t column = int64_t{blockIdx.x} * kCheckColumns + threadIdx.x;
  const int64_t first = int64_t{blockIdx.y} * kCheckRows;
  if (column >= columns) return;
  typename ProductSum<Q>::Type sum[kCheckRows] = {};
  for (int k = 0; k < d; k += kCheckPiece) {
    const Piece<uint8_t> b = LoadPiece(w + column * d + k);
#pragma unroll
    for (int i = 0; i < kCheckRows; ++i) {
      if (first + i >= rows) break;
      const Piece<uint8_t> a = LoadPiece(x + (first + i) * d + k);
#pragma unroll
      for (int e = 0; e < kCheckPiece; ++e) {
        sum[i] += Widened(Q{a.element[e]}) * Widened(Q{b.element[e]});
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kCheckRows; ++i) {
    if (first + i >= rows) break;
    z[(first + i) * stride + column] =
        static_cast<float>(sum[i]) * (x_scales[first + i] * w_scales[column]);
  }
}

template <class Q, class T>
Error Narrow(Stream stream, T, const void* x, int64_t rows, const int32_t* count, int d, uint8_t* y,
             float* scales) {
  return LaunchEarly(NarrowRowsKernel<T, Q>, static_cast<unsigned>((rows + kWarps - 1) / kWarps),
                     dim3(kWarpThreads, kWarps), 0, stream, static_cast<const T*>(x), count, rows,
                     d, y, scales);
}

}  // namespace

Error NarrowRows(Stream stream, ComputeType type, NarrowType to, const void* x, int64_t rows,
                 const int32_t* count, int d, uint8_t* y, float* scales) {
  const bool half = type == ComputeType::kFloat16;
  if ((!half && type != ComputeType::kBFloat16) || to == NarrowType::kNone || d <= 0 ||
      d % kPiece != 0 || rows < 0) {
    return static_cast<Error>(cudaErrorInvalidValue);
  }
  if (rows == 0) return Error::kNone;
  return ForNarrowType(to, [&](auto narrow) {
    using Q = decltype(narrow);
    if (half) return Narrow<Q>(stream, __half{}, x, rows, count, d, y, scales);
    return Narrow<Q>(stream, __nv_bfloat16{}, x, rows, count, d, y, scales);
  });
}

Error MultiplyNarrowRows(Stream stream, NarrowType type, const uint8_t* x, const float* x_scales,
                         int64_t rows, const uint8_t* w, const float* w_scales, int64_t columns,
                         int d, float* z, int64_t stride) {
  if (type == NarrowType::kNone || d <= 0 || d % kCheckPiece != 0 || rows < 0 || columns < 0) {
    return static_cast<Error>(cudaErrorInvalidValue);
  }
  if (rows == 0 || columns == 0) return Error::kNone;
  const dim3 grid(static_cast<unsigned>((columns + kCheckColumns - 1) / kCheckColumns),
                  static_cast<unsigned>((rows + kCheckRows - 1) / kCheckRows));
  return ForNarrowType(type, [&](auto narrow) {
    using Q = decltype(narrow);
    return LaunchEarly(NarrowProductKernel<Q>, grid, kCheckColumns, 0, stream, x, x_scales, rows, w,
                       w_scales, columns, d, z, stride);
  });
}

}  // namespace dragoman::cuda
