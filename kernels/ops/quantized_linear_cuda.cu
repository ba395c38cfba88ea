// Computes the int8 products of the layers (quantized_linear.h) with one of two kernels. Sums of
// int8 products are exact, so both kernels give the same bits.
//
// Tiles, for more than 16 rows. A block of four warps computes a tile of 128 x 128 or 64 x 64
// elements of y, a quarter in each warp. The kernel before has quantized the rows of x
// (quantize_rows.h). A slab is 64 bytes of each of the tile's rows of x and of W. Slabs come
// through a ring of three or four stages of shared memory, 48 or 32 KB. So two or three blocks fit
// on a multiprocessor of every card, and the end of one block overlaps with the products of
// another.
//   bytes     x and W are read from memory once. For each tile, its rows of x and of W are read
//             from L2.
//   shared    For a slab of a tile of 128 x 128, 16 KB of shared memory are written, and each warp
//             makes 16 matrix loads of 512 bytes. That takes 384 cycles of a multiprocessor at 128
//             bytes per cycle. The slab's products take 512 cycles of the tensor cores on an A100
//             and 1,024 on an L4. A tile of 64 x 64 takes half of the 384 cycles and a quarter of
//             the tensor cores' cycles.
//   which     The larger tile reads half as much. The smaller one is used if the larger one would
//             leave multiprocessors idle (HasLargeTiles).
// A T4 has no asynchronous copies. There the next slab is in registers while a slab is multiplied.
//
// Few rows, up to 16. A block of 16 warps computes 8 columns of y. It first loads the 8 rows of W.
// On devices where kernels begin early (LaunchesEarly), it does so while the previous kernel still
// runs. Then each warp quantizes one row of x. Then each warp multiplies a 16th of the columns of x
// and W, and the 16 parts of each sum are added. So the quantization needs no launch of its own,
// but every block repeats it: for 16 rows of 512 numbers it reads 16 KB from L2. The chain of
// dependent products in a warp has one product if `in` is 512 and four if `in` is 2,048. With
// 16-bit products the order of the sum matters, so their chain has 32 and 128 products
// (few_rows_cuda.cu).
//
// A slab in shared memory has the tile's rows of x, then its rows of W, 64 bytes of each. Piece p
// (16 bytes) of row r is stored at place p ^ (r / 2 % 4) of the row, as in output_layer_mma.cu.
#include <bit>
#include <cstdint>
#include <string>

#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/quantized_row.cuh"
#include "kernels/cuda/quantized_tensor_core.cuh"
#include "kernels/cuda/tensor_core.cuh"
#include "kernels/ops/activation_cuda.h"
#include "kernels/ops/quantize_rows.h"
#include "kernels/ops/quantized_linear.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kDepth = 32;  // bytes of a row of x or W that one product multiplies
constexpr int kPieceBytes = 16;

// Reports whether the product kernels apply the activation themselves. They apply those that have
// no multiply-add, because the compiler may fuse a multiply-add in one kernel and not in another.
// All other activations take a separate kernel, for every number of rows.
constexpr bool IsApplied(Activation activation) {
  return activation == Activation::kNone || activation == Activation::kRelu ||
         activation == Activation::kSwish;
}

template <class T>
__device__ inline T Finished(int32_t sum, float scale, float bias) {
  return FromFloat<T>(fmaf(static_cast<float>(sum), scale, bias));
}

template <class T>
__device__ inline T Activated(Activation activation, T x) {
  if (activation == Activation::kRelu) return FromFloat<T>(Apply<Activation::kRelu, T>(ToFloat(x)));
  if (activation == Activation::kSwish)
    return FromFloat<T>(Apply<Activation::kSwish, T>(ToFloat(x)));
  return x;
}

template <class T>
struct ProductArgs {
  const uint8_t* x = nullptr;  // quantized rows; only for the kernel with tiles
  const float* x_scales = nullptr;
  const uint8_t* weight = nullptr;
  const float* scales = nullptr;
  const T* bias = nullptr;
  T* y = nullptr;
  const int32_t* count = nullptr;  // number of rows that exist
  int rows = 0;
  int in = 0;
  int out = 0;
  Activation activation = Activation::kNone;
};

template <class T>
__device__ inline float BiasOf(const ProductArgs<T>& args, int column) {
  return args.bias == nullptr ? 0.0F : ToFloat(args.bias[column]);
}

constexpr int kTileWarps = 4;
constexpr int kTileThreads = kTileWarps * kWarpThreads;
constexpr int kRowPieces = 4;  // 16-byte pieces of a row of a slab, enough for two products
constexpr int kRowBytes = kRowPieces * kPieceBytes;
// The number of rows that all threads copy together.
constexpr int kCopyRows = kTileThreads / kRowPieces;

template <int kTile>
struct Tile {
  static constexpr int kSlabRows = 2 * kTile;  // rows of x, then rows of W
  static constexpr int kStageBytes = kSlabRows * kRowBytes;
  // The number of pieces that each thread copies.
  static constexpr int kCopies = kSlabRows / kCopyRows;
  // Stages of the ring. On cards without asynchronous copies two of them are used.
  [[maybe_unused]] static constexpr int kRing = kTile == 128 ? 3 : 4;
  static constexpr int kSharedBytes = kRing * kStageBytes;
  static constexpr int kWarpTile = kTile / 2;
  // A warp computes kM products along the rows and kN products along the columns of its part of the
  // tile.
  static constexpr int kM = kWarpTile / 16;
  static constexpr int kN = kWarpTile / 8;
  // The number of bytes from one row of results to the next. At the end the results are stored in
  // the memory of the ring. The padding puts rows in different banks.
  static constexpr int kPitch = kTile * 2 + kPieceBytes;
  static_assert(kTile * (kPitch + 3 * static_cast<int>(sizeof(float))) <= kSharedBytes);
};

// Returns the place of a piece in its row of a slab, in bytes from the row's start.
__device__ inline int PlaceOf(int row, int piece) { return (piece ^ (row / 2 % 4)) * kPieceBytes; }

// The sources and targets of the copies that a thread makes for a slab. Rows and columns that do
// not exist are written as zeros.
template <class T, int kTile>
class SlabCopies {
 public:
  __device__ SlabCopies(const ProductArgs<T>& args, int first_row, int first_column)
      : args_(args),
        row_(static_cast<int>(threadIdx.x) / kRowPieces),
        piece_(static_cast<int>(threadIdx.x) % kRowPieces),
        first_row_(first_row),
        first_column_(first_column) {}

  __device__ bool Wanted(int copy, int k) const {
    const int end = OfX(copy) ? args_.rows : args_.out;
    return RowOf(copy) < end && k + piece_ * kPieceBytes < args_.in;
  }
  // A copy of a row or column that does not exist gets the start of the matrix as its source, which
  // is always a valid address.
  __device__ const uint8_t* From(int copy, int k) const {
    const uint8_t* const matrix = OfX(copy) ? args_.x : args_.weight;
    return Wanted(copy, k) ? matrix + int64_t{RowOf(copy)} * args_.in + k + piece_ * kPieceBytes
                           : matrix;
  }
  __device__ unsigned char* To(int copy, unsigned char* stage) const {
    return stage + (copy * kCopyRows + row_) * kRowBytes + PlaceOf(row_, piece_);
  }

 private:
  __device__ static bool OfX(int copy) { return copy * kCopyRows < kTile; }
  __device__ int RowOf(int copy) const {
    return (OfX(copy) ? first_row_ : first_column_ - kTile) + copy * kCopyRows + row_;
  }

  const ProductArgs<T>& args_;
  const int row_, piece_, first_row_, first_column_;
};

template <int kTile>
using Sums = int32_t[Tile<kTile>::kM][Tile<kTile>::kN][4];

// Multiplies a slab: adds its products to the sums of the warp's quarter of the tile.
template <int kTile>
__device__ inline void MultiplySlab(const unsigned char* slab, int warp, int lane,
                                    Sums<kTile>& sums) {
  using Of = Tile<kTile>;
  const int matrix = lane / 8;
  // LoadMatrices loads four matrices of 8 rows by 16 bytes. For x these are rows 0..7 and 8..15 of
  // one piece, then the same rows of the next piece. For W these are rows 0..7 of both pieces, then
  // rows 8..15.
  const unsigned char* const x =
      slab + (warp % 2 * Of::kWarpTile + matrix % 2 * 8 + lane % 8) * kRowBytes;
  const unsigned char* const w =
      slab + (kTile + warp / 2 * Of::kWarpTile + matrix / 2 * 8 + lane % 8) * kRowBytes;
#pragma unroll
  for (int piece = 0; piece < kRowPieces; piece += 2) {
    unsigned a[Of::kM][4];
#pragma unroll
    for (int m = 0; m < Of::kM; ++m) {
      LoadMatrices(x + m * 16 * kRowBytes + PlaceOf(lane, piece + matrix / 2), a[m]);
    }
#pragma unroll
    for (int n = 0; n < Of::kN; n += 2) {
      unsigned b[4];
      LoadMatrices(w + n * 8 * kRowBytes + PlaceOf(lane, piece + matrix % 2), b);
#pragma unroll
      for (int m = 0; m < Of::kM; ++m) {
        Multiply(Int8{}, sums[m][n], a[m], b[0], b[1]);
        Multiply(Int8{}, sums[m][n + 1], a[m], b[2], b[3]);
      }
    }
  }
}

// Multiplies all slabs. The asynchronous copies are kRing - 1 slabs ahead of the products.
template <class T, int kTile>
__device__ inline void MultiplyCopied(const ProductArgs<T>& args,
                                      const SlabCopies<T, kTile>& copies, unsigned char* ring,
                                      int warp, int lane, Sums<kTile>& sums) {
  using Of = Tile<kTile>;
  const auto copy_slab = [&](int k, int stage) {
    if (k < args.in) {
#pragma unroll
      for (int i = 0; i < Of::kCopies; ++i) {
        CopyPiece(copies.To(i, ring + stage * Of::kStageBytes), copies.From(i, k),
                  copies.Wanted(i, k));
      }
    }
    CommitCopies();
  };
  for (int stage = 0; stage < Of::kRing - 1; ++stage) copy_slab(stage * kRowBytes, stage);
  int stage = 0;
#pragma unroll 1
  for (int k = 0; k < args.in; k += kRowBytes) {
    // First waits until this thread's copies of the slab have arrived. The barrier then waits until
    // the copies of all threads have arrived. It also waits until all threads have finished the
    // previous slab, because the next copies overwrite it.
    AwaitCopyGroups<Of::kRing - 2>();
    __syncthreads();
    copy_slab(k + (Of::kRing - 1) * kRowBytes, stage == 0 ? Of::kRing - 1 : stage - 1);
    MultiplySlab<kTile>(ring + stage * Of::kStageBytes, warp, lane, sums);
    stage = stage + 1 == Of::kRing ? 0 : stage + 1;
  }
  AwaitCopies();
}

// Multiplies all slabs without asynchronous copies. The next slab is loaded to registers while a
// slab is multiplied.
template <class T, int kTile>
__device__ inline void MultiplyStored(const ProductArgs<T>& args,
                                      const SlabCopies<T, kTile>& copies, unsigned char* ring,
                                      int warp, int lane, Sums<kTile>& sums) {
  using Of = Tile<kTile>;
  uint4 next[Of::kCopies];
  const auto load = [&](int k) {
#pragma unroll
    for (int i = 0; i < Of::kCopies; ++i) {
      next[i] = copies.Wanted(i, k) ? *reinterpret_cast<const uint4*>(copies.From(i, k)) : uint4{};
    }
  };
  const auto store = [&](int stage) {
#pragma unroll
    for (int i = 0; i < Of::kCopies; ++i) {
      *reinterpret_cast<uint4*>(copies.To(i, ring + stage * Of::kStageBytes)) = next[i];
    }
  };
  load(0);
  store(0);
  int stage = 0;
#pragma unroll 1
  for (int k = 0; k < args.in; k += kRowBytes) {
    // After this barrier all threads have stored the slab and have finished the previous one, whose
    // stage is written next.
    __syncthreads();
    const bool more = k + kRowBytes < args.in;
    if (more) load(k + kRowBytes);
    MultiplySlab<kTile>(ring + stage * Of::kStageBytes, warp, lane, sums);
    stage = 1 - stage;
    if (more) store(stage);
  }
}

template <class T, int kTile>
__global__ void __launch_bounds__(kTileThreads, kTile == 128 ? 2 : 4)
    QuantizedTileKernel(const __grid_constant__ ProductArgs<T> args) {
  using Of = Tile<kTile>;
  AwaitKernelBefore();
  const int first_row = static_cast<int>(blockIdx.y) * kTile;
  const int first_column = static_cast<int>(blockIdx.x) * kTile;
  if (args.count != nullptr && first_row >= *args.count) return;
  unsigned char* const ring = DynamicShared<unsigned char>();
  const auto thread = static_cast<int>(threadIdx.x);
  const int warp = thread / kWarpThreads;
  const int lane = thread % kWarpThreads;
  const SlabCopies<T, kTile> copies(args, first_row, first_column);

  // The scales and biases are needed after the products. They are loaded before, so that no thread
  // waits for them.
  float row_scale = 0.0F;
  float scale = 0.0F;
  float bias = 0.0F;
  if (thread < kTile && first_row + thread < args.rows) {
    row_scale = args.x_scales[first_row + thread];
  }
  if (thread < kTile && first_column + thread < args.out) {
    scale = args.scales[first_column + thread];
    bias = BiasOf(args, first_column + thread);
  }

  Sums<kTile> sums = {};
  if constexpr (kHasTensorCores) {
    MultiplyCopied<T, kTile>(args, copies, ring, warp, lane, sums);
  } else {
    MultiplyStored<T, kTile>(args, copies, ring, warp, lane, sums);
  }

  // From here on the ring holds results, then a scale for each row, then a scale and a bias for
  // each column.
  __syncthreads();
  float* const row_scales = reinterpret_cast<float*>(ring + kTile * Of::kPitch);
  float* const scales = row_scales + kTile;
  float* const biases = scales + kTile;
  if (thread < kTile) {
    row_scales[thread] = row_scale;
    scales[thread] = scale;
    biases[thread] = bias;
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < Of::kM; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp % 2 * Of::kWarpTile + m * 16 + half * 8 + lane / 4;
#pragma unroll
      for (int n = 0; n < Of::kN; ++n) {
        const int column = warp / 2 * Of::kWarpTile + n * 8 + lane % 4 * 2;
        Run<T, 2> pair;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          pair.element[i] = Finished<T>(sums[m][n][2 * half + i],
                                        row_scales[row] * scales[column + i], biases[column + i]);
        }
        *reinterpret_cast<uint32_t*>(ring + row * Of::kPitch + column * sizeof(T)) =
            std::bit_cast<uint32_t>(pair);
      }
    }
  }
  __syncthreads();
  constexpr int kPieces = kTile / kPieceElements<T>;  // the number of pieces of a row of the tile
#pragma unroll 2
  for (int i = thread; i < kTile * kPieces; i += kTileThreads) {
    const int row = i / kPieces;
    const int column = i % kPieces * kPieceElements<T>;
    if (first_row + row >= args.rows || first_column + column >= args.out) continue;
    Piece<T> piece = LoadPiece(reinterpret_cast<const T*>(ring + row * Of::kPitch) + column);
    if (args.activation != Activation::kNone) {
#pragma unroll
      for (T& x : piece.element) x = Activated(args.activation, x);
    }
    StorePiece(args.y + int64_t{first_row + row} * args.out + first_column + column, piece);
  }
}

constexpr int kFewWarps = kMostQuantizedFewRows;  // one warp for each row
constexpr int kFewColumns = 8;
constexpr int kFewElements = kMostQuantizedFewRows * kFewColumns;
constexpr int kFewKept = 8;  // stretches of a row that are kept in registers: 2,048 numbers

// Returns the bytes from one row to the next in shared memory. The padding puts the rows in
// different banks.
__host__ __device__ constexpr int PitchOf(int in) { return in + kPieceBytes; }

constexpr int64_t FewSharedBytes(int in) {
  return int64_t{kFewColumns + kMostQuantizedFewRows} * PitchOf(in) +
         (int64_t{kFewWarps} * kFewElements + kMostQuantizedFewRows) *
             static_cast<int64_t>(sizeof(int32_t));
}

__device__ inline void BringPiece(uint8_t* to, const uint8_t* from) {
  if constexpr (kHasTensorCores) {
    CopyPiece(to, from, true);
  } else {
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
  }
}

template <class T>
__global__ void __launch_bounds__(kFewWarps* kWarpThreads, 2)
    QuantizedFewKernel(const __grid_constant__ ProductArgs<T> args, const T* x) {
  const int pitch = PitchOf(args.in);
  uint8_t* const w_rows = DynamicShared<uint8_t>();
  uint8_t* const x_rows = w_rows + kFewColumns * pitch;
  int32_t* const parts = reinterpret_cast<int32_t*>(x_rows + kMostQuantizedFewRows * pitch);
  float* const x_scales = reinterpret_cast<float*>(parts + kFewWarps * kFewElements);
  const auto lane = static_cast<int>(threadIdx.x);
  const auto warp = static_cast<int>(threadIdx.y);
  const int first = static_cast<int>(blockIdx.x) * kFewColumns;
  const auto bring_weights = [&] {
    // Two warps load a column.
    const int column = warp % kFewColumns;
    const uint8_t* const from = args.weight + int64_t{first + column} * args.in;
    constexpr int kStep = kFewWarps / kFewColumns * kWarpThreads * kPieceBytes;
    for (int k = (warp / kFewColumns * kWarpThreads + lane) * kPieceBytes; k < args.in;
         k += kStep) {
      BringPiece(w_rows + column * pitch + k, from + k);
    }
  };
  // Weights never change, so they are loaded while the previous kernel still runs.
  bring_weights();
  AwaitKernelBefore();
  // The number of the element of y, within the block, that this thread computes at the end. Only
  // the first four warps have elements.
  const int element = warp * kWarpThreads + lane;
  const int row = element / kFewColumns;
  const int column = first + element % kFewColumns;
  const bool ends = element < kFewElements && row < args.rows;
  float scale = 0.0F;
  float bias = 0.0F;
  if (ends) {
    scale = args.scales[column];
    bias = BiasOf(args, column);
  }
  const bool there = warp < args.rows;
  const float x_scale =
      QuantizedRow<Int8, kFewKept>(x + int64_t{there ? warp : 0} * args.in, there, args.in,
                                   x_rows + warp * pitch, [&](uint32_t) { return there; });
  if (lane == 0) x_scales[warp] = x_scale;
  if constexpr (kHasTensorCores) AwaitCopies();
  __syncthreads();

  // LoadMatrices loads four matrices of 8 rows by 16 bytes. For x these are rows 0..7 and 8..15 at
  // byte 0, then at byte 16. For W these are its 8 rows at byte 0 and at byte 16, both twice.
  const int matrix = lane / 8;
  const uint8_t* const a_row =
      x_rows + (matrix % 2 * 8 + lane % 8) * pitch + matrix / 2 * kPieceBytes;
  const uint8_t* const b_row = w_rows + lane % 8 * pitch + matrix % 2 * kPieceBytes;
  int32_t sum[4] = {};
#pragma unroll 1
  for (int k = warp * kDepth; k < args.in; k += kFewWarps * kDepth) {
    unsigned a[4];
    unsigned b[4];
    LoadMatrices(a_row + k, a);
    LoadMatrices(b_row + k, b);
    Multiply(Int8{}, sum, a, b[0], b[1]);
  }
  int32_t* const part = parts + warp * kFewElements;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    part[(lane / 4 + i / 2 * 8) * kFewColumns + lane % 4 * 2 + i % 2] = sum[i];
  }
  __syncthreads();
  if (!ends) return;
  int32_t all = 0;
#pragma unroll
  for (int i = 0; i < kFewWarps; ++i) all += parts[i * kFewElements + element];
  const T y = Finished<T>(all, x_scales[row] * scale, bias);
  args.y[int64_t{row} * args.out + column] = Activated(args.activation, y);
}

QuantizedForm FormFor(const QuantizedProduct& p, int64_t rows) {
  if (p.form != QuantizedForm::kAuto) return p.form;
  if (rows <= kMostQuantizedFewRows && p.takes_few) return QuantizedForm::kFew;
  return HasLargeTiles(rows, p.out, p.multiprocessors) ? QuantizedForm::kLarge
                                                       : QuantizedForm::kSmall;
}

template <class T, int kTile>
Error MultiplyTiles(Stream stream, const ProductArgs<T>& args) {
  const auto tiles = [](int n) { return static_cast<unsigned>((n + kTile - 1) / kTile); };
  return LaunchEarly(QuantizedTileKernel<T, kTile>, dim3(tiles(args.out), tiles(args.rows)),
                     kTileThreads, Tile<kTile>::kSharedBytes, stream, args);
}

// Calls use(T{}) with the element type T of `type`. REQUIRES: the type has 16 bits.
template <class Use>
auto WithType(ComputeType type, Use use) {
  return type == ComputeType::kFloat16 ? use(__half{}) : use(__nv_bfloat16{});
}

}  // namespace

std::string PrepareQuantizedProduct(QuantizedProduct* p) {
  if (p->type != ComputeType::kFloat16 && p->type != ComputeType::kBFloat16) {
    return std::string(ComputeTypeName(p->type)) +
           " has no such products, float16 and bfloat16 have";
  }
  if (p->in <= 0 || p->in % kDepth != 0 || p->out <= 0 || p->out % 8 != 0) {
    return "a product of " + std::to_string(p->in) + " inputs and " + std::to_string(p->out) +
           " outputs, expected multiples of 32 and 8";
  }
  int device = 0;
  int limit = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&p->multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  p->takes_few = FewSharedBytes(p->in) <= limit;
  // Sets the kernel's limit of shared memory to the limit of the device. This product may need
  // less, but another product with the same kernel may need more.
  if (status == cudaSuccess) {
    status = WithType(p->type, [&](auto zero) {
      return cudaFuncSetAttribute(reinterpret_cast<const void*>(QuantizedFewKernel<decltype(zero)>),
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, limit);
    });
  }
  if (status == cudaSuccess) return "";
  static_cast<void>(cudaGetLastError());  // clears the last CUDA error of this thread
  return cudaGetErrorString(status);
}

int QuantizedProductNodes(const QuantizedProduct& p, int64_t rows) {
  return (FormFor(p, rows) == QuantizedForm::kFew ? 1 : 2) + (IsApplied(p.activation) ? 0 : 1);
}

Error MultiplyQuantized(Stream stream, const QuantizedProduct& p, const void* x, int64_t rows,
                        const int32_t* count, void* workspace, void* y) {
  const QuantizedForm form = FormFor(p, rows);
  if (rows < 0 || (form == QuantizedForm::kFew && (rows > kMostQuantizedFewRows || !p.takes_few))) {
    return static_cast<Error>(cudaErrorInvalidValue);
  }
  if (rows == 0) return Error::kNone;
  auto* const bytes = static_cast<uint8_t*>(workspace);
  auto* const x_scales = reinterpret_cast<float*>(bytes + rows * p.in);
  if (form != QuantizedForm::kFew) {
    const Error error =
        QuantizeRows(stream, p.type, QuantizedType::kInt8, x, rows, count, p.in, bytes, x_scales);
    if (error != Error::kNone) return error;
  }
  const Error error = WithType(p.type, [&](auto zero) {
    using T = decltype(zero);
    const ProductArgs<T> args{bytes,
                              x_scales,
                              p.weight,
                              p.scales,
                              static_cast<const T*>(p.bias),
                              static_cast<T*>(y),
                              count,
                              static_cast<int>(rows),
                              p.in,
                              p.out,
                              IsApplied(p.activation) ? p.activation : Activation::kNone};
    switch (form) {
      case QuantizedForm::kFew:
        return LaunchEarly(QuantizedFewKernel<T>, dim3(static_cast<unsigned>(p.out / kFewColumns)),
                           dim3(kWarpThreads, kFewWarps), static_cast<size_t>(FewSharedBytes(p.in)),
                           stream, args, static_cast<const T*>(x));
      case QuantizedForm::kLarge:
        return MultiplyTiles<T, 128>(stream, args);
      default:
        return MultiplyTiles<T, 64>(stream, args);
    }
  });
  if (error != Error::kNone || IsApplied(p.activation)) return error;
  return Activate(stream, p.type, p.activation, rows, count, p.out, y);
}

}  // namespace dragoman::kernels::cuda
