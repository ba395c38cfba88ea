// A model of the fused output layer's search for the best tokens. It counts the rounds of a warp
// per tile under rules that differ in what a row knows at the start.
//
// A round is one iteration of the loop of FoldTile (kernels/ops/output_epilogue.cuh): each lane of
// a row removes the best of its columns if that column may still enter the list. A warp makes as
// many rounds as its slowest row, and a warpgroup waits for the slowest of its four warps. The
// order of columns on lanes, the ties and the list equal those of the kernel, so that a rule can be
// evaluated without a GPU. A rule must not change any list.
//
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/search/row.h"

namespace dragoman::bench {

// The assumed value of a row's K-th best at the start of a range of tiles: a lower bound over the
// whole vocabulary, so no token of the list is lost. A token equal to the bound may enter.
enum class FoldRule : uint8_t {
  kNone,     // no bound: every range starts an empty list
  kCarried,  // the K-th best of the previous ranges
  kLead,     // that of the row's first tile, which every range folds again for this
  kKnown,    // the K-th best of the whole row: the optimum for any rule
};

struct FoldShape {
  int k = 4;
  int tiles_per_range = 1;
};

struct RowFold {
  std::vector<int> rounds;       // of every tile of the vocabulary, in order
  std::vector<int> lead_rounds;  // kLead: of the first tile, again for each range except the first
  std::vector<kernels::TokenScore> best;  // of all ranges, best first, K entries
};

// Folds the tiles of one row. REQUIRES: no NaN, no +inf.
RowFold FoldRow(std::span<const float> logits, const FoldShape& shape, FoldRule rule);

struct FoldRounds {
  double slowest_warp = 0;  // mean rounds per tile of the slowest of four warps, both halves
  double warp = 0;          // of any warp
  double quiet = 0;         // share of tiles in which the slowest warp makes none
  double more_tiles = 0;    // tiles folded in addition to the vocabulary's, as a share of these
};

// Counts the rounds of consecutive complete warpgroups of 64 rows. Row r of a warpgroup is row r %
// 16 of warp r / 16. A warp folds its rows 0..7 first, then its rows 8..15.
FoldRounds CountRounds(std::span<const RowFold> rows);

}  // namespace dragoman::bench
