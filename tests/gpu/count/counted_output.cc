#include "tests/gpu/count/counted_output.h"

#include <algorithm>
#include <cmath>

#include "kernels/ops/fused_parts.h"

namespace dragoman::bench {
namespace {

static_assert(kOutputTileColumns == kernels::kTileColumns);

// The kernel that uses wgmma (kernels/ops/output_layer_sm90.cu), as measured on an H200. On
// 2026-11-26 it was measured with parts left out (fused-ablation.txt in tests/bench/results). On
// 2026-11-27 it was measured as it is (output_layer-after.json there: V 32,000 to 85,000, 128 to
// 4,096 rows). A cycle here is 1/1,750 of a microsecond, no matter which clock rate the card had.
//   products      Without copies and fold, 4 tiles took 29 us and 15 tiles 84 us. At the full
//                 rate of the tensor cores, an element of d would take 16 cycles.
//   fold          15 tiles took 121 us with bias, maximum and sum, and 90 us without. Both
//                 warpgroups fold at the same time, so the fold does not overlap with products.
//                 Quantized products add scales and the conversion of int8's sums. Both constants
//                 are fitted to the complete layer.
//   candidates    The search for candidates took 17, 25, 48 and 88 us for 2, 4, 15 and 57 tiles.
//                 It grows with the square root of the number of tiles, because a new token enters
//                 a list less often the more tokens the list has seen. A warp searches two halves
//                 of 8 rows, one after the other. 4 rows are in one half and took 9 us. The times
//                 are for lists of four (k 1 to 4). Longer lists take more.
//   first copies  The copies of the hidden rows and of the first slabs overlap with nothing: with
//                 them 4 tiles took 35 us and 15 tiles 91 us. Quantized copies take half. This
//                 constant is fitted, too.
constexpr double kTileProductCycles = 17;
constexpr double kFoldCycles = 4100;
constexpr double kQuantizedFoldCycles = 1100;
constexpr double kCandidateCycles = 10700;  // of a half, times the square root of the tiles
constexpr double kFirstCopyCycles = 10000;
constexpr int64_t kHalfRows = 8;

// The kernel that uses mma.sync (kernels/ops/output_layer_mma.cu), as measured on an H200 on
// 2026-11-27, compiled for 9.0 (output_layer-mma.json, 128 to 4,096 rows). For a slab of 32
// elements, shared memory is busy with each warp's matrix loads (512 bytes each, at 128 bytes a
// cycle) and with storing the slab itself. The larger of this time and of the products' time had to
// be multiplied by 1.42 to match. The fold took 5,800 cycles a tile with two warps on each
// scheduler. Both numbers are fitted to float16 and int8 together. The code that searches for
// candidates is the same as above and is assumed to take as long.
//
// Two assumptions are measured nowhere: that other cards take as many cycles for the fold and for
// the candidates, and that the factor of 1.42 holds for them, too.
constexpr double kMmaSlabFactor = 1.42;
constexpr double kMmaFoldCycles = 2900;  // of one warp of a scheduler
// The instructions that quantized products add for a warp: scales, and the conversion of int8's
// sums.
constexpr double kMmaQuantizedInstructions = 290 + 128;
constexpr int64_t kMmaWaves = 8;
constexpr int64_t kMmaWarpRows = 16;
constexpr int64_t kMmaSlab = 32;
constexpr double kMmaLoadCycles = 34 * 4;
constexpr double kMmaSlabCycles = 24576.0 / 128;
constexpr int kSchedulers = 4;  // on each multiprocessor, each with its own tensor core

int64_t Divided(int64_t n, int64_t by) { return (n + by - 1) / by; }

// The number of tiles of a block, and the number of blocks that a multiprocessor runs one after the
// other.
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

// The share of time and bytes that quantized products take of what 16-bit products take.
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
