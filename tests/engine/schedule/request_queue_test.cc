#include "engine/schedule/request_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/engine/support/fakes.h"

namespace dragoman::engine {
namespace {

using testing::FakeClock;
using testing::RecordingOwner;

class RequestQueueTest : public ::testing::Test {
 protected:
  std::unique_ptr<Segment> Make(int index, int tokens, Priority priority = Priority::kNormal,
                                const std::shared_ptr<RecordingOwner>& owner = nullptr) {
    auto segment = std::make_unique<Segment>();
    segment->owner = owner != nullptr ? owner : owner_;
    segment->index = index;
    segment->priority = priority;
    segment->source.resize(static_cast<size_t>(tokens));
    return segment;
  }

  // Reserves exactly the capacity that the segments need and pushes them.
  void Push(RequestQueue& queue, std::vector<std::unique_ptr<Segment>> segments) {
    int64_t tokens = 0;
    for (const auto& s : segments) tokens += s->tokens();
    RequestQueue::Reservation reservation;
    ASSERT_EQ(queue.Reserve(segments.front()->client, 1, static_cast<int64_t>(segments.size()),
                            tokens, &reservation),
              RejectReason::kNone);
    ASSERT_TRUE(queue.Push(reservation, std::move(segments)).empty());
  }
  void PushOne(RequestQueue& queue, std::unique_ptr<Segment> segment) {
    std::vector<std::unique_ptr<Segment>> one;
    one.push_back(std::move(segment));
    Push(queue, std::move(one));
  }

  FakeClock clock_;
  Ledger ledger_;
  std::shared_ptr<RecordingOwner> owner_ = std::make_shared<RecordingOwner>(&ledger_);
};

TEST_F(RequestQueueTest, RefusesWhenFullOfSegmentsOrTokens) {
  RequestQueue queue({100, 1000}, &clock_);
  RequestQueue::Reservation a;
  RequestQueue::Reservation b;
  EXPECT_EQ(queue.Reserve(1, 1, 60, 200, &a), RejectReason::kNone);
  EXPECT_EQ(queue.Reserve(2, 1, 41, 200, &b), RejectReason::kQueueFull);
  EXPECT_EQ(queue.Reserve(2, 1, 1, 801, &b), RejectReason::kTokenBudget);
  EXPECT_EQ(queue.Reserve(2, 1, 10, 200, &b), RejectReason::kNone);
  queue.Unreserve(a);
  EXPECT_EQ(queue.Reserve(3, 1, 41, 200, &a), RejectReason::kNone);
}

TEST_F(RequestQueueTest, AnEstimateAboveTheCapacityFitsTheEmptyQueueOnly) {
  RequestQueue queue({4, 100}, &clock_);
  RequestQueue::Reservation a;
  EXPECT_EQ(queue.Reserve(1, 1, 9, 1000, &a), RejectReason::kNone);
  EXPECT_EQ(a.segments, 4);
  EXPECT_EQ(a.tokens, 100);
  queue.Unreserve(a);
  RequestQueue::Reservation b;
  EXPECT_EQ(queue.Reserve(2, 1, 1, 1, &b), RejectReason::kNone);
  EXPECT_EQ(queue.Reserve(1, 1, 9, 1000, &a), RejectReason::kQueueFull);
}

// With the server's default limits, a client that takes all it can get leaves room for twenty
// others.
TEST_F(RequestQueueTest, AHogLeavesRoomForTwentyOthers) {
  RequestQueue queue({4096, 131072}, &clock_);
  RequestQueue::Reservation reservation;
  // Large calls first, then smaller ones and single sentences into the rest of the client's share.
  RejectReason why = RejectReason::kNone;
  for (const int64_t segments : {400, 100, 1}) {
    do {
      why = queue.Reserve(1, 1, segments, 20 * segments, &reservation);
    } while (why == RejectReason::kNone);
  }
  EXPECT_EQ(why, RejectReason::kClientShare);
  EXPECT_GT(queue.stats().segments, 3000);
  EXPECT_LT(queue.stats().segments, 3200);
  for (uint64_t polite = 2; polite < 22; ++polite) {
    ASSERT_EQ(queue.Reserve(polite, 1, 3, 62, &reservation), RejectReason::kNone) << polite;
  }
  EXPECT_EQ(queue.Reserve(1, 1, 1, 20, &reservation), RejectReason::kClientShare);
}

TEST_F(RequestQueueTest, ATextOfManyTokensLeavesRoomToo) {
  RequestQueue queue({4096, 131072}, &clock_);
  RequestQueue::Reservation reservation;
  RejectReason why = RejectReason::kNone;
  do {
    why = queue.Reserve(1, 1, 50, 5000, &reservation);
  } while (why == RejectReason::kNone);
  EXPECT_EQ(why, RejectReason::kClientShare);
  EXPECT_LT(queue.stats().tokens, 105'000);
  for (uint64_t polite = 2; polite < 22; ++polite) {
    ASSERT_EQ(queue.Reserve(polite, 1, 3, 62, &reservation), RejectReason::kNone) << polite;
  }
}

// The real number of segments exceeds the reservation and the client's share.
TEST_F(RequestQueueTest, ACallOfTheWholeQueueTakesNoRoomFromOthers) {
  RequestQueue queue({400, 10'000}, &clock_);
  RequestQueue::Reservation whole;
  ASSERT_EQ(queue.Reserve(1, 1, 50, 1000, &whole), RejectReason::kNone);
  std::vector<std::unique_ptr<Segment>> segments;
  for (int i = 0; i < 400; ++i) {
    segments.push_back(Make(i, 25));
    segments.back()->client = 1;
  }
  ASSERT_TRUE(queue.Push(whole, std::move(segments)).empty());
  EXPECT_EQ(queue.stats().segments, 400);
  RequestQueue::Reservation reservation;
  for (uint64_t polite = 2; polite < 22; ++polite) {
    ASSERT_EQ(queue.Reserve(polite, 1, 1, 20, &reservation), RejectReason::kNone) << polite;
  }
  EXPECT_EQ(queue.Reserve(1, 1, 1, 20, &reservation), RejectReason::kClientShare);
}

// Capacity becomes free again when it is unreserved, popped or removed.
TEST_F(RequestQueueTest, ACapacityIsWholeAgainOnceAllHasLeft) {
  RequestQueue queue({100, 1000}, &clock_);
  for (int i = 0; i < 20; ++i) PushOne(queue, Make(i, 7));
  const auto other = std::make_shared<RecordingOwner>(&ledger_);
  for (int i = 0; i < 5; ++i) PushOne(queue, Make(i, 3, Priority::kBulk, other));
  RequestQueue::Reservation unused;
  ASSERT_EQ(queue.Reserve(0, 1, 2, 20, &unused), RejectReason::kNone);
  queue.PopWindow(10, 1000, 1);
  queue.Unreserve(unused);
  queue.Remove(other.get());
  while (!queue.TryPopWindow(10, 1000, 1).empty()) continue;
  EXPECT_EQ(queue.stats().segments, 0);
  EXPECT_EQ(queue.stats().tokens, 0);
  RequestQueue::Reservation all;
  EXPECT_EQ(queue.Reserve(0, 1, 100, 1000, &all), RejectReason::kNone);
}

TEST_F(RequestQueueTest, TheReservationIsExchangedForTheRealCounts) {
  RequestQueue queue({10, 100}, &clock_);
  RequestQueue::Reservation reservation;
  ASSERT_EQ(queue.Reserve(0, 1, 5, 80, &reservation), RejectReason::kNone);
  std::vector<std::unique_ptr<Segment>> segments;
  segments.push_back(Make(0, 7));
  ASSERT_TRUE(queue.Push(reservation, std::move(segments)).empty());
  EXPECT_EQ(queue.stats().segments, 1);
  EXPECT_EQ(queue.stats().tokens, 7);
  // Push accepts more segments than were reserved.
  ASSERT_EQ(queue.Reserve(0, 1, 1, 1, &reservation), RejectReason::kNone);
  segments.clear();
  for (int i = 0; i < 12; ++i) segments.push_back(Make(i, 20));
  EXPECT_TRUE(queue.Push(reservation, std::move(segments)).empty());
  EXPECT_EQ(queue.stats().segments, 13);
}

TEST_F(RequestQueueTest, PopsByWeightOfPriorityThenArrival) {
  RequestQueue queue({100, 1000}, &clock_);
  PushOne(queue, Make(0, 1, Priority::kBulk));
  PushOne(queue, Make(1, 1, Priority::kNormal));
  PushOne(queue, Make(2, 1, Priority::kInteractive));
  for (int i = 3; i < 8; ++i) PushOne(queue, Make(i, 1, Priority::kNormal));
  std::vector<int> order;
  while (order.size() < 8) {
    for (const auto& segment : queue.PopWindow(2, 1000, 1)) order.push_back(segment->index);
  }
  // The BULK segment is due after four NORMAL ones and does not wait for the last of them.
  EXPECT_EQ(order, (std::vector<int>{2, 1, 3, 4, 0, 5, 6, 7}));
}

TEST_F(RequestQueueTest, WindowsKeepToTheirLimitsAndShareAmongWorkers) {
  RequestQueue queue({100, 10000}, &clock_);
  for (int i = 0; i < 10; ++i) PushOne(queue, Make(i, 30));
  EXPECT_EQ(queue.PopWindow(64, 100, 1).size(), 3U);    // 3 * 30 tokens
  EXPECT_EQ(queue.PopWindow(64, 10, 1).size(), 1U);     // at least one segment
  EXPECT_EQ(queue.PopWindow(64, 10000, 2).size(), 3U);  // half of the 6 segments that are left
  EXPECT_EQ(queue.PopWindow(2, 10000, 1).size(), 2U);
}

// Estimates of the waiting time. All waiting segments have 10 tokens and belong to client 1.
class WaitTest : public RequestQueueTest {
 protected:
  static constexpr Nanos kSecond = 1'000'000'000;

  void PushMany(int count, Priority priority = Priority::kNormal) {
    std::vector<std::unique_ptr<Segment>> segments;
    for (int i = 0; i < count; ++i) {
      segments.push_back(Make(i, 10, priority));
      segments.back()->client = 1;
    }
    Push(queue_, std::move(segments));
  }
  // Pops `count` segments ten times a second for `seconds` seconds.
  void Work(int count, int seconds) {
    for (int i = 0; i < 10 * seconds; ++i) {
      clock_.Advance(kSecond / 10);
      queue_.TryPopWindow(count, 1'000'000, 1);
    }
  }
  Nanos Wait(uint64_t client, Nanos limit) {
    return queue_.EstimateWait(client, 1, Priority::kNormal, limit);
  }

  RequestQueue queue_{{100'000, 1'000'000}, &clock_};
};

TEST_F(WaitTest, IsNotEstimatedBeforeThereWasABacklogForASecond) {
  PushMany(1000);
  EXPECT_EQ(Wait(1, 1), 0);
  queue_.TryPopWindow(5, 1'000'000, 1);
  clock_.Advance(kSecond / 2);
  queue_.TryPopWindow(5, 1'000'000, 1);
  EXPECT_EQ(Wait(1, 1), 0);
}

TEST_F(WaitTest, FollowsFromTheRateOfLeavingAndWhatComesBefore) {
  PushMany(1000);
  queue_.TryPopWindow(5, 1'000'000, 1);
  Work(5, 1);  // 50 per second, 945 are left: 18.9 s
  EXPECT_NEAR(static_cast<double>(Wait(1, kSecond)), 18.9e9, 1e8);
  EXPECT_EQ(Wait(1, 19 * kSecond), 0);  // within the limit
  // Another client waits only for one sentence of client 1.
  const double turn = static_cast<double>(kSentenceCost) / (50.0 * 10);
  EXPECT_NEAR(static_cast<double>(Wait(2, kSecond / 10)), turn * 1e9, 1e8);
}

// The interactive backlog of one client delays another client only by its weight. So a call must
// not be refused because of the whole backlog.
TEST_F(WaitTest, AnUrgentBacklogOfAnotherIsAWaitOfItsWeightOnly) {
  PushMany(1000, Priority::kInteractive);
  queue_.TryPopWindow(5, 1'000'000, 1);
  Work(5, 1);
  EXPECT_NEAR(static_cast<double>(Wait(2, kSecond / 10)), 4.0 * kSentenceCost / (50.0 * 10) * 1e9,
              1e8);
  EXPECT_EQ(Wait(2, 2 * kSecond), 0);
}

TEST_F(WaitTest, LittleWorkIsNoLowRate) {
  // One segment per second arrives and is taken at once. That is 10 tokens per second without a
  // backlog, so the rate must not be used.
  for (int i = 0; i < 20; ++i) {
    clock_.Advance(kSecond);
    PushMany(1);
    queue_.TryPopWindow(64, 1'000'000, 1);
  }
  PushMany(1000);
  EXPECT_EQ(Wait(1, kSecond), 0);
}

TEST_F(WaitTest, OneSlowSecondRefusesNobody) {
  PushMany(3000);
  queue_.TryPopWindow(50, 1'000'000, 1);
  Work(50, 1);
  Work(1, 1);
  EXPECT_NEAR(static_cast<double>(Wait(1, kSecond)), 2440.0 / 500 * 1e9, 1e8);
  Work(1, 1);
  EXPECT_NEAR(static_cast<double>(Wait(1, kSecond)), 2430.0 / 10 * 1e9, 1e9);
}

TEST_F(RequestQueueTest, CloseDrainsThenEndsAndHandsBackWhatComesLater) {
  RequestQueue queue({10, 100}, &clock_);
  PushOne(queue, Make(0, 5));
  RequestQueue::Reservation reservation;
  ASSERT_EQ(queue.Reserve(0, 1, 1, 5, &reservation), RejectReason::kNone);
  queue.Close();
  std::vector<std::unique_ptr<Segment>> late;
  late.push_back(Make(1, 5));
  EXPECT_EQ(queue.Push(reservation, std::move(late)).size(), 1U);
  EXPECT_EQ(queue.PopWindow(10, 100, 1).size(), 1U);
  EXPECT_TRUE(queue.PopWindow(10, 100, 1).empty());
  EXPECT_EQ(queue.stats().segments, 0);
  EXPECT_EQ(queue.stats().tokens, 0);
}

TEST_F(RequestQueueTest, RemovesWhatAJobHas) {
  RequestQueue queue({10, 100}, &clock_);
  auto other = std::make_shared<RecordingOwner>(&ledger_);
  PushOne(queue, Make(0, 5));
  PushOne(queue, Make(1, 6, Priority::kBulk, other));
  PushOne(queue, Make(2, 7));
  EXPECT_EQ(queue.Remove(owner_.get()).size(), 2U);
  EXPECT_EQ(queue.stats().tokens, 6);
  EXPECT_EQ(queue.Remove(nullptr).size(), 1U);
  EXPECT_EQ(queue.stats().segments, 0);
}

TEST_F(RequestQueueTest, AWaitingPopWakesForAnArrival) {
  RequestQueue queue({10, 100}, &clock_);
  std::vector<std::unique_ptr<Segment>> window;
  std::thread popper([&] { window = queue.PopWindow(10, 100, 1); });
  PushOne(queue, Make(4, 5));
  popper.join();
  ASSERT_EQ(window.size(), 1U);
  EXPECT_EQ(window[0]->index, 4);
}

TEST_F(RequestQueueTest, TellsTheAgeOfTheOldest) {
  RequestQueue queue({10, 100}, &clock_);
  EXPECT_EQ(queue.stats().oldest_age, 0);
  PushOne(queue, Make(0, 5));
  clock_.Advance(500);
  PushOne(queue, Make(1, 5, Priority::kInteractive));
  EXPECT_EQ(queue.stats().oldest_age, 500);
}

TEST_F(RequestQueueTest, TryPopWindowTakesWhatThereIsAndDoesNotWait) {
  RequestQueue queue({10, 100}, &clock_);
  EXPECT_TRUE(queue.TryPopWindow(10, 100, 1).empty());
  for (int i = 0; i < 3; ++i) PushOne(queue, Make(i, 5));
  const auto window = queue.TryPopWindow(2, 100, 1);
  ASSERT_EQ(window.size(), 2U);
  EXPECT_EQ(window[1]->index, 1);
  EXPECT_EQ(queue.stats().segments, 1);
}

}  // namespace
}  // namespace dragoman::engine
