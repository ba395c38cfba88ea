#include "engine/decode/cuda/row_buckets.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace dragoman {
namespace {

// A third more at most above 32 rows, where rows begin to cost.
constexpr int kStepBuckets[] = {8,   16,  32,   64,   128,  192,  256, 384,
                                512, 768, 1024, 1536, 2048, 3072, 4096};
constexpr int kEncoderBuckets[] = {32,   64,   128,  192,  256,  384,  512, 768,
                                   1024, 1536, 2048, 3072, 4096, 6144, 8192};

std::vector<int> CutOff(std::span<const int> buckets, int last) {
  std::vector<int> list;
  for (const int bucket : buckets) {
    if (bucket < last) list.push_back(bucket);
  }
  list.push_back(last);
  return list;
}

}  // namespace

std::vector<int> StepBuckets(int max_rows) { return CutOff(kStepBuckets, max_rows); }

std::vector<int> ProductBuckets(int max_rows) {
  std::set<int> sizes(std::begin(kStepBuckets), std::end(kStepBuckets));
  sizes.insert(max_rows);
  return {sizes.begin(), sizes.end()};
}

std::vector<int> EncoderBuckets(int64_t tokens) {
  return CutOff(kEncoderBuckets, static_cast<int>(tokens));
}

std::vector<int> ChunkBuckets(std::span<const int> step_buckets, int chunk) {
  std::set<int> sizes;
  for (const int bucket : step_buckets) {
    if (bucket >= chunk) sizes.insert(chunk);
    if (bucket % chunk != 0) sizes.insert(bucket % chunk);
  }
  return {sizes.begin(), sizes.end()};
}

int BucketFor(std::span<const int> buckets, int64_t rows) {
  return *std::lower_bound(buckets.begin(), buckets.end(), rows);
}

}  // namespace dragoman
