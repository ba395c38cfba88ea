#include "server/models/canary_split.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dragoman {
namespace {

TEST(CanarySplit, AnyRunOfCallsHasTheShareButForThree) {
  for (const int share : {0, 1, 100, 333, 1000, 2500, 5000, 6180, 9999, 10'000}) {
    CanarySplit split(share);
    for (int skipped = 0; skipped < 97; ++skipped) split.Next();
    int taken = 0;
    for (int calls = 1; calls <= 5000; ++calls) {
      taken += split.Next() ? 1 : 0;
      ASSERT_LE(std::abs(taken - calls * share / 10'000.0), 3) << share << " of " << calls;
    }
  }
}

// A client that sends every second, third, ... call of another kind meets both versions with each.
TEST(CanarySplit, EveryNthCallHasTheShareToo) {
  for (const int every : {2, 3, 5, 10, 16}) {
    CanarySplit split(1000);
    int taken = 0;
    int calls = 0;
    for (int i = 0; i < every * 2000; ++i) {
      const bool is_canarys = split.Next();
      if (i % every != 0) continue;
      ++calls;
      taken += is_canarys ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(taken) / calls, 0.1, 0.02) << every;
  }
}

TEST(CanarySplit, AnotherShareHoldsFromTheNextCallOn) {
  CanarySplit split(0);
  EXPECT_FALSE(split.Next());
  split.SetShare(10'000);
  EXPECT_TRUE(split.Next());
  EXPECT_EQ(split.share(), 10'000);
}

}  // namespace
}  // namespace dragoman
