#include "engine/schedule/ledger.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/engine/support/fakes.h"

namespace dragoman::engine {
namespace {

TEST(Ledger, BalancesInEverySnapshot) {
  Ledger ledger;
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&ledger, t] {
      for (int i = 0; i < 2000; ++i) {
        ledger.Accept(2);
        ledger.Start();
        ledger.End(true, static_cast<Outcome>((i + t) % 7));
        ledger.End(false, Outcome::kCancelled);
      }
    });
  }
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(testing::Balanced(ledger.Snapshot()));
  for (std::thread& thread : threads) thread.join();
  const SegmentCounts counts = ledger.Snapshot();
  EXPECT_TRUE(testing::Balanced(counts));
  EXPECT_EQ(counts.accepted, 12000);
  EXPECT_EQ(counts.waiting, 0);
  EXPECT_EQ(counts.running, 0);
}

}  // namespace
}  // namespace dragoman::engine
