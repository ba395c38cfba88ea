// Computes y = activation(x W^T + bias) for few rows (few_rows.h). A block of four warps computes 8
// columns of y. All warps copy the block's 8 rows of W and then all of x to shared memory, 16 bytes
// at a time. Then one warp multiplies. On devices where kernels begin early (LaunchesEarly), W is
// copied before the previous kernel has ended.
//
// Bytes: all blocks together read W once; each block reads x once (from L2). A product takes 2 * in
// * out * 16 flop for any number of rows, because the instruction computes 16 rows.
//
// Why this shape: the kernel waits for memory once. Then it computes in / 16 products, each of
// which waits about 33 cycles for the sum of the previous one. Together they take 0.6 us if `in` is
// 512, and 2.4 us if it is 2,048. A shorter chain would change the order of the sum. With more
// columns in a block there would be fewer blocks, and one multiprocessor loads only 60 GB/s. If
// `in` and `out` are 512, 64 blocks load 8 KB of W each.
#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/tensor_core.cuh"
#include "kernels/ops/few_rows.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4;
constexpr int kColumns = 8;  // the number of columns of y that a block computes
// The number of columns of x and W that two products sum over.
constexpr int kDepth = 32;
constexpr int kPiece = 8;    // the number of elements in 16 bytes
constexpr int kPadding = 8;  // elements; puts the rows of a matrix in different banks

__host__ __device__ constexpr int PitchOf(int in) { return in + kPadding; }

constexpr int64_t SharedBytes(int in) {
  return int64_t{kColumns + kMostFewRows} * PitchOf(in) * static_cast<int64_t>(sizeof(uint16_t));
}

// Copies `rows` rows of W or x with all warps, and fills with zeros up to `most` rows.
template <class T>
__device__ void Bring(const T* from, int in, int rows, int most, T* to) {
  for (int r = static_cast<int>(threadIdx.y); r < most; r += kWarps) {
    const bool wanted = r < rows;
    const T* const row = from + int64_t{wanted ? r : 0} * in;
    T* const at = to + r * PitchOf(in);
    for (int i = static_cast<int>(threadIdx.x) * kPiece; i < in; i += kWarpThreads * kPiece) {
      CopyPiece(at + i, row + i, wanted);
    }
  }
}

// The operands of two products, which sum over kDepth columns of x and W. They are loaded before
// the previous two products are computed.
struct Operands {
  template <class T>
  __device__ Operands(const T* a_row, const T* b_row) {
    LoadMatrices(a_row, a[0]);
    LoadMatrices(a_row + kDepth / 2, a[1]);
    LoadMatrices(b_row, b);
  }
  template <class T>
  __device__ void Add(T zero, float (&sum)[4]) const {
    Multiply(zero, sum, a[0], b[0], b[1]);
    Multiply(zero, sum, a[1], b[2], b[3]);
  }

  unsigned a[2][4];
  unsigned b[4];
};

template <class T, Activation kActivation>
__global__ void __launch_bounds__(kWarps* kWarpThreads)
    FewRowsKernel(int in, int64_t y_stride, int rows, const T* weight, const T* bias, const T* x,
                  T* y) {
  if constexpr (kHasTensorCores) {
    T* const w_rows = DynamicShared<T>();
    T* const x_rows = w_rows + kColumns * PitchOf(in);
    const int first = static_cast<int>(blockIdx.x) * kColumns;
    // Weights never change, so they are copied while the previous kernel still runs.
    Bring(weight + int64_t{first} * in, in, kColumns, kColumns, w_rows);
    AwaitKernelBefore();
    Bring(x, in, rows, kMostFewRows, x_rows);
    const int lane = static_cast<int>(threadIdx.x);
    const int column = first + lane % 4 * 2;  // this lane has this column and the next one
    float offset[2] = {};
    if (bias != nullptr) {
      offset[0] = ToFloat(bias[column]);
      offset[1] = ToFloat(bias[column + 1]);
    }
    AwaitCopies();
    __syncthreads();
    if (threadIdx.y != 0) return;

    // One LoadMatrices loads four 8 x 8 matrices of x: rows 0..7 and 8..15 at column 0, then at
    // column 8. Another loads four of W: its 8 rows at the columns 0, 8, 16 and 24.
    const int matrix = lane / 8;
    const T* const a_row = x_rows + (matrix % 2 * 8 + lane % 8) * PitchOf(in) + matrix / 2 * kPiece;
    const T* const b_row = w_rows + lane % 8 * PitchOf(in) + matrix * kPiece;
    float sum[4] = {};
    Operands now(a_row, b_row);
#pragma unroll 4
    for (int k = kDepth; k < in; k += kDepth) {
      const Operands next(a_row + k, b_row + k);
      now.Add(T{}, sum);
      now = next;
    }
    now.Add(T{}, sum);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (bias != nullptr) sum[i] += offset[i % 2];
    }
    if constexpr (kActivation != Activation::kNone) {
#pragma unroll
      for (int i = 0; i < 4; ++i) sum[i] = Apply<kActivation, T>(ToFloat(FromFloat<T>(sum[i])));
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = lane / 4 + half * 8;
      if (row >= rows) continue;
      const unsigned pair = RoundPair(T{}, sum[2 * half], sum[2 * half + 1]);
      *reinterpret_cast<unsigned*>(y + row * y_stride + column) = pair;
    }
  } else {
    AwaitKernelBefore();
  }
}

// Calls use(kernel, T{}) with the kernel for the element type T of `type`. REQUIRES: the type has
// 16 bits.
template <class Use>
auto WithKernel(ComputeType type, Activation activation, Use use) {
  return ForActivation(activation, [&](auto is) {
    constexpr Activation kActivation = decltype(is)::kValue;
    if (type == ComputeType::kFloat16) return use(FewRowsKernel<__half, kActivation>, __half{});
    return use(FewRowsKernel<__nv_bfloat16, kActivation>, __nv_bfloat16{});
  });
}

}  // namespace

bool TakesFewRows(const FewRows& p) {
  if (p.type != ComputeType::kFloat16 && p.type != ComputeType::kBFloat16) return false;
  if (p.in <= 0 || p.in % kDepth != 0 || p.out <= 0 || p.out % kColumns != 0) return false;
  if (p.y_stride % 2 != 0) return false;
  int device = 0;
  int major = 0;
  int limit = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  }
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  if (status == cudaSuccess && (major < 8 || SharedBytes(p.in) > limit)) return false;
  // Sets the kernel's limit of shared memory to the limit of the device. This product may need
  // less, but another product with the same kernel may need more.
  if (status == cudaSuccess) {
    status = WithKernel(p.type, p.activation, [&](auto* kernel, auto) {
      return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, limit);
    });
  }
  if (status == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  return false;
}

Error MultiplyFewRows(Stream stream, const FewRows& p, const void* x, int64_t rows, void* y) {
  if (rows < 0 || rows > kMostFewRows) return static_cast<Error>(cudaErrorInvalidValue);
  if (rows == 0) return Error::kNone;
  return WithKernel(p.type, p.activation, [&](auto* kernel, auto zero) {
    using T = decltype(zero);
    return LaunchEarly(kernel, dim3(static_cast<unsigned>(p.out / kColumns)),
                       dim3(kWarpThreads, kWarps), static_cast<size_t>(SharedBytes(p.in)), stream,
                       p.in, p.y_stride, static_cast<int>(rows), static_cast<const T*>(p.weight),
                       static_cast<const T*>(p.bias), static_cast<const T*>(x), static_cast<T*>(y));
  });
}

}  // namespace dragoman::kernels::cuda
