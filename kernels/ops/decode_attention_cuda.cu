// Self-attention of a decoding step: one warp per (row, head), the rows of a slot side by side in a
// block. Not run on a GPU yet.
//
// Bytes per row at position t: 2 t d elements of K and V read, 3 d of qkv, 2 d of K and V written
// and d of context; flop: 4 (t + 1) d. Floor at 4.3 TB/s, d 512, 16 bit, 4,096 rows at position 30:
// 277 MB, 64 us, if rows shared nothing; but the hypotheses of a slot share most of their
// ancestors, which the first row to ask brings to L1 (for the rows of its block) and L2.
//
// Why this shape: it is bound by memory and the latency of its tables (row -> slot -> lane ->
// ancestor -> page -> K), so what counts is many independent warps, each with a batch of 16-byte
// loads in flight: no shared memory, no barrier. Heads vary fastest over the blocks: the tables of
// a row and the K/V of a layer, which is one piece of a page, are read by its heads at about one
// time.
//
// Nobody reads in this launch what it writes: the new position is taken from qkv, which is also why
// it comes first in the sums; the other rows of the slot are at the same position.
#include "kernels/cuda/warp_attention.cuh"
#include "kernels/ops/decode_attention.h"

namespace dragoman::cuda {
namespace {

constexpr int kWarps = 4;
// Blocks that an SM should hold at least; 0: as ptxas likes. Left alone, it uses a stack for small
// heads on sm_80 and sm_89.
template <int kHeadClass>
constexpr int kBlocks = kHeadClass == 32 ? 5 : 0;

static_assert(kTilePositions == kPagePositions);

template <class T, int kHeadClass>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kBlocks<kHeadClass>)
    DecodeSelfAttentionKernel(KvLayout layout, int layer, StepRows rows, SelfKvTables tables,
                              const T* qkv, T* context_out) {
  const int row = static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y);
  if (row >= *rows.count) return;
  const int warp_lane = static_cast<int>(threadIdx.x);
  const int head = static_cast<int>(blockIdx.x);
  const int64_t d = layout.width();
  const int64_t at = int64_t{head} * layout.head_dim;
  const int position = rows.position[row];
  const int32_t* lanes = tables.slot_lanes + int64_t{rows.slot[row]} * kMaxSlotLanes;
  const int64_t own = lanes[rows.lane[row]];
  const uint8_t* ancestry = tables.ancestry + own * tables.max_positions;
  T* const pool = static_cast<T*>(tables.pool);
  const int64_t page_elements = layout.ElementsPerPage();
  const auto page_of = [&](int64_t number, int p) {
    return tables.lane_pages[number * tables.pages_per_lane + p / kPagePositions];
  };
  // The page of this thread's position in the tile.
  const auto ancestor_page = [&](int tile) {
    const int p = tile + warp_lane;
    return p < position ? page_of(lanes[ancestry[p]], tile) : 0;
  };

  const T* q = qkv + int64_t{row} * 3 * d + at;
  T* const k_to = pool + page_of(own, position) * page_elements +
                  layout.DeviceK(layer, head, position % kPagePositions);
  WarpAttention<T, kHeadClass, 1> attention(warp_lane, layout.head_dim);
  attention.SetQuery(0, q);
  attention.StartWith(q + d, q + 2 * d, k_to, k_to + layout.DeviceVOffset());

  const T* const first_k = pool + layout.DeviceK(layer, head, 0);
  int page = ancestor_page(0);
  for (int tile = 0; tile < position; tile += kTilePositions) {
    // Ahead of this tile's K and V, so as not to wait for tables again.
    const int next_page = ancestor_page(tile + kTilePositions);
    const int count = min(kTilePositions, position - tile);
    attention.Tile(count, layout.DeviceVOffset(), [&](int j, int p) {
      const int64_t from =
          __shfl_sync(kWholeWarp, page, j, WarpAttention<T, kHeadClass, 1>::kGroup);
      return first_k + from * page_elements + p * layout.head_dim;
    });
    page = next_page;
  }
  attention.Store(0, context_out + row * d + at);
}

}  // namespace

Error DecodeSelfAttention(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                          const StepRows& rows, const SelfKvTables& tables, const void* qkv,
                          void* context_out) {
  if (rows.rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    return ForHeadClass(layout.head_dim, [&](auto head_class) {
      const dim3 grid(static_cast<unsigned>(layout.heads),
                      static_cast<unsigned>((rows.rows + kWarps - 1) / kWarps));
      return Launch(DecodeSelfAttentionKernel<T, decltype(head_class)::kValue>, grid,
                    dim3(kWarpThreads, kWarps), 0, stream, layout, layer, rows, tables,
                    static_cast<const T*>(qkv), static_cast<T*>(context_out));
    });
  });
}

}  // namespace dragoman::cuda
