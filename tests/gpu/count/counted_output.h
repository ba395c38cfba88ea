// Cycles that the fused output layer takes on its multiprocessors, beside what it reads: products,
// fold and the look for candidates, tile after tile. Pure.
#pragma once

#include <cstdint>

namespace dragoman::bench {

inline constexpr int64_t kOutputTileRows = 128;  // of a block
inline constexpr int64_t kOutputTileColumns = 256;

struct OutputWork {
  int64_t rows = 0;
  int64_t d = 0;  // elements of a hidden row
  int64_t vocabulary = 0;
  bool quantized = false;  // products of one byte a number
  int multiprocessors = 0;
};

// Counts the kernel by wgmma.
double HopperOutputCycles(const OutputWork& work);

// Counts the kernel by mma.sync on a multiprocessor whose tensor cores do `flop_per_cycle`, and
// whose schedulers issue an instruction in a share of their cycles.
double MmaOutputCycles(const OutputWork& work, double flop_per_cycle, double issue_share);

}  // namespace dragoman::bench
