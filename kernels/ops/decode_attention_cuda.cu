// Computes self-attention of a decoding step. One warp computes one head of a row. The rows of a
// slot are next to each other in a block.
//
// A row at position t reads 2 t d elements of K and V and 3 d of qkv. It writes 2 d elements of K
// and V, and d of context. It takes 4 (t + 1) d flop. With d = 512 and 16 bits, 4,096 rows at
// position 30 move 277 MB, which takes at least 64 us at 4.3 TB/s if rows share nothing. But the
// hypotheses of a slot share most of their earlier positions. The first row that reads a shared
// position brings it to L1 (for the rows of its block) and L2.
//
// Why this shape: the time is limited by memory bandwidth and by the latency of dependent loads.
// These are row -> page -> K with the step's table of pages, and row -> slot -> lane -> ancestor ->
// page -> K without it. So the kernel needs many independent warps, each with a batch of 16-byte
// loads in flight, and no shared memory and no barrier. Heads vary fastest over the blocks, so the
// heads of a row read its tables and a layer's K/V at about the same time.
//
// In a launch no warp reads what another warp writes. K and V of the new position come from qkv, so
// this position is first in the sums. Other rows of the slot are at the same position and do not
// read it. With a forced prefix a step has several rows of one lane. Then each warp also writes K
// and V of the earlier rows of its lane, and reads what it wrote itself. The warps of these rows
// write the same bits.
#include <type_traits>

#include "kernels/cuda/self_pages.cuh"
#include "kernels/cuda/warp_attention.cuh"
#include "kernels/ops/decode_attention.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4;
// V is loaded together with K if there are enough registers, which takes a tenth less time on an
// H200. With bfloat16 there are not enough, because ptxas converts the numbers to f32 earlier.
template <class T, int kHeadClass>
constexpr TileLoads LoadsOf() {
  return kForHopper && std::is_same_v<T, __half> && kHeadClass <= 64 ? TileLoads::kTogether
                                                                     : TileLoads::kInTurn;
}

// The minimum number of blocks per multiprocessor. Without this bound, from sm_90 on, ptxas allots
// 62 to 232 registers, and loads of K and V wait for each other. With the bound, a batch of loads
// is in flight (budgets.json, "loads").
template <class T, int kHeadClass>
constexpr int kBlocks = LoadsOf<T, kHeadClass>() == TileLoads::kTogether ? 5
                        : kHeadClass <= 64                               ? 4
                        : sizeof(T) == 4                                 ? 2
                                                                         : 3;

static_assert(kTilePositions == kPagePositions);  // PagesOfStep::InFirstTile assumes this

// Writes K and V of the rows before this one in its lane, so that this warp can read them.
template <class T, class Pages>
__device__ void WriteRowsBefore(const KvLayout& layout, int layer, const StepRows& rows,
                                const Pages& pages, int row, int head, const T* qkv, T* pool) {
  const int64_t d = layout.width();
  const int at = static_cast<int>(threadIdx.x) * kPieceElements<T>;
  const int position = rows.position[row];
#pragma unroll 1
  for (int p = position; FollowsInLane(rows, row);) {
    --row;
    --p;
    const T* const k = qkv + (int64_t{row} * 3 + 1) * d + int64_t{head} * layout.head_dim;
    T* const to = pool + pages.Before(p, position) * layout.ElementsPerPage() +
                  layout.DeviceK(layer, head, p % kPagePositions);
    if (at < layout.head_dim) {
      StoreRaw(to + at, LoadRaw(k + at));
      StoreRaw(to + layout.DeviceVOffset() + at, LoadRaw(k + d + at));
    }
  }
  __syncwarp();
}

template <class T, int kHeadClass, class Pages, class Bias>
__device__ void AttendRow(const KvLayout& layout, int layer, const StepRows& rows,
                          const SelfKvTables& tables, const T* qkv, const Bias& bias,
                          T* context_out) {
  const int row = static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y);
  if (row >= *rows.count) return;
  const int warp_lane = static_cast<int>(threadIdx.x);
  const int head = static_cast<int>(blockIdx.x);
  const int64_t d = layout.width();
  const int64_t at = int64_t{head} * layout.head_dim;
  const int position = rows.position[row];
  const bool follows = FollowsInLane(rows, row);
  const Pages pages(rows, tables, row);
  T* const pool = static_cast<T*>(tables.pool);
  const int64_t page_elements = layout.ElementsPerPage();

  const T* q = qkv + int64_t{row} * 3 * d + at;
  T* const k_to = pool + pages.Own(position) * page_elements +
                  layout.DeviceK(layer, head, position % kPagePositions);
  WarpAttention<T, kHeadClass, 1, LoadsOf<T, kHeadClass>()> attention(warp_lane, layout.head_dim);
  attention.SetQuery(0, q);
  attention.StartWith(q + d, q + 2 * d, k_to, k_to + layout.DeviceVOffset(), bias);

  const T* const first_k = pool + layout.DeviceK(layer, head, 0);
  int page = pages.InFirstTile(warp_lane, position);
  if (follows) WriteRowsBefore(layout, layer, rows, pages, row, head, qkv, pool);
  for (int tile = 0; tile < position; tile += kTilePositions) {
    // The next tile's page is read before this tile's K and V, so that the next tile need not wait
    // for the tables.
    const int next_page = pages.Before(tile + kTilePositions + warp_lane, position);
    const int count = min(kTilePositions, position - tile);
    attention.Tile(
        count, layout.DeviceVOffset(),
        [&](int p) {
          const int64_t from = __shfl_sync(kWholeWarp, page, p);
          return first_k + from * page_elements + p * layout.head_dim;
        },
        bias, tile - position);
    page = next_page;
  }
  attention.Store(1, context_out + row * d + at, d);
}

template <class T, int kHeadClass, class Pages>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kBlocks<T, kHeadClass>)
    DecodeSelfAttentionKernel(KvLayout layout, int layer, StepRows rows, SelfKvTables tables,
                              const T* qkv, T* context_out) {
  AwaitKernelBefore();
  AttendRow<T, kHeadClass, Pages>(layout, layer, rows, tables, qkv, NoBias{}, context_out);
}

template <class T, int kHeadClass, class Pages>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kBlocks<T, kHeadClass>)
    BiasedSelfAttentionKernel(KvLayout layout, int layer, StepRows rows, SelfKvTables tables,
                              const T* qkv, RelativeBias bias, T* context_out) {
  AwaitKernelBefore();
  AttendRow<T, kHeadClass, Pages>(layout, layer, rows, tables, qkv, DistanceBias(bias, blockIdx.x),
                                  context_out);
}

}  // namespace

Error DecodeSelfAttention(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                          const StepRows& rows, const SelfKvTables& tables, const void* qkv,
                          void* context_out, const RelativeBias& bias) {
  if (rows.rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    return ForHeadClass(layout.head_dim, [&](auto head_class) {
      const dim3 grid(static_cast<unsigned>(layout.heads),
                      static_cast<unsigned>((rows.rows + kWarps - 1) / kWarps));
      constexpr int kClass = decltype(head_class)::kValue;
      const dim3 block(kWarpThreads, kWarps);
      const auto* const from = static_cast<const T*>(qkv);
      auto* const to = static_cast<T*>(context_out);
      if (bias.table != nullptr) {
        auto* kernel = BiasedSelfAttentionKernel<T, kClass, PagesByAncestry>;
        if constexpr (kClass <= 64) {
          if (rows.pages != nullptr) kernel = BiasedSelfAttentionKernel<T, kClass, PagesOfStep>;
        }
        return LaunchEarly(kernel, grid, block, 0, stream, layout, layer, rows, tables, from, bias,
                           to);
      }
      auto* kernel = DecodeSelfAttentionKernel<T, kClass, PagesByAncestry>;
      // With heads wider than 64, the kernel with PagesOfStep would need a stack on cards before
      // sm_90.
      if constexpr (kClass <= 64) {
        if (rows.pages != nullptr) kernel = DecodeSelfAttentionKernel<T, kClass, PagesOfStep>;
      }
      return LaunchEarly(kernel, grid, block, 0, stream, layout, layer, rows, tables, from, to);
    });
  });
}

}  // namespace dragoman::kernels::cuda
