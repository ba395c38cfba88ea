// Computes cross-attention, and writes K and V of the source to its pages (cross_attention.h).
//
// Attention: a piece is up to kRows adjacent rows of one slot. A warp computes one head for the
// rows of a piece, and loads K and V once for all of them. A slot of w rows with a source of n
// positions moves 2 n d elements of K and V, and 2 w d of q and context. A row takes 4 n d flop.
// With d = 512, 16 bits and n = 30, 1,024 slots of 4 rows move 71 MB, which takes at least 17 us at
// 4.3 TB/s.
//
// Why this shape: a piece begins with the first row of a slot, and again at every kRows-th lane of
// the slot. A warp is responsible for kRows adjacent rows of the step and computes the pieces that
// begin in them. So a slot of beam 4 is one piece wherever its rows begin, and no list of slots is
// needed. The rows of wide beams spread over many warps, which share K and V through L1 (within a
// block) and L2. In steps of few rows a warp computes only one row. All warps then fit on the card
// at once, so only the latency matters. A row's sums are the same in both cases
// (warp_attention.cuh).
//
// Writing happens once per segment. One block writes one layer of a page, each thread 16 bytes at a
// time, in the order of the page. For each position and layer it reads and writes 2 d elements:
// 0.74 MB for 30 positions and 6 layers with d = 512 and 16 bits.
#include <type_traits>

#include "kernels/cuda/warp_attention.cuh"
#include "kernels/ops/cross_attention.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4;
constexpr int kWriteThreads = 256;
// In launches of up to this many rows a warp computes one row. With 8 heads that is about 15 warps
// for each multiprocessor of an H200.
constexpr int64_t kFewRows = 256;

static_assert(kTilePositions == kPagePositions);

// A warp with several rows copies K and V to shared memory, if the card has asynchronous copies:
// next to the rows' queries and contexts, the registers cannot hold both K and V.
template <class T, int kHeadClass, int kRows>
constexpr TileLoads LoadsOf() {
  return kRows > 1 && sizeof(T) == 2 && kHeadClass <= 64 ? TileLoads::kCopied : TileLoads::kInTurn;
}

// Reports whether the kernel's registers are limited so that four blocks fit a multiprocessor. They
// are on Hopper if K and V are copied to shared memory, because the kernel then needs no more
// registers than the limit. Four blocks are faster on an H200 (kernels/README.md, "Kernels on a
// GPU: counts and floors").
template <class T, int kHeadClass, int kRows>
constexpr bool HasFourBlocks() {
  return kForHopper && LoadsOf<T, kHeadClass, kRows>() == TileLoads::kCopied;
}
template <class T, int kHeadClass, int kRows>
constexpr int kBlocks = HasFourBlocks<T, kHeadClass, kRows>() ? 4
                                                              : kBlocksOfFourWarps<T, kHeadClass>;

// Computes the first `rows` <= kRows rows of one slot from `row` on.
template <class T, int kHeadClass, int kRows>
__device__ void AttendRows(const KvLayout& layout, int layer, const CrossKvTables& tables, int slot,
                           int row, int rows, const T* q, T* context_out) {
  const int head = static_cast<int>(blockIdx.x);
  const int64_t d = layout.width();
  const int64_t first = int64_t{row} * d + int64_t{head} * layout.head_dim;
  const int length = tables.source_length[slot];
  const int32_t* pages = tables.pages + int64_t{slot} * tables.pages_per_slot;
  const T* const first_k = static_cast<const T*>(tables.pool) + layout.DeviceK(layer, head, 0);
  constexpr TileLoads kHow = kHasTensorCores ? LoadsOf<T, kHeadClass, kRows>() : TileLoads::kInTurn;
  using Attention = WarpAttention<T, kHeadClass, kRows, kHow>;
  char* const shared = DynamicShared<char>() + threadIdx.y * Attention::kCopiedBytes;
  Attention attention(static_cast<int>(threadIdx.x), layout.head_dim, shared);
#pragma unroll
  for (int r = 0; r < kRows; ++r) attention.SetQuery(r, q + first + min(r, rows - 1) * d);
  int page = pages[0];
  for (int tile = 0; tile < length; tile += kTilePositions) {
    const int count = min(kTilePositions, length - tile);
    // The next page's number is read before this tile's K and V, so that the next tile need not
    // wait for it.
    const int next = tile + kTilePositions < length ? pages[tile / kTilePositions + 1] : 0;
    const T* const k = first_k + int64_t{page} * layout.ElementsPerPage();
    attention.Tile(count, layout.DeviceVOffset(),
                   [&](int position) { return k + position * layout.head_dim; });
    page = next;
  }
  attention.Store(rows, context_out + first, d);
}

template <class T, int kHeadClass, int kRows>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kBlocks<T, kHeadClass, kRows>)
    CrossAttentionKernel(KvLayout layout, int layer, StepRows rows, CrossKvTables tables,
                         const T* q, T* context_out) {
  AwaitKernelBefore();
  const int lane = static_cast<int>(threadIdx.x);
  const int warp = static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y);
  const int first = warp * kRows;
  // All lanes load slots together. Lane l loads the slot of row first + l - 1, so that it is next
  // to the slot of the row before.
  const int row = min(max(first + lane - 1, 0), static_cast<int>(rows.rows) - 1);
  const int slot = rows.slot[row];
  const int number = kRows > 1 ? rows.lane[row] : 0;
  const int end = *rows.count;
  const int before = __shfl_up_sync(kWholeWarp, slot, 1);
  const bool begins = first + lane - 1 >= end || row == 0 || slot != before || number % kRows == 0;
  // Bit i says that a piece begins with row first + i, or that there is no such row.
  const unsigned begin = __ballot_sync(kWholeWarp, begins) >> 1;
#pragma unroll 1
  for (int i = 0; i < kRows && first + i < end; ++i) {
    if ((begin >> i & 1U) == 0) continue;
    int together = 1;
#pragma unroll
    for (int r = 1; r < kRows; ++r) {
      if (together == r && (begin >> (i + r) & 1U) == 0) ++together;
    }
    int of_piece = 0;
    if constexpr (HasFourBlocks<T, kHeadClass, kRows>()) {
      // A shuffle would need `slot` in a register until here, and registers are scarce.
      of_piece = rows.slot[first + i];
    } else {
      of_piece = __shfl_sync(kWholeWarp, slot, i + 1);
    }
    AttendRows<T, kHeadClass, kRows>(layout, layer, tables, of_piece, first + i, together, q,
                                     context_out);
  }
}

// Writes K and V of layer first_layer + blockIdx.y to the page pages[blockIdx.x].
template <class T>
__global__ void __launch_bounds__(kWriteThreads)
    WriteCrossKvKernel(KvLayout layout, int first_layer, const T* kv, const int32_t* offsets,
                       int segments, const int32_t* page_offsets, const int32_t* pages, T* pool) {
  AwaitKernelBefore();
  const int page = static_cast<int>(blockIdx.x);
  // The page belongs to the last segment with page_offsets[segment] <= page.
  int segment = 0;
  for (int beyond = segments; beyond - segment > 1;) {
    const int middle = (segment + beyond) / 2;
    if (page_offsets[middle] <= page) {
      segment = middle;
    } else {
      beyond = middle;
    }
  }
  const int64_t first = offsets[segment] + int64_t{page - page_offsets[segment]} * kPagePositions;
  const int64_t positions = offsets[segment + 1] - first;
  const int64_t d = layout.width();
  const int layer = static_cast<int>(blockIdx.y);
  const int64_t stride = int64_t{gridDim.y} * 2 * d;
  const T* const from = kv + first * stride + layer * 2 * d;
  T* const to =
      pool + pages[page] * layout.ElementsPerPage() + layout.DeviceK(first_layer + layer, 0, 0);
  // Number of pieces of K or V of one position in one head.
  const int pieces = layout.head_dim / kPieceElements<T>;
  const int all = layout.heads * 2 * kPagePositions * pieces;
  for (int i = static_cast<int>(threadIdx.x); i < all; i += kWriteThreads) {
    // The index follows the layout of a page: [head][K | V][position][piece].
    const int position = i / pieces % kPagePositions;
    const int half = i / pieces / kPagePositions % 2;
    const int head = i / pieces / kPagePositions / 2;
    RawPiece<T> piece{};
    if (position < positions) {
      piece = LoadRaw(from + position * stride + half * d + int64_t{head} * layout.head_dim +
                      i % pieces * kPieceElements<T>);
    }
    StoreRaw(to + int64_t{i} * kPieceElements<T>, piece);
  }
}

}  // namespace

Error WriteCrossKv(Stream stream, ComputeType type, const KvLayout& layout, int first_layer,
                   int layer_count, const void* kv, const int32_t* offsets, int64_t segments,
                   const int32_t* page_offsets, const int32_t* pages, int64_t page_count,
                   void* pool) {
  if (layout.head_dim % 8 != 0) return static_cast<Error>(cudaErrorInvalidValue);
  if (page_count == 0 || layer_count == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    const dim3 grid(static_cast<unsigned>(page_count), static_cast<unsigned>(layer_count));
    return LaunchEarly(WriteCrossKvKernel<T>, grid, kWriteThreads, 0, stream, layout, first_layer,
                       static_cast<const T*>(kv), offsets, static_cast<int>(segments), page_offsets,
                       pages, static_cast<T*>(pool));
  });
}

Error CrossAttention(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                     const StepRows& rows, const CrossKvTables& tables, const void* q,
                     void* context_out) {
  if (rows.rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    return ForHeadClass(layout.head_dim, [&](auto head_class) {
      constexpr int kClass = decltype(head_class)::kValue;
      const auto launch = [&](auto kernel, auto rows_per_warp) {
        constexpr int kRows = decltype(rows_per_warp)::value;
        constexpr TileLoads kHow = LoadsOf<T, kClass, kRows>();
        constexpr int kShared = kWarps * WarpAttention<T, kClass, kRows, kHow>::kCopiedBytes;
        constexpr int64_t kBlockRows = kWarps * kRows;
        const dim3 grid(static_cast<unsigned>(layout.heads),
                        static_cast<unsigned>((rows.rows + kBlockRows - 1) / kBlockRows));
        return LaunchEarly(kernel, grid, dim3(kWarpThreads, kWarps), kShared, stream, layout, layer,
                           rows, tables, static_cast<const T*>(q), static_cast<T*>(context_out));
      };
      if (rows.rows <= kFewRows) {
        return launch(CrossAttentionKernel<T, kClass, 1>, std::integral_constant<int, 1>());
      }
      constexpr int kRows = kRowsTogether<T, kClass>;
      return launch(CrossAttentionKernel<T, kClass, kRows>, std::integral_constant<int, kRows>());
    });
  });
}

}  // namespace dragoman::kernels::cuda
