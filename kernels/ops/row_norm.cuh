// The common parts of the kernels for LayerNorm and RMSNorm (row_norm.h). One warp computes a row,
// or four warps if d is above 1,024, and the row stays in their registers. A piece is 16 bytes of
// the row. Adjacent threads hold adjacent pieces, so they load complete cache lines together. A
// thread's next piece is kNormStride elements further. The number of a thread's pieces is a
// template parameter, because registers cannot be indexed.
// A sum is taken first over a thread's pieces, then over the lanes in pairs (WarpSum), then over
// the warps. So d alone decides the order, and every thread has the same sum.
#pragma once

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"

namespace dragoman::kernels::cuda {

inline constexpr int kNormWarps = 4;  // warps of a block
// The minimum number of blocks per multiprocessor. Without this bound the compiler would use too
// few registers, and loads would wait for each other.
inline constexpr int kNormBlocks = 5;
inline constexpr int kNormWarpWidth = 1024;  // the largest d of a row that one warp computes
inline constexpr int kMaxNormWidth = 4096;

// The number of elements that the threads of a row load together, one piece each.
template <class T, int kRowWarps>
inline constexpr int kNormStride = kRowWarps* kWarpThreads* kPieceElements<T>;

// Returns the sum of x over the threads of a row; each of them gets it. The call is also a barrier
// for these threads: afterwards a thread may overwrite data of the row that another thread has
// read. `partial` is shared memory with one float for each warp of the row. No other call may use
// it.
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

// The pieces of a row that a thread holds. All are loaded at once, without conditions. A piece
// after the row's end counts as zeros, but the row's last piece is loaded for it. So several
// threads may read the row's last piece, and a thread must call RowSum before it overwrites x.
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

  // Returns a number that depends on the loads of all pieces of x and the residual. A caller uses
  // it to wait for them.
  __device__ uint32_t Loaded() const {
    uint32_t loaded = 0;
#pragma unroll
    for (int s = 0; s < kSteps; ++s) loaded |= x_[s].bits.x | residual_[s].bits.x;
    return loaded;
  }

  __device__ bool IsInside(int s) const { return first_ + s * kStep < d_; }
  __device__ int At(int s) const { return first_ + s * kStep; }
  // Returns the offset of the data that is loaded for piece s: At(s), or that of the row's last
  // piece if At(s) is after the row's end.
  __device__ int From(int s) const { return min(first_ + s * kStep, d_ - kPieceElements<T>); }

  // Sets the kPieceElements<T> numbers of `sum` to piece s of x + residual, or to zeros after the
  // row's end.
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

// The number of pieces for which gamma, and beta if the norm has it, are read at once.
inline constexpr int kGainBatch = 2;

// Loads the kPieceElements<T> f32 numbers at `from`: the part of gamma or beta that belongs to a
// piece.
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

// A number as a type, so that a lambda can take it as a compile-time constant.
template <int kNumber>
struct NormNumber {
  static constexpr int kValue = kNumber;
};

// Calls launch(NormNumber<n>{}), where n is the smallest number of steps that suffices for a row of
// d elements, among the ascending numbers kSteps, kMore... The last of them is used without a
// check.
template <class T, int kRowWarps, int kSteps, int... kMore, class Launch>
Error ForSteps(int d, Launch launch) {
  if constexpr (sizeof...(kMore) > 0) {
    if (d > kSteps * kNormStride<T, kRowWarps>) return ForSteps<T, kRowWarps, kMore...>(d, launch);
  }
  return launch(NormNumber<kSteps>{});
}

// Launches kernel_of(row_warps, steps) with `arguments` on rows of d elements. kernel_of returns
// the kernel for this number of warps per row and of steps. In one step a warp takes 256 elements
// of 16 bits, or 128 of f32. So the numbers of steps fit rows of 256, 512, 768, 1024, 2048 and 4096
// elements exactly. The exception is 768 in f32: six steps would need too many registers on sm_86
// and sm_89. Returns cudaErrorInvalidValue unless d is a multiple of 8 up to kMaxNormWidth.
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
