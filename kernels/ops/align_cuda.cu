// Computes alignments. One warp handles a row. It returns at once if the row's slot needs no
// alignment from this layer.
//
// Otherwise the warp reads K of the chosen heads twice: 2 n d elements for a source of n positions,
// 4 n d flop. The first time it computes each head's maximum and sum of weights. The second time it
// computes the mean of the weights over the heads, and the position with the largest mean. So it
// needs no memory for the weights of the whole source. A row that needs no alignment costs three
// dependent loads. So a launch without alignments takes little longer than an empty kernel.
#include "kernels/cuda/warp_attention.cuh"
#include "kernels/ops/align.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4;

static_assert(kTilePositions == kPagePositions);

// The maximum of a head's scores and the sum of its weights: a weight is exp2(score - max) / sum.
struct HeadScale {
  float max, sum;
};

template <class T, int kHeadClass>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kBlocksOfFourWarps<T, kHeadClass>)
    AlignRowsKernel(KvLayout layout, int layer, StepRows rows, CrossKvTables tables,
                    const SlotView* slots, const T* q) {
  AwaitKernelBefore();
  __shared__ HeadScale scales[kWarps][kMaxAttentionHeads];
  const int row = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.y);
  if (row >= *rows.count) return;
  const int slot = rows.slot[row];
  const SlotView& view = slots[slot];
  const SearchOptions& options = view.state->options;
  if (!options.align || options.alignment_layer != layer) return;

  const int warp_lane = static_cast<int>(threadIdx.x);
  const uint64_t heads = options.alignment_heads;
  const int length = tables.source_length[slot];
  const int32_t* pages = tables.pages + int64_t{slot} * tables.pages_per_slot;
  const T* const q_row = q + int64_t{row} * layout.width();
  HeadScale* const scale = scales[threadIdx.y];
  WarpAttention<T, kHeadClass, 1> attention(warp_lane, layout.head_dim);
  // Computes the scores of a tile with the query that SetQuery set last, one position to a thread.
  const auto scores = [&](int head, int tile) {
    const T* const k = static_cast<const T*>(tables.pool) +
                       int64_t{pages[tile / kTilePositions]} * layout.ElementsPerPage() +
                       layout.DeviceK(layer, head, 0);
    float score[1];
    attention.Scores(
        min(kTilePositions, length - tile),
        [&](int position) { return k + position * layout.head_dim; }, score);
    return score[0];
  };

  for (int head = 0; head < layout.heads; ++head) {
    if ((heads >> head & 1U) == 0) continue;
    attention.SetQuery(0, q_row + int64_t{head} * layout.head_dim);
    float max = -INFINITY;
    float sum = 0.0F;
    for (int tile = 0; tile < length; tile += kTilePositions) {
      const float score = scores(head, tile);
      const float top = fmaxf(max, WarpMax(score));
      sum = fmaf(sum, exp2f(max - top), exp2f(score - top));
      max = top;
    }
    sum = WarpSum(sum);
    if (warp_lane == 0) scale[head] = {max, sum};
  }
  __syncwarp();

  // The largest mean weight among the positions of this thread, and the position that has it. The
  // last position, EOS, does not count.
  float best = -1.0F;
  int best_at = 0;
  for (int tile = 0; tile < length - 1; tile += kTilePositions) {
    float mean = 0.0F;
    for (int head = 0; head < layout.heads; ++head) {
      if ((heads >> head & 1U) == 0) continue;
      attention.SetQuery(0, q_row + int64_t{head} * layout.head_dim);
      mean += exp2f(scores(head, tile) - scale[head].max) / scale[head].sum;
    }
    if (tile + warp_lane < length - 1 && mean > best) {
      best = mean;
      best_at = tile + warp_lane;
    }
  }
  for (int lanes = kWarpThreads / 2; lanes > 0; lanes /= 2) {
    const float other = __shfl_xor_sync(kWholeWarp, best, lanes);
    const int other_at = __shfl_xor_sync(kWholeWarp, best_at, lanes);
    if (other > best || (other == best && other_at < best_at)) {
      best = other;
      best_at = other_at;
    }
  }
  if (warp_lane == 0) {
    view.arrays.aligned[view.At(rows.lane[row], rows.position[row])] =
        static_cast<uint16_t>(best_at);
  }
}

}  // namespace

Error AlignRows(Stream stream, ComputeType type, const KvLayout& layout, int layer,
                const StepRows& rows, const CrossKvTables& tables, const SlotView* slots,
                const void* q) {
  if (layout.heads > kMaxAttentionHeads) return static_cast<Error>(cudaErrorInvalidValue);
  if (rows.rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    return ForHeadClass(layout.head_dim, [&](auto head_class) {
      const auto blocks = static_cast<unsigned>((rows.rows + kWarps - 1) / kWarps);
      return LaunchEarly(AlignRowsKernel<T, decltype(head_class)::kValue>, blocks,
                         dim3(kWarpThreads, kWarps), 0, stream, layout, layer, rows, tables, slots,
                         static_cast<const T*>(q));
    });
  });
}

}  // namespace dragoman::kernels::cuda
