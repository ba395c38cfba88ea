// The fused output layer's search for the best tokens as a model: how many rounds a warp makes in a
// tile, by rules that differ in what a row knows before it begins.
//
// A round is one turn of the loop of FoldTile (kernels/ops/output_epilogue.cuh): each lane of a row
// takes out the best of its columns if that may still enter the list. A warp makes as many as the
// slowest of its rows; of a warpgroup's four warps the slowest is waited for. The order of columns
// on lanes, ties and the list are those of the kernel, so that a rule that is proposed can be judged
// without a GPU; a rule must leave every list as it is.
//
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/search/row.h"

namespace dragoman::bench {

// The value that a row's K-th best is assumed to have when a range of tiles begins. Each is a lower
// bound of it in the whole vocabulary, so that no token of the list is ever kept away; a token that
// is equal to it may still enter.
enum class FoldRule : uint8_t {
  kNone,     // nothing: every range begins its list anew
  kCarried,  // the K-th best of the ranges before
  kLead,     // that of the row's first tile, which every range folds once more for this
  kKnown,    // the K-th best of the row itself: what no rule can beat
};

struct FoldShape {
  int k = 4;
  int tiles_per_range = 1;
};

struct RowFold {
  std::vector<int> rounds;  // of every tile of the vocabulary, in order
  std::vector<int>
      lead_rounds;  // kLead: of the first tile, once more, for each range but the first
  std::vector<kernels::TokenScore> best;  // of all ranges, best first: K of them
};

// The tiles of one row. REQUIRES: no NaN, no +inf.
RowFold FoldRow(std::span<const float> logits, const FoldShape& shape, FoldRule rule);

struct FoldRounds {
  double slowest_warp = 0;  // rounds a tile of the slowest of four warps, both halves: the mean
  double warp = 0;          // of any warp
  double quiet = 0;         // share of the tiles in which the slowest warp makes none
  double more_tiles = 0;    // folded beyond those of the vocabulary, as a share of them
};

// Counts the rounds of warpgroups of 64 rows, one after the other; rows that do not fill one are
// left out. Row r of a warpgroup is row r % 16 of warp r
// 16; its rows 0..7 are one half, 8..15 the other, which a warp folds one after the other.
FoldRounds CountRounds(std::span<const RowFold> rows);

}  // namespace dragoman::bench
