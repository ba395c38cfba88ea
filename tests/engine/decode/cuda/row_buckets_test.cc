// Row counts of a device's launches.
#include "engine/decode/cuda/row_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dragoman {
namespace {

using ::testing::ElementsAre;

TEST(RowBuckets, EndAtTheMost) {
  EXPECT_THAT(StepBuckets(1), ElementsAre(1));
  EXPECT_THAT(StepBuckets(8), ElementsAre(8));
  EXPECT_THAT(StepBuckets(50), ElementsAre(8, 16, 32, 50));
  EXPECT_THAT(StepBuckets(256), ElementsAre(8, 16, 32, 64, 128, 192, 256));
  EXPECT_EQ(StepBuckets(4096).size(), 15U);
  EXPECT_EQ(StepBuckets(4096).back(), 4096);
  EXPECT_EQ(EncoderBuckets(8192).back(), 8192);
  EXPECT_EQ(EncoderBuckets(10'000).back(), 10'000);
}

// What a product is tried with, and asked for first, decides which algorithm it gets.
TEST(RowBuckets, OfProductsAreTheSameForEveryUsualBatch) {
  const std::vector<int> all = StepBuckets(4096);
  for (const int max_rows : {8, 64, 256, 1024, 4096}) EXPECT_EQ(ProductBuckets(max_rows), all);
  for (const int max_rows : {1, 200, 1000, 5000}) {
    const std::vector<int> products = ProductBuckets(max_rows);
    EXPECT_TRUE(std::is_sorted(products.begin(), products.end()));
    EXPECT_EQ(products.size(), all.size() + 1);
    for (const std::vector<int>& list : {all, StepBuckets(max_rows)}) {
      EXPECT_TRUE(std::includes(products.begin(), products.end(), list.begin(), list.end()));
    }
  }
}

TEST(RowBuckets, TheLeastThatHoldsTheRowsIsTaken) {
  const std::vector<int> buckets = StepBuckets(300);
  for (int rows = 1; rows <= 300; ++rows) {
    const int bucket = BucketFor(buckets, rows);
    EXPECT_GE(bucket, rows);
    EXPECT_EQ(std::count_if(buckets.begin(), buckets.end(),
                            [&](int b) { return b >= rows && b < bucket; }),
              0);
  }
}

// CudaStep cuts the stored rows of a bucket into chunks: each must be one that the product knows.
TEST(RowBuckets, KnowEveryChunkOfEveryBucket) {
  constexpr int kChunk = 512;
  for (const int max_rows : {1, 7, 256, 511, 512, 513, 1000, 1024, 1500, 4095, 4096}) {
    const std::vector<int> steps = StepBuckets(max_rows);
    const std::vector<int> chunks = ChunkBuckets(ProductBuckets(max_rows), kChunk);
    EXPECT_TRUE(std::is_sorted(chunks.begin(), chunks.end()));
    for (const int bucket : steps) {
      for (const int capacity : {bucket, std::min(bucket, kChunk)}) {
        for (int first = 0; first < capacity; first += kChunk) {
          EXPECT_TRUE(
              std::binary_search(chunks.begin(), chunks.end(), std::min(kChunk, capacity - first)))
              << max_rows << " " << bucket;
        }
      }
    }
  }
}

TEST(RowBuckets, LogitsAreSixteenBytesApart) {
  EXPECT_EQ(LogitStride(58101), 58104);
  EXPECT_EQ(LogitStride(32000), 32000);
}

}  // namespace
}  // namespace dragoman
