// The epilogue of the fused output layer (output_layer_sm90.cu, output_layer_mma.cu): what a warp
// does with the logits of a tile in its registers. It adds the bias, multiplies by the row's scale,
// handles the ids that the row's request lists, computes the maximum and the sum of exp, and finds
// candidates for the best tokens. MergeRow then merges the results of a row's tiles to the row's
// summary. Tests can run this code on the host.
//
// A tile is kTileColumns columns of the vocabulary. The four lanes of a quad (lanes 4 q .. 4 q + 3
// of the warp) hold two rows, `half` 0 and 1. A lane has columns 8 g + 2 lane + {0, 1}, g = 0..31,
// of each row, in x[4 g + 2 half + {0, 1}]. `lane` is the number within the quad, 0..3. All 32
// lanes run all code.
//
// A logit costs an add, a multiplication unless the scales of the warp's rows are 1, and a maximum.
// The normaliser costs another multiply-add, an ex2 and an add. A row looks for candidates only if
// the tile's maximum beats the worst entry of the row's list. Then each lane repeatedly removes its
// best logit, which it finds through the maxima of eight groups of columns.
#pragma once

#include <cfloat>
#include <climits>
#include <cstdint>

#include "kernels/base/kv_pages.h"
#include "kernels/cuda/fold_threads.cuh"
#include "kernels/ops/fused_parts.h"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels::cuda {

inline constexpr uint32_t kAllLanes = 0xffffffffU;

// Returns the larger number, or NaN if either is NaN, so that a NaN among the logits is detected.
__device__ inline float MaxOrNan(float a, float b) {
#ifdef __CUDA_ARCH__
  float max;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(max) : "f"(a), "f"(b));
  return max;
#else
  return a > b || a != a ? a : b;
#endif
}

__device__ inline float QuadMaxOrNan(float x) {
  x = MaxOrNan(x, __shfl_xor_sync(kAllLanes, x, 1));
  return MaxOrNan(x, __shfl_xor_sync(kAllLanes, x, 2));
}

__device__ inline float QuadSum(float x) {
  x += __shfl_xor_sync(kAllLanes, x, 1);
  return x + __shfl_xor_sync(kAllLanes, x, 2);
}

__device__ inline int QuadMin(int x) {
  x = min(x, __shfl_xor_sync(kAllLanes, x, 1));
  return min(x, __shfl_xor_sync(kAllLanes, x, 2));
}

__device__ inline TokenScore QuadWorst(TokenScore mine) {
#pragma unroll
  for (int reach = 1; reach <= 2; reach *= 2) {
    const TokenScore other{__shfl_xor_sync(kAllLanes, mine.score, reach),
                           __shfl_xor_sync(kAllLanes, mine.token, reach)};
    if (Better(mine, other)) mine = other;
  }
  return mine;
}

// The parameters of the kernels of a step, the same for all blocks. Code reads them from here,
// because there are no registers for copies.
struct FusedWork {
  StepRows rows;
  const SlotView* slots = nullptr;
  const LogitRequest* requests = nullptr;
  LogitSummary* summaries = nullptr;
  // The bias of each column up to the end of the last tile; -inf after the vocabulary's end.
  // Aligned to 8 bytes.
  const float* bias = nullptr;
  int tiles = 0;
  TileRanges ranges;
  LogSum* sums = nullptr;      // [rows, tiles] (max, sum of exp)
  TokenScore* best = nullptr;  // [rows, ranges, entries of a list] best tokens
};

// Reports whether the fused method computes this row: the row is one of the step's *work.rows.count
// rows, and the options of its segment allow it.
__device__ inline bool IsOurs(const FusedWork& work, int row) {
  return row < *work.rows.count && MayFuse(work.slots[work.rows.slot[row]].state->options);
}

// The state of a row in each lane of its quad.
template <int kEntries>
struct EpilogueRow {
  int row = -1;  // the row's number; -1: there is no row, and its logits are ignored
  BestShare<kEntries> best;
  // The worst entry of the row's list, which a candidate must beat. Its score is +inf if the row
  // needs no best tokens.
  TokenScore worst;
  // Masked and wanted ids must not enter the list of best tokens. barred_anywhere: a list of such
  // ids is too long for VisitIds, so every tile may contain such an id. barred_here: this tile may
  // contain such an id. If it may, the lists are searched for each candidate, which takes several
  // dependent loads.
  bool barred_anywhere = false;
  bool barred_here = false;

  // Each of the four lanes reads one list of ids in ascending order: excluded, masked (two lists,
  // if IsVisited) or wanted. These are the next id of this lane's list (INT_MAX after the last one)
  // and the index of this id in the list.
  int next_id = INT_MAX;
  int next_place = 0;
};

inline constexpr int kWantedLane = 3;
inline constexpr uint32_t kWantedBit = 1U << kWantedLane;
inline constexpr uint32_t kMaskedBits = 0b0110U;

// VisitIds must visit ids that are masked before the softmax, because their logits become -inf.
// Other masked ids must only not become candidates. VisitIds also visits a list of up to this many
// of them, because that costs less than a search of the list for every candidate.
constexpr int kFewMasked = 8;

__device__ inline bool IsVisited(const LogitRequest& request, const IdList& masked) {
  return request.mask_first || masked.count <= kFewMasked;
}

__device__ inline IdList ListOfLane(const LogitRequest& request, int lane) {
  if (lane == 0) return request.excluded;
  if (lane == kWantedLane) return request.wanted;
  const IdList& masked = request.masked[lane - 1];
  return IsVisited(request, masked) ? masked : IdList{};
}

template <int kEntries>
__device__ inline void NextId(const LogitRequest& request, EpilogueRow<kEntries>& row, int lane) {
  const IdList list = ListOfLane(request, lane);
  row.next_id = row.next_place < list.count ? list.ids[row.next_place] : INT_MAX;
}

// Resets the state: no entry is in `best`, and no entry beats `worst`.
template <int kEntries>
__device__ inline void ClearRow(EpilogueRow<kEntries>& row, int lane) {
  row.best.Clear(lane);
  row.worst = {INFINITY, 0};
}

// Sets a cleared state to that of row `number`. Each list of ids is read from its first id that is
// at least `first`.
template <int kEntries>
__device__ inline void StartRow(EpilogueRow<kEntries>& row, const FusedWork& work, int number,
                                int first, int lane) {
  const LogitRequest& request = work.requests[number];
  row.row = number;
  if (request.k > 0) row.worst = BestShare<kEntries>::FirstWorst();
  for (const IdList& masked : request.masked) {
    row.barred_anywhere = row.barred_anywhere || !IsVisited(request, masked);
  }
  row.next_place = FirstAtLeast(ListOfLane(request, lane), first);
  NextId(request, row, lane);
}

// Returns the row's scale. The scale is read again for each tile, together with the bias, because
// there is no register to keep it.
template <int kEntries>
__device__ inline float ScaleOf(const EpilogueRow<kEntries>& row, const FusedWork& work) {
  return row.row >= 0 ? __ldg(&work.requests[row.row].scale) : 1.0F;
}

// Visits the ids in the row's lists that are in this tile, that is, below `end`. Sets the logits of
// excluded ids to -inf, and those of masked ids if the mask acts before the softmax. Stores the
// logits of wanted ids. If there is a masked or wanted id, sets barred_here. Takes one iteration
// for each id; there are only a few.
template <int half, int kEntries>
__device__ inline void VisitIds(float (&x)[128], EpilogueRow<kEntries>& row, const FusedWork& work,
                                int first, int end, int lane) {
  row.barred_here = row.barred_anywhere;
  while (__any_sync(kAllLanes, row.next_id < end)) {
    const int id = QuadMin(row.next_id);
    const bool mine = row.next_id == id && id < end;
    const uint32_t lists = __ballot_sync(kAllLanes, mine) >> (threadIdx.x % 32 & ~3U) &
                           0xfU;  // bit l: list l contains `id`
    row.barred_here = row.barred_here || (lists & (kMaskedBits | kWantedBit)) != 0;
    const bool strike =
        (lists & 1U) != 0 || ((lists & kMaskedBits) != 0 && work.requests[row.row].mask_first);
    const int place = __shfl_sync(kAllLanes, row.next_place, kWantedLane, 4);
    // The column of `id` within the tile, minus this lane's first column. This lane has the column
    // if the difference is 8 g or 8 g + 1 for some g.
    const int column = id < end ? id - first - 2 * lane : -1;
    const bool here = column >= 0 && column % 8 < 2;
    float value = 0.0F;
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      float& logit = x[i / 2 * 4 + half * 2 + i % 2];
      const bool that = column == i / 2 * 8 + i % 2;
      logit = that && strike ? -INFINITY : logit;
      value = that ? logit : value;
    }
    if (here && (lists & kWantedBit) != 0) work.summaries[row.row].wanted[place] = value;
    if (mine) {
      ++row.next_place;
      NextId(work.requests[row.row], row, lane);
    }
  }
}

// Folds the tile's logits of one row: computes their maximum, their sum of exp if `with_sum`, and
// the best tokens. Overwrites x. `first` is the tile's first column. `with_sum` is the same for all
// lanes. The argument of exp has a rounding error of half an ulp of the maximum. For logits below
// 16 this changes the sum by 1e-6 of its value.
template <int half, int kEntries>
__device__ inline void FoldTile(float (&x)[128], EpilogueRow<kEntries>& row, const FusedWork& work,
                                int tile, int first, bool with_sum, int lane) {
  constexpr int kGroups = 8;
  constexpr int kColumns = 8;  // the number of this lane's columns in a group
  const auto at = [](int group, int i) {
    return (group * kColumns + i) / 2 * 4 + half * 2 + i % 2;
  };
  float maxima[kGroups];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    maxima[g] = x[at(g, 0)];
#pragma unroll
    for (int i = 1; i < kColumns; ++i) maxima[g] = MaxOrNan(maxima[g], x[at(g, i)]);
  }
  LogSum sum;
  sum.max = maxima[0];
#pragma unroll
  for (int g = 1; g < kGroups; ++g) sum.max = MaxOrNan(sum.max, maxima[g]);
  sum.max = QuadMaxOrNan(sum.max);
  if (with_sum) {
    float max = sum.max * kLog2OfE;
    if (max == INFINITY) sum.max = INFINITY;  // a logit was +inf, which is as bad as NaN
    max = fmaxf(max, -FLT_MAX);               // -inf minus -inf would be NaN
    float sums[4] = {};  // four sums, so that an addition need not wait for the previous one
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      sums[i % 4] += FoldExp2(fmaf(x[i / 2 * 4 + half * 2 + i % 2], kLog2OfE, -max));
    }
    sum.sum = QuadSum((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
  if (lane == 0 && row.row >= 0) work.sums[int64_t{row.row} * work.tiles + tile] = sum;

  // Tiles are folded in ascending order. So a token whose score equals that of the list's worst
  // entry has a higher number, and does not enter the list.
  const bool open = sum.max > row.worst.score && sum.max < INFINITY;
  for (;;) {
    float mine = maxima[0];
#pragma unroll
    for (int g = 1; g < kGroups; ++g) mine = fmaxf(mine, maxima[g]);
    // Here the worst entry may be from the same tile. A logit with the same score may then have a
    // lower token number, so it is a candidate, and `Better` decides.
    const bool has = open && mine >= fmaxf(row.worst.score, -FLT_MAX);
    if (!__any_sync(kAllLanes, has)) return;
    TokenScore candidate{-INFINITY, INT_MAX};
    bool searching = has;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const bool here = searching && maxima[g] == mine;
      if (!__any_sync(kAllLanes, here)) continue;
      int found = here ? -1 : kColumns;  // the first column with the maximum
      float rest = -INFINITY;
#pragma unroll
      for (int i = 0; i < kColumns; ++i) {
        float& logit = x[at(g, i)];
        const bool that = found < 0 && logit == mine;
        found = that ? i : found;
        logit = that ? -INFINITY : logit;
        rest = fmaxf(rest, logit);
      }
      if (here) {
        const int column = (g * kColumns + found) / 2 * 8 + 2 * lane + found % 2;
        candidate = {mine, first + column};
        maxima[g] = rest;
        searching = false;
      }
    }
    if (has && row.barred_here && !MayBeBest(work.requests[row.row], candidate.token)) {
      candidate = {-INFINITY, INT_MAX};
    }
#pragma unroll
    for (int from = 0; from < 4; ++from) {
      const TokenScore offered{__shfl_sync(kAllLanes, candidate.score, from, 4),
                               __shfl_sync(kAllLanes, candidate.token, from, 4)};
      const bool enters = Better(offered, row.worst);
      if (!__any_sync(kAllLanes, enters)) continue;
      if (enters) row.best.Replace(row.worst.token, offered);
      const TokenScore worst = QuadWorst(row.best.Worst());
      if (enters) row.worst = worst;  // a row that asks for no best tokens keeps +inf
    }
  }
}

// Folds the tiles of range `range` for the rows `first_row` and first_row + 8. The four lanes of a
// quad hold these two rows. multiply(tile, x) writes the products of a tile to x. It returns false
// in all lanes if none of the warp's rows exists. A row's list has 4 * kEntries entries.
template <int kEntries, class Multiply>
__device__ inline void FoldRange(const FusedWork& work, int first_row, int range, int lane,
                                 Multiply multiply) {
  const int first_tile = range * work.ranges.tiles;
  const int end_tile = min(work.tiles, first_tile + work.ranges.tiles);
  EpilogueRow<kEntries> rows[2];
  bool needs_sum = false;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = first_row + 8 * half;
    ClearRow(rows[half], lane);
    if (!IsOurs(work, row)) continue;
    StartRow(rows[half], work, row, first_tile * kTileColumns, lane);
    needs_sum = needs_sum || work.requests[row].need_normaliser;
  }
  const bool with_sum = __any_sync(kAllLanes, needs_sum);

  float x[128];
  for (int tile = first_tile; tile < end_tile; ++tile) {
    if (!multiply(tile, x)) continue;
    const int first = tile * kTileColumns;
    const float* bias = work.bias + first + 2 * lane;
#pragma unroll
    for (int g = 0; g < 32; ++g) {
      const float2 b = __ldg(reinterpret_cast<const float2*>(bias + 8 * g));
      x[4 * g] += b.x;
      x[4 * g + 1] += b.y;
      x[4 * g + 2] += b.x;
      x[4 * g + 3] += b.y;
    }
    const float scales[2] = {ScaleOf(rows[0], work), ScaleOf(rows[1], work)};
    if (__any_sync(kAllLanes, scales[0] != 1.0F || scales[1] != 1.0F)) {
#pragma unroll
      for (int i = 0; i < 128; ++i) x[i] *= scales[i / 2 % 2];
    }
    VisitIds<0>(x, rows[0], work, first, first + kTileColumns, lane);
    VisitIds<1>(x, rows[1], work, first, first + kTileColumns, lane);
    FoldTile<0>(x, rows[0], work, tile, first, with_sum, lane);
    FoldTile<1>(x, rows[1], work, tile, first, with_sum, lane);
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (rows[half].row < 0) continue;
    const int64_t list = int64_t{rows[half].row} * work.ranges.ranges + range;
    TokenScore* const best = work.best + (list * 4 + lane) * kEntries;
#pragma unroll
    for (int i = 0; i < kEntries; ++i) {
      best[i] = {rows[half].best.score[i], rows[half].best.token[i]};
    }
  }
}

// Computes the summary of a row from its parts (fused_parts.h), with the kMergeThreads threads of a
// block. `memory` is shared memory of sizeof(FoldShared<kMergeThreads>) bytes.
__device__ inline void MergeRow(const FusedWork& work, int row, int list_entries, void* memory) {
  if (!IsOurs(work, row)) return;
  const int entries = work.ranges.ranges * list_entries;
  const RowParts parts{work.sums + int64_t{row} * work.tiles, work.tiles,
                       work.best + int64_t{row} * entries, entries};
  MergeParts(FoldThreads<kMergeThreads>(), *static_cast<FoldShared<kMergeThreads>*>(memory), parts,
             work.requests[row], work.summaries[row]);
}

}  // namespace dragoman::kernels::cuda
