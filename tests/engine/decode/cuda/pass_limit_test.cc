// How many tokens a pass may have, by the time that passes took.
#include "engine/decode/cuda/pass_limit.h"

#include <gtest/gtest.h>

#include "engine/decode/cuda/row_buckets.h"

namespace dragoman::engine {
namespace {

class PassLimitTest : public ::testing::Test {
 protected:
  PassLimit limit_{EncoderBuckets(8192)};
};

TEST_F(PassLimitTest, IsTheWholePassUntilSomethingIsKnown) {
  EXPECT_EQ(limit_.tokens(), 8192);
  EXPECT_EQ(limit_.longest(), 0);
}

// 128 tokens in 0.2 ms: 1,280 would take 2 ms if the time grew as fast, and 1,024 is the bucket.
TEST_F(PassLimitTest, ExpectsOfLargerPassesWhatSmallerOnesTake) {
  limit_.Add(128, 0.2e-3);
  EXPECT_EQ(limit_.tokens(), 1024);
  // They do better, and so it grows to what a pass may take.
  limit_.Add(1024, 0.4e-3);
  EXPECT_EQ(limit_.tokens(), 4096);
  limit_.Add(4096, 0.9e-3);
  EXPECT_EQ(limit_.tokens(), 8192);
}

// A card on which the largest pass takes 16 ms.
TEST_F(PassLimitTest, BoundsThePassesOfASlowCard) {
  limit_.Add(128, 0.5e-3);
  for (int i = 0; i < 10; ++i) {
    const auto tokens = static_cast<int>(limit_.tokens());
    limit_.Add(tokens, tokens * 2e-6);
  }
  EXPECT_EQ(limit_.tokens(), 768);
  EXPECT_LE(limit_.longest(), PassLimit::kMostSeconds);
}

TEST_F(PassLimitTest, LeavesAPassThatIsWorthItsWeights) {
  limit_.Add(32, 9e-3);
  EXPECT_EQ(limit_.tokens(), PassLimit::kAlways);
  PassLimit small{EncoderBuckets(100)};
  small.Add(32, 9e-3);
  EXPECT_EQ(small.tokens(), 100);
}

// Steps that run beside a pass lengthen it: what counts is the shortest, and the limit comes back.
TEST_F(PassLimitTest, IsNotHeldDownByPassesThatHadToWait) {
  limit_.Add(8192, 40e-3);
  EXPECT_LT(limit_.tokens(), 8192);
  limit_.Add(384, 0.1e-3);
  EXPECT_EQ(limit_.tokens(), 6144);
  limit_.Add(6144, 1.2e-3);
  EXPECT_EQ(limit_.tokens(), 8192);
  limit_.Add(8192, 30e-3);
  EXPECT_EQ(limit_.tokens(), 8192);
  EXPECT_EQ(limit_.longest(), 40e-3);
}

}  // namespace
}  // namespace dragoman::engine
