#include "engine/schedule/encoded_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/engine/support/fakes.h"

namespace dragoman::engine {
namespace {

using testing::FakeClock;
using testing::RecordingOwner;

bool Any(const Segment&) { return true; }

class EncodedQueueTest : public ::testing::Test {
 protected:
  std::unique_ptr<Segment> Make(int index, int tokens, Priority priority = Priority::kNormal) {
    auto segment = std::make_unique<Segment>();
    segment->owner = owner_;
    segment->index = index;
    segment->priority = priority;
    segment->search.beam = 3;
    segment->source.resize(static_cast<size_t>(tokens));
    return segment;
  }

  FakeClock clock_;
  Ledger ledger_;
  std::shared_ptr<RecordingOwner> owner_ = std::make_shared<RecordingOwner>(&ledger_);
};

TEST_F(EncodedQueueTest, HandsOutByWeightOfPriorityAndThenInTheEncodersOrder) {
  EncodedQueue queue(8, &clock_);
  EXPECT_EQ(queue.Push(Make(0, 5, Priority::kBulk)), nullptr);
  EXPECT_EQ(queue.Push(Make(1, 5)), nullptr);
  EXPECT_EQ(queue.Push(Make(2, 9)), nullptr);
  EXPECT_EQ(queue.Push(Make(3, 5, Priority::kInteractive)), nullptr);
  std::vector<int> order;
  while (const auto segment = queue.TryPop(Any)) order.push_back(segment->index);
  EXPECT_EQ(order, (std::vector<int>{3, 1, 2, 0}));
}

TEST_F(EncodedQueueTest, NeverOvertakesTheNextInOrder) {
  EncodedQueue queue(4, &clock_);
  EXPECT_EQ(queue.Push(Make(0, 50)), nullptr);
  EXPECT_EQ(queue.Push(Make(1, 1)), nullptr);
  const auto small = [](const Segment& s) { return s.tokens() < 10; };
  EXPECT_EQ(queue.TryPop(small), nullptr);
  EXPECT_EQ(queue.TryPop(Any)->index, 0);
  EXPECT_EQ(queue.TryPop(small)->index, 1);
}

TEST_F(EncodedQueueTest, AFullQueueMakesTheEncoderWait) {
  const auto some = [](const Waiting&) { return true; };
  EncodedQueue queue(1, &clock_);
  EXPECT_EQ(queue.Push(Make(0, 1)), nullptr);
  std::thread encoder([&] { EXPECT_EQ(queue.Push(Make(1, 1)), nullptr); });
  EXPECT_EQ(queue.TryPop(Any)->index, 0);
  ASSERT_TRUE(queue.WaitUntil(some));
  EXPECT_EQ(queue.TryPop(Any)->index, 1);
  encoder.join();
  queue.EndOfInput();
  EXPECT_FALSE(queue.WaitUntil(some));
}

TEST_F(EncodedQueueTest, RoomIsWaitedForAndThenThere) {
  EncodedQueue queue(4, &clock_);
  EXPECT_EQ(queue.WaitForRoom(2), 4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(queue.Push(Make(i, 1)), nullptr);
  int64_t room = 0;
  std::thread encoder([&] { room = queue.WaitForRoom(3); });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.TryPop(Any)->index, i);
  encoder.join();
  EXPECT_EQ(room, 3);
  EXPECT_EQ(queue.TryPop(Any)->index, 3);
  EXPECT_EQ(queue.WaitForRoom(100), 4);  // asks for more than the capacity: waits for all of it
  EXPECT_EQ(queue.Push(Make(4, 1)), nullptr);
  std::thread closed([&] { queue.WaitForRoom(4); });
  queue.Close();
  closed.join();
}

TEST_F(EncodedQueueTest, TellsWhatWaitsAndWhatIsOnItsWay) {
  EncodedQueue queue(8, &clock_);
  EXPECT_FALSE(queue.waiting().on_its_way);
  queue.SetEncoderAtWork(true);
  EXPECT_EQ(queue.Push(Make(0, 7)), nullptr);
  EXPECT_EQ(queue.Push(Make(1, 5)), nullptr);
  Waiting seen = queue.waiting();
  EXPECT_EQ(seen.load.segments, 2);
  EXPECT_EQ(seen.load.source_tokens, 12);
  EXPECT_EQ(seen.load.rows, 6);
  EXPECT_TRUE(seen.on_its_way);
  EXPECT_FALSE(seen.held_up);
  queue.SetEncoderHeldUp(true);
  EXPECT_TRUE(queue.waiting().held_up);
  queue.SetEncoderHeldUp(false);
  EXPECT_FALSE(queue.waiting().held_up);
  EXPECT_EQ(queue.TryPop(Any)->index, 0);
  EXPECT_EQ(queue.waiting().load.rows, 3);
  queue.SetEncoderAtWork(false);
  EXPECT_FALSE(queue.waiting().on_its_way);
  queue.SetEncoderAtWork(true);
  queue.EndOfInput();
  EXPECT_FALSE(queue.waiting().on_its_way);
  EXPECT_EQ(queue.Remove(owner_.get()).size(), 1U);
  EXPECT_EQ(queue.waiting().load.source_tokens, 0);
}

// A thread that waits for three segments wakes when they have come or cannot come any more.
TEST_F(EncodedQueueTest, AWaitForMoreEndsWhenItComesOrCannotCome) {
  const auto three = [](const Waiting& w) {
    return w.load.segments >= 3 || !w.on_its_way || w.held_up;
  };
  {
    EncodedQueue queue(8, &clock_);
    queue.SetEncoderAtWork(true);
    std::thread encoder([&] {
      for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.Push(Make(i, 1)), nullptr);
    });
    ASSERT_TRUE(queue.WaitUntil(three));
    EXPECT_EQ(queue.waiting().load.segments, 3);
    encoder.join();
  }
  {
    EncodedQueue queue(8, &clock_);  // the encoder finds no more segments
    queue.SetEncoderAtWork(true);
    std::thread encoder([&] {
      EXPECT_EQ(queue.Push(Make(0, 1)), nullptr);
      queue.SetEncoderAtWork(false);
    });
    ASSERT_TRUE(queue.WaitUntil(three));
    EXPECT_EQ(queue.waiting().load.segments, 1);
    encoder.join();
  }
  {
    EncodedQueue queue(2, &clock_);  // the queue has no room for three
    queue.SetEncoderAtWork(true);
    std::thread encoder([&] {
      for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.Push(Make(i, 1)), nullptr);
    });
    ASSERT_TRUE(queue.WaitUntil(three));
    EXPECT_TRUE(queue.waiting().held_up);
    EXPECT_NE(queue.TryPop(Any), nullptr);
    encoder.join();
    EXPECT_FALSE(queue.waiting().held_up);
  }
  {
    EncodedQueue queue(8, &clock_);  // the input ends after one segment
    queue.SetEncoderAtWork(true);
    std::thread encoder([&] {
      EXPECT_EQ(queue.Push(Make(0, 1)), nullptr);
      queue.EndOfInput();
    });
    ASSERT_TRUE(queue.WaitUntil(three));
    encoder.join();
  }
  {
    EncodedQueue queue(8, &clock_);
    queue.SetEncoderAtWork(true);
    EXPECT_EQ(queue.Push(Make(0, 1)), nullptr);
    std::thread closer([&] { EXPECT_EQ(queue.Close().size(), 1U); });
    EXPECT_FALSE(queue.WaitUntil(three));
    closer.join();
  }
}

}  // namespace
}  // namespace dragoman::engine
