// Lists the row counts ("buckets") for which launches on a GPU are sized. A step or an encoder pass
// uses the smallest bucket that is at least its number of rows. The lists are fixed, so every
// product can be checked when the model is loaded.
//
// All lists are ascending.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/network/program.h"

namespace dragoman::engine {

// Returns the buckets of a step's rows. The last one is max_rows.
std::vector<int> StepBuckets(int max_rows);

// Returns the row count with which the matrix products of `rows` rows are computed: the smallest
// number of a fixed list that is at least `rows`. So the pinned algorithms and the last bits of
// scores do not depend on max_rows. Buffers have room for this row count. The rows beyond `rows`
// are computed and never read.
int ProductRows(int64_t rows);

// Returns the row counts of the products of all steps: every result of ProductRows up to 4,096, and
// ProductRows(max_rows) if it is larger.
std::vector<int> ProductBuckets(int max_rows);

// Returns the buckets of an encoder pass's tokens. The last one is `tokens`.
std::vector<int> EncoderBuckets(int64_t tokens);

// Returns the buckets of a chunk: at most `chunk` materialized rows of a step, whose logits are
// computed together.
std::vector<int> ChunkBuckets(int chunk);

// Returns the smallest bucket that is at least `rows`. REQUIRES: there is one.
int BucketFor(std::span<const int> buckets, int64_t rows);

// Returns the number of elements from one row of logits to the next, which is also the number of
// elements that are computed. Elements from `vocabulary` on are never read. cuBLASLt's fast kernels
// need both numbers to be multiples of 16 bytes.
constexpr int64_t LogitStride(int64_t vocabulary) { return (vocabulary + 7) / 8 * 8; }

// The number of CUDA graphs of steps. There is one for each combination of a bucket, a class and
// one of kWays variants. A class is a number of candidates per row (top K) that the fused output
// layer finds.
struct StepGraphs {
  // The numbers of candidates per row. Without a fused output layer there is only one class.
  static constexpr std::array<int, 3> kTopKClasses = {4, 8, 16};
  // A step runs with or without materialized rows, and with or without alignments.
  static constexpr size_t kWays = 4;

  static constexpr size_t Classes(bool fused) { return fused ? kTopKClasses.size() : 1; }
  static size_t Count(int max_rows, bool fused) {
    return StepBuckets(max_rows).size() * Classes(fused) * kWays;
  }
};

// An estimate of the device memory that a node of a CUDA graph takes. CUDA does not document this
// size. After the graphs are made, StepDevice::workspace_bytes includes their measured size
// instead.
inline constexpr int64_t kGraphNodeBytes = 4096;

// Estimates the bytes of all graphs. An operation of the program is one node; two if the layers'
// products are in int8. The launches of the search are kOtherNodes nodes.
inline int64_t StepGraphBytes(const Program& program, int max_rows, bool fused,
                              bool quantized_layers = false) {
  constexpr int64_t kOtherNodes = 12;
  const auto operations = static_cast<int64_t>(program.decoder.ops.size());
  const int64_t nodes = operations * (quantized_layers ? 2 : 1) + kOtherNodes;
  return static_cast<int64_t>(StepGraphs::Count(max_rows, fused)) * nodes * kGraphNodeBytes;
}

}  // namespace dragoman::engine
