// Row counts for which a device's launches are made: a step or a pass takes the next one that holds
// its rows. A fixed list, so that every product of every bucket is known, and checked, at load.
//
// Pure. Lists are ascending.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

// Of steps; the last is max_rows.
std::vector<int> StepBuckets(int max_rows);

// Of the products of a step: those of the largest steps too, whatever max_rows is, so that the
// algorithm which is pinned for all of them, and with it the last bit of a score, is no matter of
// max_rows.
std::vector<int> ProductBuckets(int max_rows);

// Of the encoder's passes; the last is `tokens`.
std::vector<int> EncoderBuckets(int64_t tokens);

// Of the chunks into which stored rows of a step are cut, whatever part of the step's bucket they
// are: whole chunks, and what is left of a bucket.
std::vector<int> ChunkBuckets(std::span<const int> step_buckets, int chunk);

// The least bucket that holds `rows`. REQUIRES: there is one.
int BucketFor(std::span<const int> buckets, int64_t rows);

// Elements from one row of logits to the next: cuBLASLt's fast kernels store 16 bytes at a time.
constexpr int64_t LogitStride(int64_t vocabulary) { return (vocabulary + 7) / 8 * 8; }

}  // namespace dragoman
