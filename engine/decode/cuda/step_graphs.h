// How many graphs of steps a device holds, and what they are expected to take of its memory.
//
// Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/decode/cuda/row_buckets.h"
#include "engine/network/program.h"

namespace dragoman {

// A graph for each bucket, class of candidates and way of a step.
struct StepGraphs {
  // The instantiations of the fused output layer; without it one class.
  static constexpr std::array<int, 3> kTopKClasses = {4, 8, 16};
  static constexpr size_t kWays = 4;  // stored rows or none, alignments or none

  static constexpr size_t Classes(bool fused) { return fused ? kTopKClasses.size() : 1; }
  static size_t Count(int max_rows, bool fused) {
    return StepBuckets(max_rows).size() * Classes(fused) * kWays;
  }
};

// Bytes of one node of a graph in the memory of the device. This is an allowance, because CUDA does
// not document what a graph takes and it has not been measured on a card yet. What the graphs did
// take is measured at the start (StepDevice::workspace_bytes) and replaces this in the accounts.
inline constexpr int64_t kGraphNodeBytes = 4096;

// Bytes of all the graphs: an operation is a node, or two, and the search has some more.
inline int64_t StepGraphBytes(const Program& program, int max_rows, bool fused) {
  constexpr int64_t kOtherNodes = 12;
  const auto nodes = static_cast<int64_t>(program.decoder.ops.size()) + kOtherNodes;
  return static_cast<int64_t>(StepGraphs::Count(max_rows, fused)) * nodes * kGraphNodeBytes;
}

}  // namespace dragoman
