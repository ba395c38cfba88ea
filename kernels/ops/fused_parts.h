// The parts that the fused output layer leaves of a row, and how they become its summary: tiles of
// the vocabulary, how they are divided among blocks, lists of best tokens spread over lanes.
//
// Host and device run this code (see output_fold.h for a ThreadGroup).
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/ops/output_fold.h"

namespace dragoman {

// The fused way goes over the vocabulary in tiles: a row's sums are made per tile and merged in
// their order, so that which block has which tiles never shows.
inline constexpr int kTileColumns = 256;

DRAGOMAN_HD constexpr int TilesOf(int vocabulary) {
  return (vocabulary + kTileColumns - 1) / kTileColumns;
}

// How the work of a step is put on processors: each block of rows is given to `ranges` blocks of
// threads, each with `tiles` tiles in a row, the last with fewer.
struct TileRanges {
  int ranges = 1;
  int tiles = 1;
};

// Divides the tiles into as many ranges as keep all processors busy at once and no more, because
// each range begins its list of best tokens anew.
constexpr TileRanges DivideTiles(int tiles, int64_t row_blocks, int processors) {
  const auto share = static_cast<int>(row_blocks >= processors ? 1 : processors / row_blocks);
  const int ranges = share < tiles ? share : tiles;
  const int each = (tiles + ranges - 1) / ranges;
  return {(tiles + each - 1) / each, each};
}

// A lane's share of a list of best tokens that is spread over several lanes, in no order. While the
// list is not full it holds entries of -inf, each with a token of its own that no vocabulary has.
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

  // The worst of a list just cleared.
  DRAGOMAN_HD static TokenScore FirstWorst() { return {-INFINITY, INT32_MAX - 1}; }

  // The one that goes first. The list's is the worst of all lanes'.
  DRAGOMAN_HD TokenScore Worst() const {
    TokenScore worst{score[0], token[0]};
    for (int i = 1; i < kEntries; ++i) {
      if (Better(worst, {score[i], token[i]})) worst = {score[i], token[i]};
    }
    return worst;
  }

  // Puts `x` in the place of the entry with this token, if that is here.
  DRAGOMAN_HD void Replace(int32_t of, TokenScore x) {
    for (int i = 0; i < kEntries; ++i) {
      if (token[i] == of) {
        score[i] = x.score;
        token[i] = x.token;
      }
    }
  }
};

// The parts that the fused kernel leaves of a row: (max, sum of exp) of every tile of the
// vocabulary, in order, and lists of best tokens in any order, -inf where a list was not full.
struct RowParts {
  const LogSum* sums = nullptr;  // [tiles]; max is NaN or +inf where a logit was
  int tiles = 0;
  const TokenScore* best = nullptr;  // [entries]
  int entries = 0;
};

inline constexpr int kMergeThreads = 32;

namespace fused_parts_internal {

constexpr int kAhead = 8;  // loads of a member before the first of them is needed

// The sum of a run of tiles. Whether one has a logit that none may be.
DRAGOMAN_HD inline bool SumOfRun(const RowParts& parts, int first, int end, LogSum* sum) {
  bool bad = false;
  for (int at = first; at < end; at += kAhead) {
    LogSum tile[kAhead];
    for (int i = 0; i < kAhead; ++i) tile[i] = parts.sums[at + i < end ? at + i : at];
    for (int i = 0; i < kAhead && at + i < end; ++i) {
      bad = bad || IsBadLogit(tile[i].max);
      Merge(*sum, tile[i]);
    }
  }
  return bad;
}

// The best of this member's share of the entries among those that come after `last`; -inf: none.
template <class ThreadGroup>
DRAGOMAN_HD TokenScore NextOfShare(const ThreadGroup& group, const RowParts& parts,
                                   TokenScore last) {
  TokenScore next{-INFINITY, INT32_MAX};
  for (int first = group.rank(); first < parts.entries; first += kAhead * group.size()) {
    TokenScore entry[kAhead];
    for (int i = 0; i < kAhead; ++i) {
      const int at = first + i * group.size();
      entry[i] = parts.best[at < parts.entries ? at : first];
    }
    for (int i = 0; i < kAhead; ++i) {
      if (Better(last, entry[i]) && Better(entry[i], next)) next = entry[i];
    }
  }
  return next;
}

// The best of the members' values, for every member. A Sync before and after.
// REQUIRES: the size of the group is a power of two.
template <class ThreadGroup, int kThreads>
DRAGOMAN_HD TokenScore BestOfGroup(const ThreadGroup& group, FoldShared<kThreads>& shared,
                                   TokenScore mine) {
  TokenScore* const pool = shared.pool;
  pool[group.rank()] = mine;
  group.Sync();
  for (int reach = group.size() / 2; reach > 0; reach /= 2) {
    if (group.rank() < reach && Better(pool[group.rank() + reach], pool[group.rank()])) {
      pool[group.rank()] = pool[group.rank() + reach];
    }
    group.Sync();
  }
  const TokenScore best = pool[0];
  group.Sync();
  return best;
}

}  // namespace fused_parts_internal

// Makes the row's summary of its parts; `summary.wanted` has been filled by the kernel. A warp is a
// group: a row has little to be merged, and what counts is how often its members wait.
// REQUIRES: the size of the group is a power of two.
template <class ThreadGroup, int kThreads>
DRAGOMAN_HD void MergeParts(const ThreadGroup& group, FoldShared<kThreads>& shared,
                            const RowParts& parts, const LogitRequest& request,
                            LogitSummary& summary) {
  using namespace fused_parts_internal;  // NOLINT(google-build-using-namespace)
  // Each member a run of tiles, so that the tree is over the vocabulary's order.
  const int run = (parts.tiles + group.size() - 1) / group.size();
  const int first = group.rank() * run;
  const int end = first + run < parts.tiles ? first + run : parts.tiles;
  LogSum sum;
  const bool bad = group.Any(SumOfRun(parts, first, end, &sum));
  const LogSum all = SumOfGroup(group, shared, sum);
  // The best one after the other, for they are few: only the member whose entry was taken looks again.
  const int k = request.k < kMaxTopK ? request.k : kMaxTopK;
  TokenScore mine = NextOfShare(group, parts, {INFINITY, -1});
  int count = 0;
  for (; count < k; ++count) {
    const TokenScore best = BestOfGroup(group, shared, mine);
    if (best.score == -INFINITY) break;
    if (group.rank() == 0) summary.top[count] = best;
    if (best.token == mine.token) mine = NextOfShare(group, parts, best);
  }
  if (group.rank() == 0) {
    summary.count = count;
    summary.normaliser = request.need_normaliser && !bad ? all : LogSum{};
    summary.nan = bad;
  }
}

}  // namespace dragoman
