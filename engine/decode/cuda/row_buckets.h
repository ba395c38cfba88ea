// The row counts for which a device's launches are made. A step or a pass uses the least bucket
// that holds its rows. The list is fixed, so that a load can check every product.
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

// Returns the buckets of a step's rows. The last is max_rows.
std::vector<int> StepBuckets(int max_rows);

// Returns the row count of the products of a step, or of a chunk, of `rows` rows: the next one of a
// fixed list. So the pinned algorithms and the last bits of scores do not depend on max_rows.
// Buffers have this many rows. The rows beyond `rows` are computed and never read.
int ProductRows(int64_t rows);

// Returns all row counts of products of steps of up to max_rows: the same list up to 4,096.
std::vector<int> ProductBuckets(int max_rows);

// Returns the buckets of an encoder pass's tokens. The last is `tokens`.
std::vector<int> EncoderBuckets(int64_t tokens);

// Returns the buckets of a chunk of at most `chunk` materialized rows of a step.
std::vector<int> ChunkBuckets(int chunk);

// Returns the least bucket that holds `rows`. REQUIRES: there is one.
int BucketFor(std::span<const int> buckets, int64_t rows);

// Returns the stride and the computed width of a row of logits, in elements. Elements beyond the
// vocabulary are never read. cuBLASLt's fast kernels need multiples of 16 bytes for both.
constexpr int64_t LogitStride(int64_t vocabulary) { return (vocabulary + 7) / 8 * 8; }

// The graphs of steps: one for each bucket, class of candidates and way of a step.
struct StepGraphs {
  // The instantiations of the fused output layer. Without it there is one class.
  static constexpr std::array<int, 3> kTopKClasses = {4, 8, 16};
  static constexpr size_t kWays = 4;  // with or without materialized rows, and alignments

  static constexpr size_t Classes(bool fused) { return fused ? kTopKClasses.size() : 1; }
  static size_t Count(int max_rows, bool fused) {
    return StepBuckets(max_rows).size() * Classes(fused) * kWays;
  }
};

// The estimated device memory of a graph's node, because CUDA does not document it. The measured
// size of the graphs replaces the estimate in StepDevice::workspace_bytes.
inline constexpr int64_t kGraphNodeBytes = 4096;

// Estimates the bytes of all graphs. An operation is one node, or two if the layers' products are
// in int8. The search has some more.
inline int64_t StepGraphBytes(const Program& program, int max_rows, bool fused,
                              bool quantized_layers = false) {
  constexpr int64_t kOtherNodes = 12;
  const auto operations = static_cast<int64_t>(program.decoder.ops.size());
  const int64_t nodes = operations * (quantized_layers ? 2 : 1) + kOtherNodes;
  return static_cast<int64_t>(StepGraphs::Count(max_rows, fused)) * nodes * kGraphNodeBytes;
}

}  // namespace dragoman::engine
