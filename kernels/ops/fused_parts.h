// The parts that the fused output layer makes of a row, and how they become its summary: tiles of
// the vocabulary, their division among blocks, lists of best tokens spread over lanes. For host and
// device (output_fold.h has the ThreadGroup).
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/ops/output_fold.h"

namespace dragoman::kernels {

// The columns of a tile of the vocabulary. A row's sums are made per tile and merged in the order
// of the tiles, so the division of tiles among blocks does not change a result.
inline constexpr int kTileColumns = 256;

DRAGOMAN_HD constexpr int TilesOf(int vocabulary) {
  return (vocabulary + kTileColumns - 1) / kTileColumns;
}

// The division of a step's work: each block of rows is given to `ranges` blocks of threads, each
// with `tiles` adjacent tiles, the last with fewer.
struct TileRanges {
  int ranges = 1;
  int tiles = 1;
};

// Divides the tiles into ranges so that the processors finish all blocks soonest, with one block
// each at a time, in up to `waves` waves. Each range begins a list of best tokens, which counts as
// one more tile. One wave gives as many ranges as keep all processors busy at once.
constexpr TileRanges DivideTiles(int tiles, int64_t row_blocks, int processors, int waves) {
  TileRanges best;
  int64_t best_time = 0;
  for (int wave = 1; wave <= waves; ++wave) {
    const int64_t blocks = int64_t{wave} * processors;
    const int64_t share = row_blocks >= blocks ? 1 : blocks / row_blocks;
    const auto ranges = static_cast<int>(share < tiles ? share : tiles);
    const int each = (tiles + ranges - 1) / ranges;
    const TileRanges divided{(tiles + each - 1) / each, each};
    const int64_t rounds = (divided.ranges * row_blocks + processors - 1) / processors;
    const int64_t time = rounds * (each + 1);
    if (wave > 1 && time >= best_time) continue;
    best = divided;
    best_time = time;
  }
  return best;
}

// A lane's share of a list of best tokens that is spread over several lanes, in no order. A list
// that is not full holds entries of -inf, each with a unique token that no vocabulary has.
template <int kEntries>
struct BestShare {
  float score[kEntries];
  int32_t token[kEntries];

  DRAGOMAN_HD void Clear(int lane) {
    for (int i = 0; i < kEntries; ++i) {
      score[i] = -INFINITY;
      token[i] = INT32_MAX - 1 - (lane * kEntries + i);
    }
  }

  DRAGOMAN_HD static TokenScore FirstWorst() { return {-INFINITY, INT32_MAX - 1}; }

  // Returns the entry that is replaced first. The list's is the worst of all lanes'.
  DRAGOMAN_HD TokenScore Worst() const {
    TokenScore worst{score[0], token[0]};
    for (int i = 1; i < kEntries; ++i) {
      if (Better(worst, {score[i], token[i]})) worst = {score[i], token[i]};
    }
    return worst;
  }

  // Replaces the entry with token `of` by `x`, if this share has it.
  DRAGOMAN_HD void Replace(int32_t of, TokenScore x) {
    for (int i = 0; i < kEntries; ++i) {
      if (token[i] == of) {
        score[i] = x.score;
        token[i] = x.token;
      }
    }
  }
};

// The parts that the fused kernel makes of a row: (max, sum of exp) of every tile of the
// vocabulary, in order, and lists of best tokens in any order, -inf where a list was not full.
struct RowParts {
  const LogSum* sums = nullptr;  // [tiles]; max is NaN or +inf if a logit was
  int tiles = 0;
  const TokenScore* best = nullptr;  // [entries]
  int entries = 0;
};

inline constexpr int kMergeThreads = 128;
inline constexpr int kMergePerThread = 4;

// Makes the row's summary from its parts. The kernel has filled `summary.wanted`.
template <class ThreadGroup, int kThreads>
DRAGOMAN_HD void MergeParts(const ThreadGroup& group, FoldShared<kThreads>& shared,
                            const RowParts& parts, const LogitRequest& request,
                            LogitSummary& summary) {
  // Each member takes a run of tiles, so that the tree is over the vocabulary's order.
  const int run = (parts.tiles + group.size() - 1) / group.size();
  LogSum sum;
  bool bad = false;
  for (int i = group.rank() * run; i < (group.rank() + 1) * run && i < parts.tiles; ++i) {
    const LogSum tile = parts.sums[i];
    bad = bad || IsBadLogit(tile.max);
    Merge(sum, tile);
  }
  bad = group.Any(bad);
  StartBest(group, shared);
  const LogSum all = SumOfGroup(group, shared, sum);
  const int k = request.k < kMaxTopK ? request.k : kMaxTopK;
  const int stretch = kMergePerThread * group.size();
  for (int first = 0; k > 0 && first < parts.entries; first += stretch) {
    float x[kMergePerThread];
    int32_t token[kMergePerThread];
    for (int i = 0; i < kMergePerThread; ++i) {
      const int at = first + i * group.size() + group.rank();
      const TokenScore entry = at < parts.entries ? parts.best[at] : TokenScore{-INFINITY, 0};
      x[i] = entry.score;
      token[i] = entry.token;
    }
    TakeBest(group, shared, k, x, [&](int i) { return token[i]; });
  }
  GiveBest(group, shared, summary);
  if (group.rank() == 0) {
    summary.normaliser = request.need_normaliser && !bad ? all : LogSum{};
    summary.nan = bad;
  }
}

}  // namespace dragoman::kernels
