// Computes self-attention of the encoder with one of two methods:
//
// tensor cores   16-bit types, cards from 8.0 on: a warp takes one head of 16 adjacent tokens of a
//                segment, a block 64. K and V come in tiles of 32 positions through shared
//                memory; one tile is loaded while another is multiplied.
// plain cores    f32, and older cards: one warp for a head and 4 tokens (warp_attention.cuh).
//
// The card and the type decide the method. A token's place in its segment decides its place in a
// block. So the bits of its result depend on nothing outside the segment.
//
// Bytes per token: 3 d elements of qkv read, d written; flop: 4 n d in a segment of n tokens. Floor
// at 4.3 TB/s, d 512, 16 bit, 8,192 tokens: 34 MB, 8 us. A layer takes 0.5 GFLOP in segments of 30
// tokens and 8.6 in segments of 512. For the latter, plain cores take longer than the rest of the
// layer (kernels/README.md).
#include "kernels/base/exponent.h"
#include "kernels/cuda/approximate.cuh"
#include "kernels/cuda/tensor_core.cuh"
#include "kernels/cuda/warp_attention.cuh"
#include "kernels/ops/encoder_attention.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4;

template <class T>
struct HeadOfSegment {
  const T* q;  // q of the segment's first token; k is d elements after q, v is 2 d after q
  T* out;      // where the context of the segment's first token is written
  int tokens;
  int64_t d;
  int head_dim;

  __device__ int64_t stride() const { return 3 * d; }  // elements from a token to the next
};

template <class T>
__device__ HeadOfSegment<T> HeadOfBlock(const T* qkv, const int32_t* offsets, int head_dim,
                                        T* context_out) {
  const int64_t segment = blockIdx.x;
  const int64_t first = offsets[segment];
  const int64_t d = int64_t{gridDim.z} * head_dim;
  const int64_t at = int64_t{blockIdx.z} * head_dim;
  return {qkv + first * 3 * d + at, context_out + first * d + at,
          static_cast<int>(offsets[segment + 1] - first), d, head_dim};
}

// Computes kRows tokens from `token` on with one warp. REQUIRES: at least the first of them exists.
template <class T, int kHeadClass, int kRows, class Bias>
__device__ void AttendPlainly(const HeadOfSegment<T>& head, int token, const Bias& bias) {
  const int row = static_cast<int>(head.stride());
  WarpAttention<T, kHeadClass, kRows> attention(static_cast<int>(threadIdx.x), head.head_dim);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (token + r < head.tokens) attention.SetQuery(r, head.q + (token + r) * head.stride());
  }
  for (int tile = 0; tile < head.tokens; tile += kTilePositions) {
    const T* const k = head.q + head.d + tile * head.stride();
    attention.Tile(
        min(kTilePositions, head.tokens - tile), head.d,
        [&](int position) { return k + position * row; }, bias, tile - token);
  }
  attention.Store(head.tokens - token, head.out + token * head.d, head.d);
}

template <class T, int kHeadClass, int kRows>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kBlocksOfFourWarps<T, kHeadClass>)
    EncoderAttentionKernel(const T* qkv, const int32_t* offsets, int head_dim, T* context_out) {
  AwaitKernelBefore();
  const auto head = HeadOfBlock(qkv, offsets, head_dim, context_out);
  const int token = (static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y)) * kRows;
  if (token < head.tokens) AttendPlainly<T, kHeadClass, kRows>(head, token, NoBias{});
}

template <class T, int kHeadClass, int kRows>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kBlocksOfFourWarps<T, kHeadClass>)
    BiasedEncoderAttentionKernel(const T* qkv, const int32_t* offsets, int head_dim,
                                 RelativeBias bias, T* context_out) {
  AwaitKernelBefore();
  const auto head = HeadOfBlock(qkv, offsets, head_dim, context_out);
  const int token = (static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y)) * kRows;
  if (token < head.tokens) {
    AttendPlainly<T, kHeadClass, kRows>(head, token, DistanceBias(bias, blockIdx.z));
  }
}

constexpr int kTensorRows = 16;  // number of tokens that a warp computes
constexpr int kBlockRows = kWarps * kTensorRows;
constexpr int kTile = kTilePositions;  // number of positions of K and V in shared memory

// K and V of a tile. A row has kHeadClass elements and 16 bytes of padding, so that the same column
// of eight adjacent rows is in different banks of shared memory. Columns from head_dim on, and
// positions after the segment's end, are zeros.
template <class T, int kHeadClass>
struct TensorTile {
  T k[kTile][kHeadClass + kPieceElements<T>];
  T v[kTile][kHeadClass + kPieceElements<T>];

  // Starts the copies of a tile. All threads of a block call it, each with its own number in
  // `thread`. The tile is complete after AwaitCopies and a barrier.
  __device__ void Bring(const HeadOfSegment<T>& head, int first, int thread) {
    constexpr int kPieces = kHeadClass / kPieceElements<T>;  // number of pieces of a row
    static_assert(kTile * kPieces % (kWarps * kWarpThreads) == 0);
#pragma unroll
    for (int i = 0; i < kTile * kPieces; i += kWarps * kWarpThreads) {
      const int position = (i + thread) / kPieces;
      const int at = (i + thread) % kPieces * kPieceElements<T>;
      const bool wanted = first + position < head.tokens && at < head.head_dim;
      const T* const from =
          wanted ? head.q + (first + position) * head.stride() + head.d + at : head.q;
      CopyPiece(&k[position][at], from, wanted);
      CopyPiece(&v[position][at], from + (wanted ? head.d : 0), wanted);
    }
  }
};

// Computes the attention of one head for 16 rows with one warp, with a running maximum, sum and
// context over tiles. A lane holds parts of two rows, lane / 4 and lane / 4 + 8 (tensor_core.cuh).
// The weights are rounded to the type before they are summed, because the products use rounded
// weights. So the weights that are used sum to one.
template <class T, int kHeadClass>
class TensorAttention {
 public:
  using Tile = TensorTile<T, kHeadClass>;

  // `q` is the query of the first row. `rows` is the number of rows that exist; the context of
  // further rows is undefined.
  __device__ TensorAttention(int lane, const T* q, int rows, int64_t stride, int head_dim)
      : lane_(lane), scale_(kLog2OfE / sqrtf(static_cast<float>(head_dim))) {
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + i % 2 * 8;
        const int at = s * 16 + lane % 4 * 2 + i / 2 * 8;
        query_[s][i] = row < rows && at < head_dim
                           ? *reinterpret_cast<const unsigned*>(q + row * stride + at)
                           : 0U;
      }
    }
  }

  // Adds the first `count` >= 1 positions of a tile. `distance` is the position of the tile's first
  // key minus that of the first row.
  template <class Bias>
  __device__ void Take(const Tile& tile, int count, const Bias& bias, int distance, int rows) {
    float score[kTile / 8][4] = {};
#pragma unroll
    for (int j = 0; j < kTile / 8; j += 2) {
      // The loads read four matrices: two groups of 8 positions by two groups of 8 columns.
      const T* const row = &tile.k[8 * j + lane_ / 16 * 8 + lane_ % 8][lane_ / 8 % 2 * 8];
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        unsigned k[4];
        LoadMatrices(row + s * 16, k);
        Multiply(T{}, score[j], query_[s], k[0], k[1]);
        Multiply(T{}, score[j + 1], query_[s], k[2], k[3]);
      }
    }
    if constexpr (Bias::kIsThere) Add(bias, distance, rows, count, score);
    if (count < kTile) Leave(count, score);
    Weigh(0, score);
    Weigh(1, score);
#pragma unroll
    for (int step = 0; step < kTile / 16; ++step) {
      const float(&left)[4] = score[2 * step];
      const float(&right)[4] = score[2 * step + 1];
      const unsigned weight[4] = {
          RoundPair(T{}, left[0], left[1]), RoundPair(T{}, left[2], left[3]),
          RoundPair(T{}, right[0], right[1]), RoundPair(T{}, right[2], right[3])};
      Multiply(T{}, sum_, weight, OnesPair(T{}), OnesPair(T{}));
      // The loads read four matrices: two groups of 8 positions by two groups of 8 columns.
      const T* const row = &tile.v[16 * step + lane_ % 16][lane_ / 16 * 8];
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        unsigned v[4];
        LoadTransposed(row + s * 16, v);
        Multiply(T{}, context_[2 * s], weight, v[0], v[1]);
        Multiply(T{}, context_[2 * s + 1], weight, v[2], v[3]);
      }
    }
  }

  // Stores the context of the first `rows` rows. The first row's context is stored at `out`.
  __device__ void Store(T* out, int rows, int64_t d, int head_dim) const {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = lane_ / 4 + r * 8;
      if (row >= rows) continue;
      const float factor = 1.0F / sum_[2 * r];
#pragma unroll
      for (int n = 0; n < 2 * kSteps; ++n) {
        if (n * 8 >= head_dim) continue;
        *reinterpret_cast<unsigned*>(out + row * d + n * 8 + lane_ % 4 * 2) =
            RoundPair(T{}, context_[n][2 * r] * factor, context_[n][2 * r + 1] * factor);
      }
    }
  }

 private:
  static constexpr int kSteps = kHeadClass / 16;

  // Adds the bias to scores, which are not multiplied by scale_ yet. A row that does not exist gets
  // the bias of the last row.
  template <class Bias>
  __device__ void Add(const Bias& bias, int distance, int rows, int count,
                      float (&score)[kTile / 8][4]) const {
    const float unscaled = kLog2OfE / scale_;
    const int column = lane_ % 4 * 2;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float* const at = bias.zero + (distance - min(lane_ / 4 + r * 8, rows - 1) + column);
#pragma unroll
      for (int j = 0; j < kTile / 8; ++j) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          if (8 * j + i >= count - column) continue;
          float& to = score[j][2 * r + i];
          to = fmaf(at[8 * j + i], unscaled, to);
        }
      }
    }
  }

  // Excludes positions from `count` on from the softmax.
  __device__ void Leave(int count, float (&score)[kTile / 8][4]) const {
#pragma unroll
    for (int j = 0; j < kTile / 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (8 * j + lane_ % 4 * 2 + i % 2 >= count) score[j][i] = -INFINITY;
      }
    }
  }

  // Turns the scores of a lane's row r into weights, relative to the running maximum.
  __device__ void Weigh(int r, float (&score)[kTile / 8][4]) {
    float top = score[0][2 * r];
#pragma unroll
    for (int j = 0; j < kTile / 8; ++j) {
      top = fmaxf(top, fmaxf(score[j][2 * r], score[j][2 * r + 1]));
    }
#pragma unroll
    for (int lanes = 1; lanes < 4; lanes *= 2) {
      top = fmaxf(top, __shfl_xor_sync(kWholeWarp, top, lanes));
    }
    top = fmaxf(max_[r], top * scale_);
    const float keep = PowerOfTwo(max_[r] - top);
    max_[r] = top;
#pragma unroll
    for (int j = 0; j < kTile / 8; ++j) {
#pragma unroll
      for (int i = 2 * r; i < 2 * r + 2; ++i) {
        score[j][i] = PowerOfTwo(fmaf(score[j][i], scale_, -top));
      }
    }
#pragma unroll
    for (int i = 2 * r; i < 2 * r + 2; ++i) {
      sum_[i] *= keep;
#pragma unroll
      for (int n = 0; n < 2 * kSteps; ++n) context_[n][i] *= keep;
    }
  }

  const int lane_;
  const float scale_;
  unsigned query_[kSteps][4];
  float max_[2] = {-INFINITY, -INFINITY};
  float sum_[4] = {};  // sum_[2 r] and sum_[2 r + 1] are both the sum of row r
  float context_[2 * kSteps][4] = {};
};

template <class T, int kHeadClass, class Bias>
__device__ void AttendInBlock(const HeadOfSegment<T>& head, const Bias& bias) {
  const int head_dim = head.head_dim;
  const int of_block = static_cast<int>(blockIdx.y) * kBlockRows;
  if (of_block >= head.tokens) return;
  const int token = of_block + static_cast<int>(threadIdx.y) * kTensorRows;
  if constexpr (kHasTensorCores) {
    const int lane = static_cast<int>(threadIdx.x);
    const int thread = static_cast<int>(threadIdx.y) * kWarpThreads + lane;
    auto* const tiles = DynamicShared<TensorTile<T, kHeadClass>>();  // two tiles
    tiles[0].Bring(head, 0, thread);
    // If this is <= 0, the warp has no rows and only copies tiles.
    const int rows = min(kTensorRows, head.tokens - token);
    TensorAttention<T, kHeadClass> attention(lane, head.q + token * head.stride(), rows,
                                             head.stride(), head_dim);
    for (int first = 0, at = 0; first < head.tokens; first += kTile, at ^= 1) {
      AwaitCopies();
      __syncthreads();  // this tile is complete, and no warp needs the other one any more
      if (first + kTile < head.tokens) tiles[at ^ 1].Bring(head, first + kTile, thread);
      if (rows > 0) {
        attention.Take(tiles[at], min(kTile, head.tokens - first), bias, first - token, rows);
      }
    }
    if (rows > 0) attention.Store(head.out + token * head.d, rows, head.d, head_dim);
  } else {
    constexpr int kRows = kRowsTogether<T, kHeadClass>;
    for (int i = token; i < min(token + kTensorRows, head.tokens); i += kRows) {
      AttendPlainly<T, kHeadClass, kRows>(head, i, bias);
    }
  }
}

// The minimum number of blocks per multiprocessor. Cards before 8.0 run the code for plain cores,
// with which only three blocks fit (kBlocksOfFourWarps).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kTensorBlocks = 3;
#else
constexpr int kTensorBlocks = 4;
#endif

template <class T, int kHeadClass>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kHeadClass > 64 ? 2 : kTensorBlocks)
    TensorEncoderAttentionKernel(const T* qkv, const int32_t* offsets, int head_dim,
                                 T* context_out) {
  AwaitKernelBefore();
  AttendInBlock<T, kHeadClass>(HeadOfBlock(qkv, offsets, head_dim, context_out), NoBias{});
}

template <class T, int kHeadClass>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kHeadClass > 64 ? 2 : 3)
    BiasedTensorEncoderAttentionKernel(const T* qkv, const int32_t* offsets, int head_dim,
                                       RelativeBias bias, T* context_out) {
  AwaitKernelBefore();
  AttendInBlock<T, kHeadClass>(HeadOfBlock(qkv, offsets, head_dim, context_out),
                               DistanceBias(bias, blockIdx.z));
}

// Returns a grid that has a block for each segment, for each `rows` tokens of the longest segment,
// and for each head.
dim3 GridOf(int64_t segments, int64_t longest, int64_t rows, int heads) {
  return {static_cast<unsigned>(segments), static_cast<unsigned>((longest + rows - 1) / rows),
          static_cast<unsigned>(heads)};
}

}  // namespace

Error EncoderAttention(Stream stream, ComputeType type, const void* qkv, const int32_t* offsets,
                       int64_t segments, int64_t longest, int heads, int head_dim,
                       void* context_out, const RelativeBias& bias) {
  if (segments == 0 || longest == 0) return Error::kNone;
  const dim3 block(kWarpThreads, kWarps);
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    return ForHeadClass(head_dim, [&](auto head_class) {
      constexpr int kClass = decltype(head_class)::kValue;
      const auto* const from = static_cast<const T*>(qkv);
      auto* const to = static_cast<T*>(context_out);
      if constexpr (sizeof(T) == 2) {
        const dim3 grid = GridOf(segments, longest, kBlockRows, heads);
        constexpr size_t kShared = 2 * sizeof(TensorTile<T, kClass>);
        if (bias.table != nullptr) {
          return LaunchEarly(BiasedTensorEncoderAttentionKernel<T, kClass>, grid, block, kShared,
                             stream, from, offsets, head_dim, bias, to);
        }
        return LaunchEarly(TensorEncoderAttentionKernel<T, kClass>, grid, block, kShared, stream,
                           from, offsets, head_dim, to);
      } else {
        constexpr int kRows = kRowsTogether<T, kClass>;
        const dim3 grid = GridOf(segments, longest, int64_t{kWarps} * kRows, heads);
        if (bias.table != nullptr) {
          return LaunchEarly(BiasedEncoderAttentionKernel<T, kClass, kRows>, grid, block, 0, stream,
                             from, offsets, head_dim, bias, to);
        }
        return LaunchEarly(EncoderAttentionKernel<T, kClass, kRows>, grid, block, 0, stream, from,
                           offsets, head_dim, to);
      }
    });
  });
}

}  // namespace dragoman::kernels::cuda
