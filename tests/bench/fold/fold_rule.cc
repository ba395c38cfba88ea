#include "tests/bench/fold/fold_rule.h"

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>

#include "kernels/ops/fused_parts.h"
#include "kernels/search/fold.h"

namespace dragoman::bench {
namespace {

constexpr int kLanes = 4;  // per row
constexpr int kHalfRows = 8;
constexpr int kWarps = 4;
constexpr int kWarpRows = 2 * kHalfRows;
constexpr size_t kGroupRows = kWarps * kWarpRows;

// The k best entries of a row, while the results of a range of tiles are merged into them.
class List {
 public:
  List(int k, float bound) : bound_(bound) {
    for (int i = 0; i < k; ++i) entries_.push_back({-INFINITY, INT32_MAX - 1 - i});
  }

  // Returns the score that a candidate must reach.
  float Needed() const { return std::max(bound_, Worst().score); }
  kernels::TokenScore Worst() const {
    return *std::max_element(entries_.begin(), entries_.end(),
                             [](const kernels::TokenScore& a, const kernels::TokenScore& b) {
                               return kernels::Better(a, b);
                             });
  }
  void Offer(const kernels::TokenScore& x) {
    auto worst = std::max_element(entries_.begin(), entries_.end(),
                                  [](const kernels::TokenScore& a, const kernels::TokenScore& b) {
                                    return kernels::Better(a, b);
                                  });
    if (x.score >= bound_ && kernels::Better(x, *worst)) *worst = x;
  }
  const std::vector<kernels::TokenScore>& entries() const { return entries_; }

 private:
  const float bound_;
  std::vector<kernels::TokenScore> entries_;
};

// Does what FoldTile does for one row. Returns the number of rounds that the row needs.
int FoldOneTile(std::span<const float> tile, int first, List* list) {
  std::vector<float> lanes[kLanes];
  std::vector<int> tokens[kLanes];
  float top = -INFINITY;
  for (size_t column = 0; column < tile.size(); ++column) {
    const size_t lane = column % 8 / 2;
    lanes[lane].push_back(tile[column]);
    tokens[lane].push_back(first + static_cast<int>(column));
    top = std::max(top, tile[column]);
  }
  // A tile must exceed the list's worst score, because the list's tokens are lower than the tile's.
  // Within a tile, an equal score may have the lower token.
  const bool open = top > list->Worst().score && top >= list->Needed();
  for (int rounds = 0;; ++rounds) {
    const float needed = std::max(list->Needed(), -FLT_MAX);
    kernels::TokenScore offered[kLanes];
    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      offered[lane] = {-INFINITY, INT_MAX};
      const auto best = std::max_element(lanes[lane].begin(), lanes[lane].end());
      if (!open || best == lanes[lane].end() || !(*best >= needed)) continue;
      any = true;
      offered[lane] = {*best, tokens[lane][static_cast<size_t>(best - lanes[lane].begin())]};
      *best = -INFINITY;
    }
    if (!any) return rounds;
    for (const kernels::TokenScore& x : offered) list->Offer(x);
  }
}

// Returns the score of the k-th best entry, or -inf if there are fewer.
float KthBest(std::vector<kernels::TokenScore> entries, int k) {
  std::sort(entries.begin(), entries.end(),
            [](const kernels::TokenScore& a, const kernels::TokenScore& b) {
              return kernels::Better(a, b);
            });
  return static_cast<size_t>(k) <= entries.size() ? entries[static_cast<size_t>(k) - 1].score
                                                  : -INFINITY;
}

}  // namespace

RowFold FoldRow(std::span<const float> logits, const FoldShape& shape, FoldRule rule) {
  const int tiles = kernels::TilesOf(static_cast<int>(logits.size()));
  const auto tile_of = [&](int tile) {
    const auto begin = static_cast<size_t>(tile * kernels::kTileColumns);
    return logits.subspan(begin, std::min<size_t>(kernels::kTileColumns, logits.size() - begin));
  };
  RowFold fold;
  float known = -INFINITY;
  if (rule == FoldRule::kKnown) {
    std::vector<kernels::TokenScore> all;
    for (size_t i = 0; i < logits.size(); ++i) all.push_back({logits[i], static_cast<int>(i)});
    known = KthBest(std::move(all), shape.k);
  }
  std::vector<kernels::TokenScore> found;
  for (int begin = 0; begin < tiles; begin += shape.tiles_per_range) {
    float bound = known;
    if (rule == FoldRule::kCarried) bound = KthBest(found, shape.k);
    if (rule == FoldRule::kLead && begin > 0) {
      List lead(shape.k, -INFINITY);
      fold.lead_rounds.push_back(FoldOneTile(tile_of(0), 0, &lead));
      bound = KthBest(lead.entries(), shape.k);
    }
    List list(shape.k, bound);
    for (int tile = begin; tile < std::min(tiles, begin + shape.tiles_per_range); ++tile) {
      fold.rounds.push_back(FoldOneTile(tile_of(tile), tile * kernels::kTileColumns, &list));
    }
    for (const kernels::TokenScore& entry : list.entries()) {
      if (entry.score > -INFINITY) found.push_back(entry);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const kernels::TokenScore& a, const kernels::TokenScore& b) {
              return kernels::Better(a, b);
            });
  found.resize(std::min(found.size(), static_cast<size_t>(shape.k)));
  fold.best = std::move(found);
  return fold;
}

FoldRounds CountRounds(std::span<const RowFold> rows) {
  FoldRounds all;
  int64_t folded = 0;   // tiles that warpgroups folded
  int64_t in_step = 0;  // of these, tiles of the vocabulary
  const auto count = [&](size_t group, auto rounds_of, size_t tiles) {
    for (size_t tile = 0; tile < tiles; ++tile) {
      int slowest = 0;
      for (int warp = 0; warp < kWarps; ++warp) {
        int halves[2] = {};
        for (int row = 0; row < kWarpRows; ++row) {
          int& half = halves[row / kHalfRows];
          const RowFold& fold = rows[group + static_cast<size_t>(warp * kWarpRows + row)];
          half = std::max(half, rounds_of(fold)[tile]);
        }
        slowest = std::max(slowest, halves[0] + halves[1]);
        all.warp += halves[0] + halves[1];
      }
      all.slowest_warp += slowest;
      all.quiet += slowest == 0 ? 1 : 0;
      ++folded;
    }
  };
  for (size_t group = 0; group + kGroupRows <= rows.size(); group += kGroupRows) {
    count(
        group, [](const RowFold& f) { return f.rounds.data(); }, rows[group].rounds.size());
    in_step += static_cast<int64_t>(rows[group].rounds.size());
    count(
        group, [](const RowFold& f) { return f.lead_rounds.data(); },
        rows[group].lead_rounds.size());
  }
  if (in_step == 0) return {};
  // The counts are per tile of the vocabulary, so that a rule pays for the tiles that it adds.
  const auto n = static_cast<double>(in_step);
  return {all.slowest_warp / n, all.warp / (kWarps * n), all.quiet / static_cast<double>(folded),
          static_cast<double>(folded - in_step) / n};
}

}  // namespace dragoman::bench
