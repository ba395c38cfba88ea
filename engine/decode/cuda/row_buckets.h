// Row counts for which a device's launches are made: a step or a pass takes the next one that holds
// its rows. A fixed list, so that every product of every bucket is known, and checked, at load. And the
// graphs that there are of them.
//
// Pure. Lists are ascending.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/network/program.h"

namespace dragoman::engine {

// The buckets of a step's rows; the last is max_rows.
std::vector<int> StepBuckets(int max_rows);

// The row count with which the products of a step of `rows`, or of a chunk of its rows, are made:
// the next of a fixed list. So the counts that a product is tried with, the algorithm that is
// pinned for all of them and the last bit of a score do not depend on max_rows. Buffers have room
// for so many rows; those beyond the step's rows are computed and never read.
int ProductRows(int64_t rows);

// All of them for steps of up to max_rows: one list for every max_rows up to 4,096.
std::vector<int> ProductBuckets(int max_rows);

// The buckets of an encoder pass's tokens; the last is `tokens`.
std::vector<int> EncoderBuckets(int64_t tokens);

// And for the chunks of at most `chunk` rows into which the materialized rows of a step are cut.
std::vector<int> ChunkBuckets(int chunk);

// The least bucket that holds `rows`. REQUIRES: there is one.
int BucketFor(std::span<const int> buckets, int64_t rows);

// Elements from one row of logits to the next, and of a row that are computed: those beyond the vocabulary
// are never read. cuBLASLt's fast kernels want multiples of 16 bytes of both.
constexpr int64_t LogitStride(int64_t vocabulary) { return (vocabulary + 7) / 8 * 8; }

// The following say how many graphs of steps a device holds, and what they are expected to take of its
// memory.
//
// A graph for each bucket, class of candidates and way of a step.
struct StepGraphs {
  // The instantiations of the fused output layer; without it one class.
  static constexpr std::array<int, 3> kTopKClasses = {4, 8, 16};
  static constexpr size_t kWays = 4;  // materialized rows or none, alignments or none

  static constexpr size_t Classes(bool fused) { return fused ? kTopKClasses.size() : 1; }
  static size_t Count(int max_rows, bool fused) {
    return StepBuckets(max_rows).size() * Classes(fused) * kWays;
  }
};

// Bytes of one node of a graph in the memory of the device: an allowance, for CUDA does not document what a
// graph takes. What the graphs did take is measured at the start (StepDevice::workspace_bytes) and
// replaces this in the accounts.
inline constexpr int64_t kGraphNodeBytes = 4096;

// Bytes of all the graphs: an operation is a node, or two, where the layers' products are in int8 one more,
// and the search has some more.
inline int64_t StepGraphBytes(const Program& program, int max_rows, bool fused,
                              bool quantized_layers = false) {
  constexpr int64_t kOtherNodes = 12;
  const auto operations = static_cast<int64_t>(program.decoder.ops.size());
  const int64_t nodes = operations * (quantized_layers ? 2 : 1) + kOtherNodes;
  return static_cast<int64_t>(StepGraphs::Count(max_rows, fused)) * nodes * kGraphNodeBytes;
}

}  // namespace dragoman::engine
