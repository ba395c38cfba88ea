// Estimates the cycles that the fused output layer takes on its multiprocessors, apart from its
// memory traffic: products, fold and the search for candidates, for each tile. Pure functions.
#pragma once

#include <cstdint>

namespace dragoman::bench {

inline constexpr int64_t kOutputTileRows = 128;  // of a block
inline constexpr int64_t kOutputTileColumns = 256;

struct OutputWork {
  int64_t rows = 0;
  int64_t d = 0;  // elements of a hidden row
  int64_t vocabulary = 0;
  bool quantized = false;  // the products' operands have one byte a number
  int multiprocessors = 0;
};

// Estimates the kernel that uses wgmma.
double HopperOutputCycles(const OutputWork& work);

// Estimates the kernel that uses mma.sync. `flop_per_cycle` is the rate of a multiprocessor's
// tensor cores. `issue_share` is the share of cycles in which a scheduler issues an instruction.
double MmaOutputCycles(const OutputWork& work, double flop_per_cycle, double issue_share);

}  // namespace dragoman::bench
