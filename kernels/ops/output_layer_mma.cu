// The fused output layer for cards of compute capability 8.x and from 12.0 on. The instruction
// mma.sync computes the logits, hidden W^T. The threads reduce ("fold") the logits in the registers
// of the accumulators, so no logit reaches memory. The epilogue is the code that
// output_layer_sm90.cu uses, and its lanes hold the same elements. So if the sums of the products
// have the same bits in both files, the results have the same bits, too.
//
// Work for a vocabulary of V = 58,101 tokens, d = 512 and R rows (computed, not measured):
//   flop      2 R V d. 4,096 rows take 244 Gflop: 2.5 ms at the 97 Tflop/s of an L4, 1.0 ms at the
//             250 Tflop/s of an A100.
//   bytes     W is read from memory once: 59 MB, 220 us at the 0.27 TB/s of an L4. For every 128
//             rows, W and the hidden rows are read from L2, together 1.5 times the size of W. That
//             is 85 flop per byte, or 1.1 TB/s at the full rate of an L4.
//   shared    For a slab of 32 elements, 24 KB of shared memory are written, and 8 warps make 34
//             matrix loads of 512 bytes each. That takes 1,280 cycles of a multiprocessor. The
//             slab's products take 1,024 cycles of the tensor cores on 8.0, 2,048 on an L4.
//   epilogue  All warps run the epilogue of a tile at the same time. It does not overlap with
//             products.
// The time is at least the larger of the times for flop and for reading W.
//
// Shape. A block computes 128 rows, 16 in each of 8 warps, and a range of tiles. A tile is 256
// columns of the vocabulary. A thread has 64 columns of each of two rows, like a thread of a
// warpgroup's product (hopper.cuh). A thread has 128 accumulators, so only one block fits on a
// multiprocessor, and no other block fills the idle time of its 8 warps. A slab is 32 elements of d
// of all rows and columns of a tile. Slabs come through a ring of four stages of shared memory (96
// KB), which each of these cards has. The hidden rows are loaded from L2 again for each tile,
// because their 128 KB do not fit next to W. The ring continues from tile to tile: while one tile
// is folded, three slabs of the next tile are loaded.
//   few rows    A warp without a row copies its part of the slabs, but does not multiply or fold.
//               So with up to 16 rows one warp computes. It takes 5.8 us for a tile on 8.0, and 8
//               us on an L4. Loading the tile's W from memory takes longer (15 us and 56 us), so a
//               narrower block would only save threads.
//   neighbours  The blocks of one range, one for each 128 rows (grid.x), run at the same time. So W
//               is read from memory once, although it is larger than the L2 of an L4.
// If a warp had 32 rows and 128 columns of the tile, it would read two fifths less from shared
// memory, but a row's list of best tokens would be spread over two warps. On Hopper this lost more
// than it gained.
//
// Quantized products (int8, or e4m3 from 8.9 on; output_layer_cuda.h): a slab is 64 elements of one
// byte, which are also 64 bytes. There are half as many slabs, and an instruction multiplies twice
// as many elements of d.
//
// A slab in shared memory has its 128 hidden rows, then its 256 rows of W, 64 bytes of each. Piece
// p (16 bytes) of row r is stored at place p ^ (r / 2 % 4) of the row. A matrix load reads piece p
// of the rows 8 i .. 8 i + 7 at once; these eight pieces are in different banks. A copy writes the
// eight pieces of two rows at once; these are in different banks, too. The sum over d always adds
// 16 elements at a time in ascending order, so a row's bits do not depend on the other rows.
#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/fold_threads.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/quantization.cuh"
#include "kernels/cuda/quantized_tensor_core.cuh"
#include "kernels/cuda/tensor_core.cuh"
#include "kernels/ops/fused_output.cuh"
#include "kernels/ops/output_epilogue.cuh"
#include "kernels/ops/output_layer_cuda.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kWarpRows = 16;
constexpr int kThreads = kWarps * kWarpThreads;
static_assert(kWarps * kWarpRows == kFusedBlockRows);
constexpr int kPieceBytes = 16;
constexpr int kRowPieces = 4;  // 16-byte pieces of a row of a slab, enough for two products
constexpr int kRowBytes = kRowPieces * kPieceBytes;
template <class T>
constexpr int kSlab = kRowBytes / static_cast<int>(sizeof(T));  // elements of d in a slab
template <class T>
constexpr int kPiece = kPieceBytes / static_cast<int>(sizeof(T));
// The number of rows that all threads of a block copy together.
[[maybe_unused]] constexpr int kCopyRows = kThreads / kRowPieces;
constexpr int kHiddenBytes = kFusedBlockRows * kRowBytes;
constexpr int kStageBytes = kHiddenBytes + kTileColumns * kRowBytes;
constexpr int kStages = 4;
constexpr int kSharedBytes = kStages * kStageBytes;
constexpr int kWaves = 8;  // the argument `waves` of DivideTiles

// Reports whether this file has code for an architecture (86 is 8.6). For other architectures its
// kernels are empty, and the functions below with [[maybe_unused]] are unused. 9.0 has
// output_layer_sm90.cu. 10.x would need another file, because its tensor cores need other
// instructions than mma.sync.
constexpr bool FoldsByMma(int architecture) {
  return architecture / 10 == 8 || architecture >= 120;
}
constexpr int kFloat8Since = 89;
#if defined(__CUDA_ARCH__)
template <class T>
constexpr bool kHasCode = FoldsByMma(__CUDA_ARCH__ / 10) &&
                          (!std::is_same_v<T, Float8> || __CUDA_ARCH__ / 10 >= kFloat8Since);
#else
template <class T>
constexpr bool kHasCode = true;
#endif

struct MmaArgs {
  FusedWork work;
  const void* hidden = nullptr;
  const void* weight = nullptr;
  int d = 0;
  int vocabulary = 0;
  QuantizedScales scales;
};

// Returns the place of a piece in its row of a slab, in bytes from the row's start.
[[maybe_unused]] __device__ inline int PlaceOf(int row, int piece) {
  return (piece ^ (row / 2 % 4)) * kPieceBytes;
}

// Returns the thread's number. The empty asm hides the number from the compiler, which would
// otherwise keep values derived from it in registers for too long.
[[maybe_unused]] __device__ inline int ThreadOfSlab() {
  int thread = static_cast<int>(threadIdx.x);
  asm volatile("" : "+r"(thread));
  return thread;
}

// The progress of a block in its range of tiles. The slabs of a tile, and then those of the next
// tile, use the stages of the ring in turn. The copies are kStages - 1 slabs ahead of the products.
struct Progress {
  int copied_tile = 0;  // tile of the next slab to be copied
  int copied_k = 0;
  int stage = 0;  // stage of the next slab to be multiplied
};

// Starts the copies of the next slab to `stage`, unless the slabs of all tiles before `end_tile`
// were copied. Then commits the group of copies, which may be empty. Each thread copies one piece
// of every kCopyRows-th row. `rows` is the number of rows that exist.
template <class T>
__device__ inline void CopySlab(const MmaArgs& args, unsigned char* ring, int block_row, int rows,
                                int end_tile, int stage, Progress& progress) {
  if (progress.copied_tile < end_tile) {
    const int thread = ThreadOfSlab();
    const int row = thread / kRowPieces;
    const int piece = thread % kRowPieces;
    unsigned char* const to = ring + stage * kStageBytes + row * kRowBytes + PlaceOf(row, piece);
    // Rows after the matrix's end are written as zeros. The copy then gets the first row as its
    // source, because the address must be valid.
    const auto copy = [&](const void* matrix, int first, int of, int at) {
      const bool wanted = first + row < of;
      const T* const from = static_cast<const T*>(matrix) + progress.copied_k + piece * kPiece<T>;
      CopyPiece(to + at, from + int64_t{wanted ? first + row : 0} * args.d, wanted);
    };
#pragma unroll
    for (int i = 0; i < kFusedBlockRows; i += kCopyRows) {
      copy(args.hidden, block_row + i, rows, i * kRowBytes);
    }
    const int column = progress.copied_tile * kTileColumns;
#pragma unroll
    for (int i = 0; i < kTileColumns; i += kCopyRows) {
      copy(args.weight, column + i, args.vocabulary, kHiddenBytes + i * kRowBytes);
    }
    progress.copied_k += kSlab<T>;
    if (progress.copied_k == args.d) {
      progress.copied_k = 0;
      ++progress.copied_tile;
    }
  }
  CommitCopies();
}

// Multiplies a slab: adds its products to the sums of the warp's 16 rows by 256 columns.
template <class T>
__device__ inline void MultiplySlab(const unsigned char* slab,
                                    typename ProductSum<T>::Type (&x)[128]) {
  using Sums = typename ProductSum<T>::Type(&)[4];
  const int thread = ThreadOfSlab();
  const int lane = thread % kWarpThreads;
  const int matrix = lane / 8;
  // LoadMatrices loads four matrices of 8 rows by 16 bytes. The first call loads hidden rows 0..7
  // and 8..15 of one piece, then the same rows of the next piece. The second call loads rows 0..7
  // of W of both pieces, then rows 8..15.
  const int row = thread / kWarpThreads * kWarpRows + matrix % 2 * 8 + lane % 8;
  const unsigned char* const h = slab + row * kRowBytes;
  const unsigned char* const w = slab + kHiddenBytes + (matrix / 2 * 8 + lane % 8) * kRowBytes;
  // The loop is not unrolled. Otherwise the compiler would load the operands of all products before
  // the first product and run out of registers.
#pragma unroll 1
  for (int piece = 0; piece < kRowPieces; piece += 2) {
    unsigned a[4];
    LoadMatrices(h + PlaceOf(lane, piece + matrix / 2), a);
    const unsigned char* const from = w + PlaceOf(lane, piece + matrix % 2);
#pragma unroll
    for (int g = 0; g < kTileColumns / 8; g += 2) {
      unsigned b[4];
      LoadMatrices(from + g * 8 * kRowBytes, b);
      // These sums of the lane are in the order that the epilogue expects.
      Multiply(T{}, reinterpret_cast<Sums>(x[g * 4]), a, b[0], b[1]);
      Multiply(T{}, reinterpret_cast<Sums>(x[g * 4 + 4]), a, b[2], b[3]);
    }
  }
}

// Computes the parts (fused_parts.h) of the block's rows for its range of tiles.
template <class T, int kBest>
__device__ __forceinline__ void FoldBlock(const MmaArgs& args) {
  constexpr bool kQuantized = sizeof(T) == 1;
  AwaitKernelBefore();
  if constexpr (kHasCode<T>) {
    const FusedWork& work = args.work;
    const int block_row = static_cast<int>(blockIdx.x) * kFusedBlockRows;
    const auto range = static_cast<int>(blockIdx.y);
    const int rows = *work.rows.count;
    if (block_row >= rows) return;
    const int end_tile = min(work.tiles, (range + 1) * work.ranges.tiles);
    unsigned char* const ring = DynamicShared<unsigned char>();
    Progress progress;
    progress.copied_tile = range * work.ranges.tiles;
    for (int stage = 0; stage < kStages - 1; ++stage) {
      CopySlab<T>(args, ring, block_row, rows, end_tile, stage, progress);
    }
    // The shuffle tells the compiler that the value is the same in the whole warp.
    const int warp = __shfl_sync(kAllLanes, static_cast<int>(threadIdx.x) / kWarpThreads, 0);
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int warp_row = block_row + warp * kWarpRows;
    FoldRange<kBest / 4>(work, warp_row + lane / 4, range, lane % 4, [&](int tile, float(&x)[128]) {
      const bool busy = warp_row < rows;
      typename ProductSum<T>::Type sums[128];
#pragma unroll
      for (auto& sum : sums) sum = 0;
      for (int k = 0; k < args.d; k += kSlab<T>) {
        // First waits until this thread's copies of the slab have arrived. The barrier then waits
        // until the copies of all threads have arrived. It also waits until all threads have
        // finished the previous slab, because the next copies overwrite it.
        AwaitCopyGroups<kStages - 2>();
        __syncthreads();
        const int stage = progress.stage;
        CopySlab<T>(args, ring, block_row, rows, end_tile, (stage + kStages - 1) % kStages,
                    progress);
        if (busy) MultiplySlab<T>(ring + stage * kStageBytes, sums);
        progress.stage = (stage + 1) % kStages;
      }
#pragma unroll
      for (int i = 0; i < 128; ++i) x[i] = static_cast<float>(sums[i]);
      if constexpr (kQuantized) {
        ApplyScales(args.scales, warp_row + lane / 4, rows, tile, lane % 4, x);
      }
      return busy;
    });
  }
}

template <class T, int kBest>
__global__ void __launch_bounds__(kThreads, 1)
    FusedMmaKernel(const __grid_constant__ MmaArgs args) {
  FoldBlock<T, kBest>(args);
}

// The kernels of quantized products. They have their own names, because the limits of registers
// (budgets.json) refer to kernels by name.
template <int kBest>
__global__ void __launch_bounds__(kThreads, 1) Int8MmaKernel(const __grid_constant__ MmaArgs args) {
  FoldBlock<Int8, kBest>(args);
}
template <int kBest>
__global__ void __launch_bounds__(kThreads, 1)
    Float8MmaKernel(const __grid_constant__ MmaArgs args) {
  FoldBlock<Float8, kBest>(args);
}

using MmaKernel = void (*)(MmaArgs);

template <class T, int kBest>
MmaKernel KernelOf() {
  if constexpr (std::is_same_v<T, Int8>) {
    return Int8MmaKernel<kBest>;
  } else if constexpr (std::is_same_v<T, Float8>) {
    return Float8MmaKernel<kBest>;
  } else {
    return FusedMmaKernel<T, kBest>;
  }
}

template <class T>
MmaKernel KernelFor(int list_entries) {
  return list_entries == 4   ? KernelOf<T, 4>()
         : list_entries == 8 ? KernelOf<T, 8>()
                             : KernelOf<T, 16>();
}

class MmaOutput final : public FoldedOutput {
 public:
  MmaOutput(ComputeType type, QuantizedType quantized, const void* weight, int d, int vocabulary)
      : FoldedOutput(type, quantized, d, vocabulary, kWaves), weight_(weight) {}

  // The part of CreateMmaOutput that uses the device. Returns "" on success, otherwise the reason
  // of the failure.
  std::string Prepare(const float* bias);

 private:
  Error FoldTiles(Stream stream, const void* hidden, const QuantizedScales& scales,
                  const FusedWork& work, int64_t row_blocks, int list_entries) const override;
  MmaKernel Kernel(int list_entries) const {
    if (products() == QuantizedType::kFloat8) return KernelFor<Float8>(list_entries);
    if (products() == QuantizedType::kInt8) return KernelFor<Int8>(list_entries);
    return type() == ComputeType::kFloat16 ? KernelFor<__half>(list_entries)
                                           : KernelFor<__nv_bfloat16>(list_entries);
  }

  const void* weight_;  // the weights, in the type that the products multiply
};

std::string MmaOutput::Prepare(const float* bias) {
  int limit = 0;
  std::string why = PrepareParts(&weight_, bias, &limit);
  if (!why.empty()) return why;
  if (limit < kSharedBytes) return "too little shared memory";
  for (const int list : kFusedLists) {
    const cudaError_t status =
        cudaFuncSetAttribute(reinterpret_cast<const void*>(Kernel(list)),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
    if (status != cudaSuccess) return cudaGetErrorString(status);
  }
  return "";
}

Error MmaOutput::FoldTiles(Stream stream, const void* hidden, const QuantizedScales& scales,
                           const FusedWork& work, int64_t row_blocks, int list_entries) const {
  const dim3 grid(static_cast<unsigned>(row_blocks), static_cast<unsigned>(work.ranges.ranges));
  return LaunchEarly(Kernel(list_entries), grid, kThreads, kSharedBytes, stream,
                     MmaArgs{work, hidden, weight_, d(), vocabulary(), scales});
}

}  // namespace

std::unique_ptr<FusedOutput> CreateMmaOutput(ComputeType type, QuantizedType quantized,
                                             const void* weight, const float* bias, int d,
                                             int vocabulary, std::string* why) {
  cudaFuncAttributes code{};
  const int slab = quantized == QuantizedType::kNone ? kSlab<__half> : kSlab<Int8>;
  if (type == ComputeType::kFloat32) {
    *why = "float32 has no such products";
  } else if (d <= 0 || d % slab != 0) {
    *why = "d is not a multiple of " + std::to_string(slab);
  } else if (const cudaError_t status =
                 cudaFuncGetAttributes(&code, KernelFor<__half>(kFusedLists[0]));
             status != cudaSuccess) {
    *why = std::string("its code does not run on this device: ") + cudaGetErrorString(status);
  } else if (!FoldsByMma(code.ptxVersion)) {
    *why = "there is none for this device, only for 8.x and from 12.0 on";
  } else if (quantized == QuantizedType::kFloat8 && code.ptxVersion < kFloat8Since) {
    *why = "its tensor cores have no float8, which begins with 8.9; they have int8";
  } else {
    auto fused = std::make_unique<MmaOutput>(type, quantized, weight, d, vocabulary);
    *why = fused->Prepare(bias);
    if (why->empty()) return fused;
  }
  // Clears the last CUDA error of this thread, which the check of the next launch would otherwise
  // report.
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

}  // namespace dragoman::kernels::cuda
