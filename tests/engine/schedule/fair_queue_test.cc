#include "engine/schedule/fair_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/engine/support/fakes.h"

namespace dragoman::engine {
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
  std::vector<int> PopAll() {
    std::vector<int> order;
    while (!queue_.empty()) order.push_back(queue_.Pop()->index);
    return order;
  }
  // Pops `count` segments. Returns the row-steps that they cost, by client.
  std::map<uint64_t, int64_t> Taken(int count) {
    std::map<uint64_t, int64_t> taken;
    for (int i = 0; i < count; ++i) {
      const auto segment = queue_.Pop();
      taken[segment->client] += FairQueue::Cost(*segment);
    }
    return taken;
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

// Segments that are searched again leave before all others, except the one that Peek has announced.
TEST_F(FairQueueTest, WhatIsSearchedAgainDoesNotWaitForTheWholeQueueASecondTime) {
  const auto again = [&](int index) {
    auto segment = Make(index, {}, owner_);
    segment->again = true;
    queue_.Push(std::move(segment));
  };
  for (int i = 0; i < 4; ++i) Push(i, {});
  EXPECT_EQ(queue_.Peek()->index, 0);
  again(10);
  again(11);
  EXPECT_EQ(queue_.Peek()->index, 0);
  EXPECT_EQ(PopAll(), (std::vector<int>{0, 10, 11, 1, 2, 3}));
  again(12);
  Push(4, {});
  EXPECT_EQ(PopAll(), (std::vector<int>{12, 4}));
}

TEST_F(FairQueueTest, ANewClientWaitsForAsMuchOfEachOtherAsItTakes) {
  for (int i = 0; i < 400; ++i) Push(i, {.client = 1, .tokens = 25, .beam = 8});
  for (int i = 0; i < 400; ++i) Push(1000 + i, {.client = 2, .tokens = 25, .beam = 8});
  for (int i = 0; i < 37; ++i) queue_.Pop();
  Push(5000, {.client = 3, .tokens = 25, .beam = 4});
  int before = 0;
  while (queue_.Pop()->index != 5000) ++before;
  EXPECT_LE(before, 2);
}

// Shares are counted in row-steps, so a segment with a wide beam uses as much as several with
// narrow beams.
TEST_F(FairQueueTest, ClientsThatBothWaitGetEqualRowSteps) {
  for (int i = 0; i < 800; ++i) Push(i, {.client = 1, .tokens = 30, .beam = 8});
  for (int i = 0; i < 800; ++i) Push(1000 + i, {.client = 2, .tokens = 10, .beam = 1});
  std::map<uint64_t, int64_t> taken;
  for (int i = 0; i < 400; ++i) {
    const auto segment = queue_.Pop();
    taken[segment->client] += FairQueue::Cost(*segment);
    EXPECT_LE(std::abs(taken[1] - taken[2]), 30 * 8) << i;
  }
}

TEST_F(FairQueueTest, SharesAreOfRowSteps) {
  for (int i = 0; i < 900; ++i) Push(i, {.client = 1, .tokens = 25, .share = 3});
  for (int i = 0; i < 900; ++i) Push(1000 + i, {.client = 2, .tokens = 25});
  const std::map<uint64_t, int64_t> taken = Taken(800);
  EXPECT_NEAR(static_cast<double>(taken.at(1)), 600 * 100, 100);
  // The largest share that the server allows is 16.
  PopAll();
  for (int i = 0; i < 900; ++i) Push(2000 + i, {.client = 3, .tokens = 32, .share = 16});
  for (int i = 0; i < 100; ++i) queue_.Pop();
  Push(5000, {.client = 4, .tokens = 32});
  int before = 0;
  while (queue_.Pop()->index != 5000) ++before;
  EXPECT_LE(before, 16);
}

TEST_F(FairQueueTest, PrioritiesShareByTheirWeights) {
  for (int i = 0; i < 900; ++i) {
    Push(i, {.client = 1, .tokens = 25, .priority = Priority::kInteractive});
    Push(1000 + i, {.client = 2, .tokens = 25});
    Push(2000 + i, {.client = 3, .tokens = 25, .priority = Priority::kBulk});
  }
  const std::map<uint64_t, int64_t> taken = Taken(630);
  EXPECT_NEAR(static_cast<double>(taken.at(1)), 480 * 100, 100);
  EXPECT_NEAR(static_cast<double>(taken.at(2)), 120 * 100, 100);
  EXPECT_NEAR(static_cast<double>(taken.at(3)), 30 * 100, 100);
}

// An interactive backlog of 4000 segments delays a normal sentence only by the priority's weight,
// 4.
TEST_F(FairQueueTest, AnInteractiveBacklogDelaysANormalSentenceByItsWeightOnly) {
  for (int i = 0; i < 4000; ++i) {
    Push(i, {.client = 1, .tokens = 25, .priority = Priority::kInteractive});
  }
  for (int sentence = 0; sentence < 100; ++sentence) {
    Push(5000, {.client = 2, .tokens = 25});
    int before = 0;
    while (queue_.Pop()->index != 5000) ++before;
    ASSERT_LE(before, 4) << sentence;
  }
  // Twenty sentences of twenty clients at once.
  for (int i = 0; i < 20; ++i) {
    Push(5000 + i, {.client = static_cast<uint64_t>(10 + i), .tokens = 25});
  }
  int before = 0;
  for (int left = 20; left > 0; ++before) left -= queue_.Pop()->index >= 5000 ? 1 : 0;
  EXPECT_LE(before, 20 + 4);
}

// An expensive segment uses up its own client's turns, not those of other clients of the same
// priority.
TEST_F(FairQueueTest, AWideBeamBesideAnInteractiveBacklogHoldsUpNobodyElse) {
  for (int i = 0; i < 4000; ++i) {
    Push(i, {.client = 1, .tokens = 25, .priority = Priority::kInteractive});
  }
  for (int i = 0; i < 20; ++i) Push(4000 + i, {.client = 2, .tokens = 100, .beam = 64});
  while (queue_.Pop()->client != 2) continue;
  Push(5000, {.client = 3, .tokens = 25});
  int before = 0;
  while (queue_.Pop()->index != 5000) ++before;
  EXPECT_LE(before, 4);
}

TEST_F(FairQueueTest, AnUrgentSentenceLeavesBeforeManyThatAreNot) {
  for (int client = 10; client < 110; ++client) {
    for (int i = 0; i < 5; ++i) {
      Push(i, {.client = static_cast<uint64_t>(client), .tokens = 25, .priority = Priority::kBulk});
    }
  }
  for (int i = 0; i < 150; ++i) queue_.Pop();
  Push(5000, {.client = 1, .tokens = 25, .priority = Priority::kInteractive});
  int before = 0;
  while (queue_.Pop()->index != 5000) ++before;
  EXPECT_EQ(before, 50);  // the 50 left of this round, due before it came
  Push(5001, {.client = 1, .tokens = 25, .priority = Priority::kInteractive});
  EXPECT_EQ(queue_.Pop()->index, 5001);
}

TEST_F(FairQueueTest, KnowsWhatLeavesBeforeASegmentThatCameNow) {
  const int64_t one = int64_t{25} * 4;
  EXPECT_EQ(queue_.CostBefore(1, 1, Priority::kNormal), 0);
  for (int i = 0; i < 400; ++i) Push(i, {.client = 1, .tokens = 25});
  Push(500, {.client = 2, .tokens = 25});
  EXPECT_EQ(queue_.cost(), 401 * one);
  // Client 1 waits for its own 400 segments and the one of client 2. Client 3 waits for a sentence
  // of client 1 and for all of client 2.
  EXPECT_EQ(queue_.CostBefore(1, 1, Priority::kNormal), 401 * one);
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kNormal), kSentenceCost + one);
  // While client 2's own segment leaves, as much of client 1 leaves, and then a sentence. With
  // twice the share it is half of that.
  EXPECT_EQ(queue_.CostBefore(2, 1, Priority::kNormal), one + one + kSentenceCost);
  EXPECT_EQ(queue_.CostBefore(2, 2, Priority::kNormal), one + (one + kSentenceCost) / 2);
  // The weights of the priorities count as well.
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kInteractive), 2 * (kSentenceCost / 4));
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kBulk), 4 * kSentenceCost + one);
  for (int i = 0; i < 50; ++i) {
    Push(600 + i, {.client = 1, .tokens = 25, .priority = Priority::kInteractive});
  }
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kNormal), kSentenceCost + one + 4 * kSentenceCost);
  queue_.Pop();
  queue_.Remove(nullptr);
  EXPECT_EQ(queue_.cost(), 0);
  EXPECT_EQ(queue_.CostBefore(3, 1, Priority::kNormal), 0);
}

// The estimate of what leaves before a sentence must be close to what then leaves.
TEST_F(FairQueueTest, WhatLeavesBeforeIsAsEstimated) {
  for (int i = 0; i < 300; ++i) {
    Push(i, {.client = 1, .tokens = 32, .priority = Priority::kInteractive});
    Push(i, {.client = 2, .tokens = 32, .share = 2});
    Push(i, {.client = 3, .tokens = 32, .priority = Priority::kBulk});
  }
  for (const Priority priority : {Priority::kInteractive, Priority::kNormal, Priority::kBulk}) {
    for (int i = 0; i < 10; ++i) Push(7000 + i, {.client = 4, .tokens = 32, .priority = priority});
    const int64_t estimated = queue_.CostBefore(4, 1, priority);
    Push(8000, {.client = 4, .tokens = 32, .priority = priority});
    int64_t before = 0;
    for (;;) {
      const auto segment = queue_.Pop();
      if (segment->index == 8000) break;
      before += FairQueue::Cost(*segment);
    }
    EXPECT_NEAR(static_cast<double>(before), static_cast<double>(estimated), 3 * kSentenceCost)
        << static_cast<int>(priority);
  }
}

TEST_F(FairQueueTest, ALargeSegmentWaitsForAsMuchOfOthers) {
  for (int i = 0; i < 200; ++i) Push(10 + i, {.client = 2, .tokens = 128, .beam = 4});
  Push(0, {.client = 1, .tokens = 500, .beam = 64});  // costs as much as 62.5 of the others
  Push(1, {.client = 1, .tokens = 1, .beam = 1});
  const std::vector<int> order = PopAll();
  const auto at = std::find(order.begin(), order.end(), 0) - order.begin();
  EXPECT_EQ(at, 62);
}

// The next segment may have to wait for room. Later arrivals, even urgent ones, must not take that
// room again and again.
TEST_F(FairQueueTest, TheNextInOrderStaysNextOnceLookedAt) {
  Push(0, {.client = 1, .tokens = 500, .beam = 64});
  EXPECT_EQ(queue_.Peek()->index, 0);
  for (uint64_t client = 2; client < 50; ++client) {
    Push(static_cast<int>(client), {.client = client, .tokens = 1, .beam = 1});
    EXPECT_EQ(queue_.Peek()->index, 0);
  }
  Push(50, {.client = 50, .tokens = 1, .beam = 1, .priority = Priority::kInteractive});
  EXPECT_EQ(queue_.Pop()->index, 0);
  EXPECT_EQ(queue_.Pop()->index, 50);
}

TEST_F(FairQueueTest, TheNextInOrderMayBeRemoved) {
  const auto other = std::make_shared<RecordingOwner>(&ledger_);
  queue_.Push(Make(0, {.client = 1, .tokens = 1}, other));
  Push(1, {.client = 1});
  Push(2, {.client = 2, .tokens = 9});
  EXPECT_EQ(queue_.Peek()->index, 0);
  EXPECT_EQ(queue_.Remove(other.get()).size(), 1U);
  EXPECT_EQ(queue_.Peek()->index, 2);
  EXPECT_EQ(PopAll(), (std::vector<int>{2, 1}));
}

TEST_F(FairQueueTest, TheOldestIsOfAnyClient) {
  Push(0, {.client = 1, .priority = Priority::kBulk, .queued_at = 100});
  Push(1, {.client = 2, .priority = Priority::kBulk, .queued_at = 5});
  Push(2, {.client = 3, .priority = Priority::kNormal, .queued_at = 50});
  EXPECT_EQ(queue_.OldestQueuedAt(1000), 5);
  PopAll();
  EXPECT_EQ(queue_.OldestQueuedAt(1000), 1000);
}

// Compares the queue with a simple model: no segment is lost or duplicated, each client's segments
// leave in order, and Pop returns what Peek announced.
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
      const Segment* next = queue_.Peek();
      const auto segment = queue_.Pop();
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
}  // namespace dragoman::engine
