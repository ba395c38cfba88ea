// Checks the limit on the tokens of an encoder pass, which follows from the times of earlier
// passes.
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

// 128 tokens take 0.2 ms. If the time grows in proportion, 1,280 tokens take the allowed 2 ms, and
// the largest bucket below that is 1,024.
TEST_F(PassLimitTest, ExpectsOfLargerPassesWhatSmallerOnesTake) {
  limit_.Add(128, 0.2e-3);
  EXPECT_EQ(limit_.tokens(), 1024);
  // Larger passes take less time per token, so the limit grows up to the largest pass.
  limit_.Add(1024, 0.4e-3);
  EXPECT_EQ(limit_.tokens(), 4096);
  limit_.Add(4096, 0.9e-3);
  EXPECT_EQ(limit_.tokens(), 8192);
}

// A GPU on which the largest pass, 8,192 tokens, takes 16 ms.
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

// Steps that run at the same time make a pass slower. The limit uses the shortest times, so it
// recovers.
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
