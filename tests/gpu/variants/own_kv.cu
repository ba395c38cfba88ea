// K/V that every row owns. Attention is the production code (warp_attention.cuh) with one warp for
// each (row, head), so that the two ways differ only in the memory that they read. A copy has one
// warp for each head's K or V of a row and layer, with 16 bytes per lane and four loads in flight.
#include "kernels/cuda/warp_attention.cuh"
#include "tests/gpu/variants/own_kv.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4;
constexpr int kCopyWarps = 8;
// Blocks on a multiprocessor for self-attention, as in the production kernel
// (decode_attention_cuda.cu).
template <class T, int kHeadClass>
constexpr int kBlocks = kHeadClass <= 64 ? 4
                        : sizeof(T) == 4 ? 2
                                         : 3;
// Without bounds, ptxas spills registers for head_dim 64 on sm_90a. With the bound of the
// production kernel, whose warps take several rows, too few warps would be resident to hide memory
// latency.
template <class T, int kHeadClass>
constexpr int kCrossBlocks = kHeadClass / kPieceElements<T> <= 16 ? 4 : 2;

template <class T>
__global__ void __launch_bounds__(kCopyWarps* kWarpThreads)
    GatherOwnKvKernel(OwnKvLayout layout, const int32_t* parent, const int32_t* position,
                      const T* from, T* to) {
  const auto row = static_cast<int>(blockIdx.x);
  const auto layer = static_cast<int>(blockIdx.y);
  const T* const old_row = from + layout.K(layer, parent[row], 0);
  T* const new_row = to + layout.K(layer, row, 0);
  const int elements = position[row] * layout.head_dim;  // in one head's contiguous K or V
  constexpr int kStep = kWarpThreads * kPieceElements<T>;
  constexpr int kLoads = 4;
  for (int half = static_cast<int>(threadIdx.y); half < 2 * layout.heads; half += kCopyWarps) {
    const int64_t begin = half * layout.VOffset();
    int at = static_cast<int>(threadIdx.x) * kPieceElements<T>;
    for (; at + (kLoads - 1) * kStep < elements; at += kLoads * kStep) {
      RawPiece<T> piece[kLoads];
#pragma unroll
      for (int i = 0; i < kLoads; ++i) piece[i] = LoadRaw(old_row + begin + at + i * kStep);
#pragma unroll
      for (int i = 0; i < kLoads; ++i) StoreRaw(new_row + begin + at + i * kStep, piece[i]);
    }
    for (; at < elements; at += kStep)
      StoreRaw(new_row + begin + at, LoadRaw(old_row + begin + at));
  }
}

// Attends over the first `count` positions of a row, in tiles.
template <class T, int kHeadClass>
__device__ void AttendTiles(WarpAttention<T, kHeadClass, 1>& attention, const OwnKvLayout& layout,
                            const T* k, int count) {
  for (int tile = 0; tile < count; tile += kTilePositions) {
    const T* const tile_k = k + tile * layout.head_dim;
    attention.Tile(min(kTilePositions, count - tile), layout.VOffset(),
                   [&](int position) { return tile_k + position * layout.head_dim; });
  }
}

template <class T, int kHeadClass>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kBlocks<T, kHeadClass>)
    OwnSelfAttentionKernel(OwnKvLayout layout, int layer, int rows, const int32_t* positions,
                           const T* qkv, T* pool, T* context_out) {
  const int row = static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y);
  if (row >= rows) return;
  const auto head = static_cast<int>(blockIdx.x);
  const int64_t d = layout.width();
  const int64_t at = int64_t{head} * layout.head_dim;
  const int position = positions[row];
  const T* const q = qkv + int64_t{row} * 3 * d + at;
  T* const k = pool + layout.K(layer, row, head);
  T* const k_to = k + position * layout.head_dim;
  WarpAttention<T, kHeadClass, 1> attention(static_cast<int>(threadIdx.x), layout.head_dim);
  attention.SetQuery(0, q);
  attention.StartWith(q + d, q + 2 * d, k_to, k_to + layout.VOffset());
  AttendTiles(attention, layout, k, position);
  attention.Store(1, context_out + row * d + at, d);
}

template <class T, int kHeadClass>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kCrossBlocks<T, kHeadClass>)
    OwnCrossAttentionKernel(OwnKvLayout layout, int layer, int rows, const int32_t* length,
                            const T* q, const T* pool, T* context_out) {
  const int row = static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y);
  if (row >= rows) return;
  const auto head = static_cast<int>(blockIdx.x);
  const int64_t at = int64_t{row} * layout.width() + int64_t{head} * layout.head_dim;
  WarpAttention<T, kHeadClass, 1> attention(static_cast<int>(threadIdx.x), layout.head_dim);
  attention.SetQuery(0, q + at);
  AttendTiles(attention, layout, pool + layout.K(layer, row, head), length[row]);
  attention.Store(1, context_out + at, layout.width());
}

dim3 AttentionGrid(const OwnKvLayout& layout, int64_t rows) {
  return {static_cast<unsigned>(layout.heads), static_cast<unsigned>((rows + kWarps - 1) / kWarps)};
}

}  // namespace

Error GatherOwnKv(Stream stream, ComputeType type, const OwnKvLayout& layout, int64_t rows,
                  const int32_t* parent, const int32_t* position, const void* from, void* to) {
  if (layout.head_dim % 8 != 0) return static_cast<Error>(cudaErrorInvalidValue);
  if (rows == 0 || layout.layers == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    const dim3 grid(static_cast<unsigned>(rows), static_cast<unsigned>(layout.layers));
    return Launch(GatherOwnKvKernel<T>, grid, dim3(kWarpThreads, kCopyWarps), 0, stream, layout,
                  parent, position, static_cast<const T*>(from), static_cast<T*>(to));
  });
}

Error OwnSelfAttention(Stream stream, ComputeType type, const OwnKvLayout& layout, int layer,
                       int64_t rows, const int32_t* position, const void* qkv, void* pool,
                       void* context_out) {
  if (rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    return ForHeadClass(layout.head_dim, [&](auto head_class) {
      return Launch(OwnSelfAttentionKernel<T, decltype(head_class)::kValue>,
                    AttentionGrid(layout, rows), dim3(kWarpThreads, kWarps), 0, stream, layout,
                    layer, static_cast<int>(rows), position, static_cast<const T*>(qkv),
                    static_cast<T*>(pool), static_cast<T*>(context_out));
    });
  });
}

Error OwnCrossAttention(Stream stream, ComputeType type, const OwnKvLayout& layout, int layer,
                        int64_t rows, const int32_t* length, const void* q, const void* pool,
                        void* context_out) {
  if (rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    return ForHeadClass(layout.head_dim, [&](auto head_class) {
      return Launch(OwnCrossAttentionKernel<T, decltype(head_class)::kValue>,
                    AttentionGrid(layout, rows), dim3(kWarpThreads, kWarps), 0, stream, layout,
                    layer, static_cast<int>(rows), length, static_cast<const T*>(q),
                    static_cast<const T*>(pool), static_cast<T*>(context_out));
    });
  });
}

}  // namespace dragoman::kernels::cuda
