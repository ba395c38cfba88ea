// Row counts for which a device's launches are made: a step or a pass takes the next one that holds
// its rows. A fixed list, so that every product of every bucket is known, and checked, at load.
//
// Pure. Lists are ascending.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

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

// And for the chunks of at most `chunk` rows into which the stored rows of a step are cut.
std::vector<int> ChunkBuckets(int chunk);

// The least bucket that holds `rows`. REQUIRES: there is one.
int BucketFor(std::span<const int> buckets, int64_t rows);

// Elements from one row of logits to the next: cuBLASLt's fast kernels store 16 bytes at a time.
constexpr int64_t LogitStride(int64_t vocabulary) { return (vocabulary + 7) / 8 * 8; }

}  // namespace dragoman
