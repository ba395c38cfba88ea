// The fused output layer (output_layer_cuda.h) computes parts of a row. MergeParts makes the row's
// summary of them. A tile is a range of columns of the vocabulary. The parts are a sum for each
// tile, and lists of the best tokens. While a list is computed, it is spread over the lanes of a
// warp. For host and device; output_fold.h describes the ThreadGroup.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/ops/output_fold.h"

namespace dragoman::kernels {

// The number of columns of a tile of the vocabulary. A row has one sum for each tile, and the sums
// are merged in the order of the tiles. So the division of tiles among blocks does not change a
// result.
inline constexpr int kTileColumns = 256;

DRAGOMAN_HD constexpr int TilesOf(int vocabulary) {
  return (vocabulary + kTileColumns - 1) / kTileColumns;
}

// How the tiles of the vocabulary are divided among blocks of threads. Each block of rows has
// `ranges` blocks of threads. Each block of threads takes `tiles` adjacent tiles; the last one may
// take fewer.
struct TileRanges {
  int ranges = 1;
  int tiles = 1;
};

// Divides the tiles into ranges so that the processors finish all blocks of threads in the shortest
// estimated time. A processor runs one block at a time. The estimate counts tiles, and one more for
// each range, because a range begins a new list of best tokens. Compares the numbers of ranges that
// give every processor up to 1, 2, .. and `waves` blocks.
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

// The part of a list of best tokens that one lane holds. A list is spread over several lanes and
// has no order. A list that is not full has entries of -inf, each with a unique token beyond any
// vocabulary.
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

  // Returns the worst entry of this share. A better token replaces the worst entry of all lanes'
  // shares.
  DRAGOMAN_HD TokenScore Worst() const {
    TokenScore worst{score[0], token[0]};
    for (int i = 1; i < kEntries; ++i) {
      if (Better(worst, {score[i], token[i]})) worst = {score[i], token[i]};
    }
    return worst;
  }

  // If this share has an entry with token `of`, replaces it by `x`.
  DRAGOMAN_HD void Replace(int32_t of, TokenScore x) {
    for (int i = 0; i < kEntries; ++i) {
      if (token[i] == of) {
        score[i] = x.score;
        token[i] = x.token;
      }
    }
  }
};

// The parts of one row. `sums` has (max, sum of exp) of every tile of the vocabulary, in order.
// `best` has the lists of best tokens, one after another. A list has no order, and has entries of
// -inf if it was not full.
struct RowParts {
  const LogSum* sums = nullptr;  // [tiles]; max is NaN or +inf if a logit of the tile was
  int tiles = 0;
  const TokenScore* best = nullptr;  // [entries]
  int entries = 0;
};

inline constexpr int kMergeThreads = 128;
inline constexpr int kMergePerThread = 4;

// Computes the row's summary from its parts. REQUIRES: the kernel that computed the parts has
// filled `summary.wanted`.
template <class ThreadGroup, int kThreads>
DRAGOMAN_HD void MergeParts(const ThreadGroup& group, FoldShared<kThreads>& shared,
                            const RowParts& parts, const LogitRequest& request,
                            LogitSummary& summary) {
  // Each thread takes a run of adjacent tiles. So SumOfGroup merges tiles in the order of the
  // vocabulary.
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
