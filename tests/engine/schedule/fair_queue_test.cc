#include "engine/schedule/fair_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/engine/support/fakes.h"

namespace dragoman {
namespace {

using testing::RecordingOwner;

class FairQueueTest : public ::testing::Test {
 protected:
  struct Kind {
    uint64_t client = 0;
    int tokens = 10;
    int beam = 4;
    Priority priority = Priority::kNormal;
    Nanos queued_at = 0;
    int share = 1;
  };
  void Push(int index, const Kind& kind) { queue_.Push(Make(index, kind, owner_)); }
  static std::unique_ptr<Segment> Make(int index, const Kind& kind,
                                       const std::shared_ptr<RecordingOwner>& owner) {
    auto segment = std::make_unique<Segment>();
    segment->owner = owner;
    segment->index = index;
    segment->client = kind.client;
    segment->share = kind.share;
    segment->priority = kind.priority;
    segment->search.beam = kind.beam;
    segment->queued_at = kind.queued_at;
    segment->source.resize(static_cast<size_t>(kind.tokens));
    return segment;
  }
  std::vector<int> PopAll(Nanos now = 0) {
    std::vector<int> order;
    while (!queue_.empty()) order.push_back(queue_.Pop(now)->index);
    return order;
  }

  Ledger ledger_;
  std::shared_ptr<RecordingOwner> owner_ = std::make_shared<RecordingOwner>(&ledger_);
  FairQueue queue_;
};

TEST_F(FairQueueTest, OneClientLeavesAsItCame) {
  for (int i = 0; i < 50; ++i) Push(i, {.tokens = 1 + i * 37 % 90, .beam = 1 + i % 9});
  const std::vector<int> order = PopAll();
  ASSERT_EQ(order.size(), 50U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// 400 sentences at beam 8 of one, and one sentence of another that comes last.
TEST_F(FairQueueTest, ANewClientWaitsForOneTurnOfEachOther) {
  for (int i = 0; i < 400; ++i) Push(i, {.client = 1, .tokens = 25, .beam = 8});
  for (int i = 0; i < 400; ++i) Push(1000 + i, {.client = 2, .tokens = 25, .beam = 8});
  for (int i = 0; i < 37; ++i) queue_.Pop(0);
  Push(5000, {.client = 3, .tokens = 25, .beam = 4});
  int before = 0;
  while (queue_.Pop(0)->index != 5000) ++before;
  // A turn of 512 is two segments of 25 * 8 and what is left of the turn before.
  EXPECT_LE(before, 2 * (kFairQuantum / (25 * 8) + 1));
}

// A share is counted in row-steps: a wide beam takes as much of it as several narrow ones.
TEST_F(FairQueueTest, ClientsThatBothWaitGetEqualRowSteps) {
  for (int i = 0; i < 800; ++i) Push(i, {.client = 1, .tokens = 30, .beam = 8});
  for (int i = 0; i < 800; ++i) Push(1000 + i, {.client = 2, .tokens = 10, .beam = 1});
  std::map<uint64_t, int64_t> taken;
  for (int i = 0; i < 400; ++i) {
    const auto segment = queue_.Pop(0);
    taken[segment->client] += segment->tokens() * segment->search.beam;
    EXPECT_LE(std::abs(taken[1] - taken[2]), 2 * kFairQuantum) << i;
  }
}

TEST_F(FairQueueTest, TurnsFollowShares) {
  for (int i = 0; i < 900; ++i) Push(i, {.client = 1, .tokens = 25, .share = 3});
  for (int i = 0; i < 900; ++i) Push(1000 + i, {.client = 2, .tokens = 25});
  std::map<uint64_t, int> taken;
  for (int i = 0; i < 800; ++i) ++taken[queue_.Pop(0)->client];
  EXPECT_NEAR(taken[1], 600, 3 * kFairQuantum / 100);
  // The largest share that the server gives (16): a newcomer waits for a window's worth.
  for (int i = 0; i < 900; ++i) Push(2000 + i, {.client = 3, .tokens = 32, .share = 16});
  PopAll();
  for (int i = 0; i < 900; ++i) Push(2000 + i, {.client = 3, .tokens = 32, .share = 16});
  Push(5000, {.client = 4, .tokens = 32});
  int before = 0;
  while (queue_.Pop(0)->index != 5000) ++before;
  EXPECT_LE(before, 64 + 1);
}

TEST_F(FairQueueTest, KnowsWhatLeavesBeforeASegmentThatCameNow) {
  const int64_t one = int64_t{25} * 4;
  EXPECT_EQ(queue_.CostBefore(1, 1, Priority::kNormal), 0);
  for (int i = 0; i < 400; ++i) Push(i, {.client = 1, .tokens = 25});
  Push(500, {.client = 2, .tokens = 25});
  EXPECT_EQ(queue_.cost(), 401 * one);
  // Its own, and one of the other's; a turn of the first, and all of the second.
  EXPECT_EQ(queue_.CostBefore(1, 1, Priority::kNormal), 401 * one);
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kNormal), kFairQuantum + one);
  // While the own one leaves, as much of the other's does, and a turn; half of it with twice the
  // share.
  EXPECT_EQ(queue_.CostBefore(2, 1, Priority::kNormal), one + one + kFairQuantum);
  EXPECT_EQ(queue_.CostBefore(2, 2, Priority::kNormal), one + one / 2 + kFairQuantum);
  // Who is more urgent waits for none of them, who is less for all, but not for ever.
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kInteractive), 0);
  Push(600, {.client = 1, .tokens = 25, .priority = Priority::kInteractive});
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kNormal), kFairQuantum + 2 * one);
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kBulk), 0);
  queue_.Pop(0);
  queue_.Remove(nullptr);
  EXPECT_EQ(queue_.cost(), 0);
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kNormal), 0);
}

TEST_F(FairQueueTest, ASegmentLargerThanATurnIsSavedFor) {
  for (int i = 0; i < 200; ++i) Push(10 + i, {.client = 2, .tokens = 128, .beam = 4});
  Push(0, {.client = 1, .tokens = 500, .beam = 64});  // 63 turns
  Push(1, {.client = 1, .tokens = 1, .beam = 1});
  const std::vector<int> order = PopAll();
  const auto at = std::find(order.begin(), order.end(), 0) - order.begin();
  EXPECT_GE(at, 60);
  EXPECT_LE(at, 64);
}

TEST_F(FairQueueTest, WhoIsNextIsNotOvertakenByWhoeverComes) {
  Push(0, {.client = 1, .tokens = 500, .beam = 64});
  EXPECT_EQ(queue_.Peek(0)->index, 0);
  for (uint64_t client = 2; client < 50; ++client) {
    Push(static_cast<int>(client), {.client = client, .tokens = 1, .beam = 1});
    EXPECT_EQ(queue_.Peek(0)->index, 0);
  }
  Push(50, {.client = 50, .priority = Priority::kInteractive});
  EXPECT_EQ(queue_.Pop(0)->index, 50);
  EXPECT_EQ(queue_.Pop(0)->index, 0);
}

// BULK that is due must not shut out those that everybody waits for.
TEST_F(FairQueueTest, OldBulkTakesEveryOtherPlace) {
  for (int i = 0; i < 6; ++i) Push(i, {.client = 1, .priority = Priority::kBulk});
  for (int i = 0; i < 3; ++i) Push(10 + i, {.client = 2, .priority = Priority::kInteractive});
  EXPECT_EQ(queue_.Pop(kMaxBulkWait)->index, 10);
  EXPECT_EQ(PopAll(kMaxBulkWait + 1), (std::vector<int>{0, 11, 1, 12, 2, 3, 4, 5}));
}

TEST_F(FairQueueTest, BulkIsDueByTheOldestOfAnyClient) {
  Push(0, {.client = 1, .priority = Priority::kBulk, .queued_at = 100});
  Push(1, {.client = 2, .priority = Priority::kBulk, .queued_at = 5});
  Push(2, {.client = 3, .priority = Priority::kNormal});
  EXPECT_EQ(queue_.OldestQueuedAt(1000), 0);
  EXPECT_EQ(queue_.Peek(kMaxBulkWait + 5)->index, 2);
  EXPECT_EQ(queue_.Peek(kMaxBulkWait + 6)->index, 0);
  EXPECT_EQ(PopAll(kMaxBulkWait + 6), (std::vector<int>{0, 2, 1}));
}

// Against a plain model: nothing lost or doubled, each client in order, Peek tells the truth.
TEST_F(FairQueueTest, AtRandomNothingIsLost) {
  std::mt19937 random(7);
  std::vector<std::shared_ptr<RecordingOwner>> owners;
  for (int i = 0; i < 5; ++i) owners.push_back(std::make_shared<RecordingOwner>(&ledger_));
  std::map<int, int> waiting;  // index -> owner
  std::map<std::pair<uint64_t, Priority>, int> last;
  int pushed = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto what = random() % 100;
    if (what < 50) {
      const int owner = static_cast<int>(random() % 5);
      const Kind kind{.client = random() % 7,
                      .tokens = 1 + static_cast<int>(random() % 512),
                      .beam = 1 + static_cast<int>(random() % 64),
                      .priority = static_cast<Priority>(random() % 3),
                      .queued_at = round};
      queue_.Push(Make(pushed, kind, owners[static_cast<size_t>(owner)]));
      waiting[pushed++] = owner;
    } else if (what < 99 && !queue_.empty()) {
      const Nanos now = round % 2 == 0 ? round : round + kMaxBulkWait;
      const Segment* next = queue_.Peek(now);
      const auto segment = queue_.Pop(now);
      ASSERT_EQ(segment.get(), next);
      ASSERT_EQ(waiting.erase(segment->index), 1U);
      int& before = last.try_emplace({segment->client, segment->priority}, -1).first->second;
      ASSERT_GT(segment->index, before);
      before = segment->index;
    } else if (what == 99) {
      const int owner = static_cast<int>(random() % 5);
      const auto removed = queue_.Remove(owners[static_cast<size_t>(owner)].get());
      ASSERT_EQ(static_cast<int64_t>(removed.size()),
                std::erase_if(waiting, [owner](const auto& w) { return w.second == owner; }));
    }
    ASSERT_EQ(queue_.size(), static_cast<int64_t>(waiting.size()));
  }
  EXPECT_EQ(queue_.Remove(nullptr).size(), waiting.size());
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.load().rows, 0);
  EXPECT_EQ(queue_.tokens(), 0);
}

}  // namespace
}  // namespace dragoman
