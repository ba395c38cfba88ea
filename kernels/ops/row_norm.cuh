// The common parts of the norms of rows. A row has one warp, or four if d is above 1,024, and stays
// in their registers. A thread has pieces of 16 bytes that are a whole stride apart, so that loads
// are whole lines. The number of steps is a template parameter, because registers cannot be
// indexed. A thread sums in the order of its pieces, the lanes by a butterfly, the warps in their
// order. So d alone decides the order, and every thread has the same sum.
#pragma once

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"

namespace dragoman::kernels::cuda {

inline constexpr int kNormWarps = 4;  // of a block
// The minimum of blocks per SM; without it ptxas saves registers and loads wait for each other.
inline constexpr int kNormBlocks = 5;
inline constexpr int kNormWarpWidth = 1024;  // the widest row of one warp
inline constexpr int kMaxNormWidth = 4096;

// Elements of a row that its threads load at once.
template <class T, int kRowWarps>
inline constexpr int kNormStride = kRowWarps* kWarpThreads* kPieceElements<T>;

// Returns the sum over the threads of a row to each of them. Also a barrier: after it a thread may
// overwrite data of the row that another thread has read. partial: one float for each warp in
// shared memory, used by this call alone.
template <int kRowWarps>
__device__ float RowSum(float x, float* partial) {
  x = WarpSum(x);
  if constexpr (kRowWarps > 1) {
    if (threadIdx.x == 0) partial[threadIdx.y] = x;
    __syncthreads();
    x = partial[0];
#pragma unroll
    for (int warp = 1; warp < kRowWarps; ++warp) x += partial[warp];
  } else {
    __syncwarp();  // shuffles do not order memory
  }
  return x;
}

// The pieces of a row that a thread holds. All are loaded at once, without conditions: a piece
// after d is loaded from the row's end and becomes zeros. So threads that do not write a row's last
// piece read it, and writes in place must come after a RowSum.
template <class T, int kSteps, int kStep>
class RowPieces {
 public:
  // Piece s of the thread begins at first + s * kStep.
  __device__ RowPieces(const T* x, const T* residual, int first, int d)
      : first_(first), d_(d), has_residual_(residual != nullptr) {
    const T* const other = has_residual_ ? residual : x;
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      x_[s] = LoadRaw(x + From(s));
      residual_[s] = LoadRaw(other + From(s));
    }
  }

  // Returns a number that depends on the loads of all pieces.
  __device__ uint32_t Loaded() const {
    uint32_t loaded = 0;
#pragma unroll
    for (int s = 0; s < kSteps; ++s) loaded |= x_[s].bits.x | residual_[s].bits.x;
    return loaded;
  }

  __device__ bool IsInside(int s) const { return first_ + s * kStep < d_; }
  __device__ int At(int s) const { return first_ + s * kStep; }
  // Returns where to read the data that belongs to the piece: At, or the row's end.
  __device__ int From(int s) const { return min(first_ + s * kStep, d_ - kPieceElements<T>); }

  // Piece s of x + residual.
  __device__ void Sum(int s, float* sum) const {
    float left[kPieceElements<T>];
    float right[kPieceElements<T>];
    Widen(x_[s], left);
    Widen(residual_[s], right);
#pragma unroll
    for (int j = 0; j < kPieceElements<T>; ++j) {
      const float value = left[j] + (has_residual_ ? right[j] : 0.0F);
      sum[j] = IsInside(s) ? value : 0.0F;
    }
  }

 private:
  const int first_;
  const int d_;
  const bool has_residual_;
  RawPiece<T> x_[kSteps];
  RawPiece<T> residual_[kSteps];
};

// The number of pieces whose gains (and offsets) are read at once.
inline constexpr int kGainBatch = 2;

// Loads the part of an f32 vector that belongs to a piece of T.
template <class T>
__device__ void LoadGains(const float* from, float (&gains)[kPieceElements<T>]) {
#pragma unroll
  for (int part = 0; part < kPieceElements<T>; part += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + part);
    gains[part] = four.x;
    gains[part + 1] = four.y;
    gains[part + 2] = four.z;
    gains[part + 3] = four.w;
  }
}

// A compile-time number.
template <int kNumber>
struct NormNumber {
  static constexpr int kValue = kNumber;
};

// Calls launch(NormNumber<n>{}) with the smallest of the numbers of steps that hold a row of d.
template <class T, int kRowWarps, int kSteps, int... kMore, class Launch>
Error ForSteps(int d, Launch launch) {
  if constexpr (sizeof...(kMore) > 0) {
    if (d > kSteps * kNormStride<T, kRowWarps>) return ForSteps<T, kRowWarps, kMore...>(d, launch);
  }
  return launch(NormNumber<kSteps>{});
}

// Launches kernel_of(row_warps, steps), a kernel for that shape of a row, on rows of d with
// `arguments`. A warp's step is 256 elements of 16 bits, 128 of f32. So d 256, 512, 768, 1024, 2048
// and 4096 fit exactly, except 768 of f32, whose six steps spill on sm_86 and sm_89. Returns
// cudaErrorInvalidValue unless d is a multiple of 8 up to kMaxNormWidth.
template <class T, class KernelOf, class... Arguments>
Error LaunchNorm(Stream stream, int64_t rows, int d, KernelOf kernel_of, Arguments... arguments) {
  if (d <= 0 || d % 8 != 0 || d > kMaxNormWidth) return static_cast<Error>(cudaErrorInvalidValue);
  if (rows == 0) return Error::kNone;
  const auto run = [&](auto kernel, int64_t rows_of_block) {
    const auto blocks = static_cast<unsigned>((rows + rows_of_block - 1) / rows_of_block);
    return LaunchEarly(kernel, blocks, dim3(kWarpThreads, kNormWarps), 0, stream, arguments...);
  };
  const auto by_warp = [&](auto steps) {
    return run(kernel_of(NormNumber<1>{}, steps), kNormWarps);
  };
  const auto by_block = [&](auto steps) {
    return run(kernel_of(NormNumber<kNormWarps>{}, steps), 1);
  };
  if constexpr (sizeof(T) == 2) {
    return d <= kNormWarpWidth ? ForSteps<T, 1, 1, 2, 3, 4>(d, by_warp)
                               : ForSteps<T, kNormWarps, 2, 4>(d, by_block);
  } else {
    return d <= kNormWarpWidth ? ForSteps<T, 1, 1, 2, 4, 8>(d, by_warp)
                               : ForSteps<T, kNormWarps, 3, 4, 6, 8>(d, by_block);
  }
}

}  // namespace dragoman::kernels::cuda
