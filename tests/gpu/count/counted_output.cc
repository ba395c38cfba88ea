#include "tests/gpu/count/counted_output.h"

#include <algorithm>
#include <cmath>

#include "kernels/ops/fused_parts.h"

namespace dragoman::bench {
namespace {

static_assert(kOutputTileColumns == kernels::kTileColumns);

// The kernel by wgmma (kernels/ops/output_layer_sm90.cu), measured on an H200: on 2026-11-26 with
// parts left out (fused-ablation.txt in tests/bench/results), on 2026-11-27 as it is
// (output_layer-after.json there: V 32,000 to 85,000, 128 to 4,096 rows). A cycle here is a
// microsecond / 1,750, whatever clock the card had.
//   products      Without copies and fold 4 tiles took 29 us and 15 took 84. At the full rate of
//                 the tensor cores an element of d would take 16 cycles.
//   fold          15 tiles took 121 us with bias, maximum and sum, and 90 without. Both
//                 warpgroups fold at the same time, so no product is beside it. Quantized products
//                 add scales, and the conversion of int8's sums. Both constants are fitted to the
//                 layer as it is.
//   candidates    Looking for them took 17, 25, 48 and 88 us of 2, 4, 15 and 57 tiles: as the
//                 square root of the tiles, because a list is the harder to enter the more it has
//                 seen. A warp looks in two halves of 8 rows, one after the other; 4 rows are in
//                 one half and took 9 us. For lists of four (k 1 to 4); longer ones take more.
//   first copies  Nothing is beside the copies of the hidden rows and of the first slabs: with
//                 them 4 tiles took 35 us and 15 took 91. Quantized ones take half. Fitted, too.
constexpr double kTileProductCycles = 17;
constexpr double kFoldCycles = 4100;
constexpr double kQuantizedFoldCycles = 1100;
constexpr double kCandidateCycles = 10700;  // of a half, for the square root of a tile
constexpr double kFirstCopyCycles = 10000;
constexpr int64_t kHalfRows = 8;

// The kernel by mma.sync (kernels/ops/output_layer_mma.cu), measured on an H200 on 2026-11-27,
// compiled for 9.0 (output_layer-mma.json, 128 to 4,096 rows). A slab of 32 takes a warp's matrix
// loads, of 512 bytes each at 128 a cycle, and the cycles in which shared memory takes the slab
// itself. The longer of those and the products took 1.42 times as long as counted so, and the fold
// 5,800 cycles of a tile with two warps on each scheduler; both are fitted to float16 and int8
// together. The look for candidates is the same text and taken to be as long.
//
// Assumed, and measured nowhere: that other cards take as many cycles for the fold and for
// candidates, and as much longer than the larger of their rates.
constexpr double kMmaSlabFactor = 1.42;
constexpr double kMmaFoldCycles = 2900;  // of a warp of a scheduler
// Quantized products cost a warp so many more, for scales and the conversion of int8's sums.
constexpr double kMmaQuantizedInstructions = 290 + 128;
constexpr int64_t kMmaWaves = 8;
constexpr int64_t kMmaWarpRows = 16;
constexpr int64_t kMmaSlab = 32;
constexpr double kMmaLoadCycles = 34 * 4;
constexpr double kMmaSlabCycles = 24576.0 / 128;
constexpr int kSchedulers = 4;  // of a multiprocessor, each with tensor cores

int64_t Divided(int64_t n, int64_t by) { return (n + by - 1) / by; }

// Tiles that a block has, and how many blocks a multiprocessor has, one after the other.
struct Share {
  int tiles;
  double blocks;
};

Share ShareOf(const OutputWork& work, int waves) {
  const int64_t row_blocks = Divided(work.rows, kOutputTileRows);
  const kernels::TileRanges ranges = kernels::DivideTiles(
      kernels::TilesOf(static_cast<int>(work.vocabulary)), row_blocks, work.multiprocessors, waves);
  const int64_t blocks = ranges.ranges * row_blocks;
  return {ranges.tiles, static_cast<double>(Divided(blocks, work.multiprocessors))};
}

double CandidateCycles(const OutputWork& work, int tiles) {
  const int64_t halves = std::min<int64_t>(2, Divided(work.rows, kHalfRows));
  return static_cast<double>(halves) * kCandidateCycles * std::sqrt(tiles);
}

// The share of products' time, and of bytes, that is left.
double Factor(const OutputWork& work) { return work.quantized ? 0.5 : 1; }

}  // namespace

double HopperOutputCycles(const OutputWork& work) {
  const Share share = ShareOf(work, 1);
  const double tile = Factor(work) * kTileProductCycles * static_cast<double>(work.d) +
                      kFoldCycles + (work.quantized ? kQuantizedFoldCycles : 0);
  return share.blocks * (Factor(work) * kFirstCopyCycles + share.tiles * tile +
                         CandidateCycles(work, share.tiles));
}

double MmaOutputCycles(const OutputWork& work, double flop_per_cycle, double issue_share) {
  const Share share = ShareOf(work, kMmaWaves);
  const int64_t warps = Divided(std::min(work.rows, kOutputTileRows), kMmaWarpRows);
  const auto of_scheduler = static_cast<double>(Divided(warps, kSchedulers));
  const double products = Factor(work) * of_scheduler * 2 *
                          static_cast<double>(kMmaWarpRows * kOutputTileColumns * work.d) /
                          (flop_per_cycle / kSchedulers);
  const int64_t slabs = work.d / kMmaSlab;
  const double shared = Factor(work) * static_cast<double>(slabs) *
                        (static_cast<double>(warps) * kMmaLoadCycles + kMmaSlabCycles);
  const double fold =
      of_scheduler *
      (kMmaFoldCycles + (work.quantized ? kMmaQuantizedInstructions / issue_share : 0));
  return share.blocks * (share.tiles * (kMmaSlabFactor * std::max(products, shared) + fold) +
                         CandidateCycles(work, share.tiles));
}

}  // namespace dragoman::bench
