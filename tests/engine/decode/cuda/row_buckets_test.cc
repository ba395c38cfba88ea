// Tests the row counts for which a device's launches are made.
#include "engine/decode/cuda/row_buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dragoman::engine {
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

// The row counts with which a product is tried, and their order, decide which algorithm it gets. So
// they must not depend on the size of the batch.
TEST(RowBuckets, OfProductsAreTheSameForEveryBatch) {
  const std::vector<int> all = StepBuckets(4096);
  for (int max_rows = 1; max_rows <= 4096; ++max_rows) ASSERT_EQ(ProductBuckets(max_rows), all);
  EXPECT_EQ(ProductBuckets(5000).back(), 5120);
}

TEST(RowBuckets, EveryStepHasItsProductsAndTheirRowsHaveRoom) {
  for (int max_rows = 1; max_rows <= 5000; max_rows += max_rows < 70 ? 1 : 61) {
    const std::vector<int> products = ProductBuckets(max_rows);
    for (const int bucket : StepBuckets(max_rows)) {
      const int rows = ProductRows(bucket);
      ASSERT_GE(rows, bucket);
      ASSERT_LE(rows, ProductRows(max_rows));
      ASSERT_TRUE(std::binary_search(products.begin(), products.end(), rows)) << bucket;
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

// CudaStep splits the materialized rows of a bucket into chunks. The product must know the row
// count of each chunk.
TEST(RowBuckets, KnowEveryChunkOfEveryBucket) {
  constexpr int kChunk = 512;
  const std::vector<int> chunks = ChunkBuckets(kChunk);
  EXPECT_THAT(chunks, ElementsAre(8, 16, 32, 64, 128, 192, 256, 384, 512));
  for (int rows = 1; rows <= 5000; ++rows) {
    for (const int capacity : {rows, std::min(rows, kChunk)}) {
      for (int first = 0; first < capacity; first += kChunk) {
        const int of_chunk = ProductRows(std::min(kChunk, capacity - first));
        ASSERT_TRUE(std::binary_search(chunks.begin(), chunks.end(), of_chunk)) << rows;
        // The product reads the hidden rows of the chunk in place, so they must be within the
        // buffer.
        ASSERT_LE(first + of_chunk, ProductRows(rows));
      }
    }
  }
}

TEST(RowBuckets, LogitsAreSixteenBytesApart) {
  EXPECT_EQ(LogitStride(58101), 58104);
  EXPECT_EQ(LogitStride(32000), 32000);
}

}  // namespace
}  // namespace dragoman::engine
