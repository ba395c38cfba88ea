#include "engine/decode/cuda/row_buckets.h"

#include <algorithm>
#include <iterator>

namespace dragoman::engine {
namespace {

// The time of a step begins to grow with its rows at about 128 rows. From there on, at most a third
// of a bucket's rows are unused.
constexpr int kStepBuckets[] = {8,   16,  32,   64,   128,  192,  256, 384,
                                512, 768, 1024, 1536, 2048, 3072, 4096};
// Above 4,096, row counts of products are multiples of this number.
constexpr int64_t kBeyond = 512;
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

int ProductRows(int64_t rows) {
  const auto* const found =
      std::lower_bound(std::begin(kStepBuckets), std::end(kStepBuckets), rows);
  if (found != std::end(kStepBuckets)) return *found;
  return static_cast<int>((rows + kBeyond - 1) / kBeyond * kBeyond);
}

std::vector<int> ProductBuckets(int max_rows) {
  std::vector<int> list(std::begin(kStepBuckets), std::end(kStepBuckets));
  if (ProductRows(max_rows) > list.back()) list.push_back(ProductRows(max_rows));
  return list;
}

std::vector<int> EncoderBuckets(int64_t tokens) {
  return CutOff(kEncoderBuckets, static_cast<int>(tokens));
}

std::vector<int> ChunkBuckets(int chunk) { return CutOff(kStepBuckets, ProductRows(chunk)); }

int BucketFor(std::span<const int> buckets, int64_t rows) {
  return *std::lower_bound(buckets.begin(), buckets.end(), rows);
}

}  // namespace dragoman::engine
