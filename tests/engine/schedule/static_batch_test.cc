// Tests when a static batch begins and what the encoder delivers for it. Runs a worker with its
// threads on a scripted model.
#include <gtest/gtest.h>

#include <thread>

#include "engine/decode/backend.h"
#include "engine/schedule/worker.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/scripted_model.h"
#include "tests/engine/support/scripts.h"

namespace dragoman::engine {
namespace {

using testing::CountingObserver;
using testing::FakeClock;
using testing::RecordingOwner;
using testing::ScriptedModel;

// A clock that yields to other threads at every call, so that a batch that is begun too early
// shows. The expected results do not depend on it.
class SlowClock : public FakeClock {
 public:
  Nanos Now() const override {
    for (int i = 0; i < 200; ++i) std::this_thread::yield();
    return testing::FakeClock::Now();
  }
};

// Records the number of segments that entered before each step. Read it after the worker has ended.
class TopUpObserver : public CountingObserver {
 public:
  void OnStep(const Step& step) override {
    testing::CountingObserver::OnStep(step);
    if (step.topped_up > 0) top_ups.push_back(step.topped_up);
  }
  std::vector<int> top_ups;
};

// Records the order in which its segments ended. Read it after the worker has ended.
class OrderOwner : public RecordingOwner {
 public:
  using testing::RecordingOwner::RecordingOwner;
  void OnDecoded(std::unique_ptr<Segment> segment,
                 std::vector<DecodedHypothesis> hypotheses) override {
    order.push_back(segment->index);
    testing::RecordingOwner::OnDecoded(std::move(segment), std::move(hypotheses));
  }
  std::vector<int> order;
};

class StaticBatchTest : public ::testing::Test {
 protected:
  StaticBatchTest() : queue_({10000, 1000000}, &clock_) {
    config_.batch.max_rows = 16;
    config_.batch.max_positions = 320;
    config_.batch.vocabulary = 12;
    config_.pages = {128, 400};
    options_.refill = RefillRule::kStatic;
    options_.unit = CapacityUnit::kSegments;
    options_.capacity = 8;
  }

  // Accepts segments of these source lengths and pushes them at once.
  void Push(const std::vector<int>& lengths, const std::shared_ptr<RecordingOwner>& owner) {
    std::vector<std::unique_ptr<Segment>> made;
    int64_t tokens = 0;
    for (const int length : lengths) {
      auto segment = std::make_unique<Segment>();
      segment->owner = owner;
      segment->index = pushed_++;
      segment->source.assign(static_cast<size_t>(length), 3);
      segment->source[0] = segment->index;
      segment->search.beam = 1 + segment->index % 2;
      segment->search.max_tokens = 30;
      segment->divisor = LengthDivisors(30, 1.0F);
      tokens += length;
      made.push_back(std::move(segment));
    }
    const auto segments = static_cast<int64_t>(lengths.size());
    ledger_.Accept(segments);
    RequestQueue::Reservation reservation;
    ASSERT_EQ(queue_.Reserve(0, 1, segments, tokens, &reservation), RejectReason::kNone);
    ASSERT_TRUE(queue_.Push(reservation, std::move(made)).empty());
  }

  // Decodes the pushed segments on one worker. Returns when `count` segments have ended.
  void Run(size_t count) {
    const Policy policy(options_);
    config_.window = options_.window;
    const WorkerShared shared{&queue_, &ledger_, &policy, &clock_, &observer_};
    const auto worker = *Worker::Create(config_, *backend_, shared, [] {});
    owner_->WaitFor(count);
    queue_.Close();
  }

  SlowClock clock_;
  TopUpObserver observer_;
  Ledger ledger_;
  const std::shared_ptr<const Backend> backend_ =
      CreateCpuBackend(std::make_shared<ScriptedModel>(testing::RandomScript(12)));
  RequestQueue queue_;
  WorkerConfig config_;
  SchedulerOptions options_;
  std::shared_ptr<OrderOwner> owner_ = std::make_shared<OrderOwner>(&ledger_);
  int pushed_ = 0;
};

// An encoder pass has two segments and a window three, but a batch has room for eight. All batches
// must be full except the last.
TEST_F(StaticBatchTest, WaitsUntilItIsFull) {
  options_.window.segments = 3;
  Push(std::vector<int>(43, 200), owner_);
  Run(43);
  EXPECT_EQ(observer_.top_ups, (std::vector<int>{8, 8, 8, 8, 8, 3}));
}

TEST_F(StaticBatchTest, IsFullInSourceTokensToo) {
  options_.unit = CapacityUnit::kSourceTokens;
  options_.capacity = 1000;
  Push(std::vector<int>(13, 200), owner_);
  Run(13);
  EXPECT_EQ(observer_.top_ups, (std::vector<int>{5, 5, 3}));
}

TEST_F(StaticBatchTest, ALoneSegmentIsNotKeptWaiting) {
  Push({20}, owner_);
  Run(1);
  EXPECT_EQ(observer_.top_ups, (std::vector<int>{1}));
}

TEST_F(StaticBatchTest, AQueueOrMemoryTooSmallForABatchMakesSmallerOnes) {
  Push(std::vector<int>(40, 200), owner_);
  config_.encoded_segments = 3;
  Run(40);
  EXPECT_EQ(owner_->results().size(), 40U);
  for (const int batch : observer_.top_ups) EXPECT_LE(batch, 8);
}

TEST_F(StaticBatchTest, TooFewCrossPagesForABatchDoNotHangIt) {
  Push(std::vector<int>(40, 200), owner_);
  config_.pages.cross_pages = 21;  // each segment takes seven
  Run(40);
  EXPECT_EQ(owner_->results().size(), 40U);
  for (const int batch : observer_.top_ups) EXPECT_LE(batch, 3);
}

TEST_F(StaticBatchTest, TwoWorkersShareAndEnd) {
  auto owner = std::make_shared<RecordingOwner>(&ledger_);  // called by two threads
  CountingObserver observer;
  const Policy policy(options_);
  config_.workers = 2;
  const WorkerShared shared{&queue_, &ledger_, &policy, &clock_, &observer};
  std::vector<int> lengths;
  lengths.reserve(150);
  for (int i = 0; i < 150; ++i) lengths.push_back(2 + i * 37 % 300);
  {
    const auto one = *Worker::Create(config_, *backend_, shared, [] {});
    const auto two = *Worker::Create(config_, *backend_, shared, [] {});
    for (size_t i = 0; i < lengths.size(); i += 10) {
      Push({lengths.begin() + static_cast<ptrdiff_t>(i),
            lengths.begin() + static_cast<ptrdiff_t>(i) + 10},
           owner);
    }
    owner->WaitFor(lengths.size());
    queue_.Close();
  }
  EXPECT_EQ(ledger_.Snapshot().waiting + ledger_.Snapshot().running, 0);
}

// Runs one segment at a time, which shows the order in which segments are delivered.
class WindowOrderTest : public StaticBatchTest {
 protected:
  std::vector<int> OrderOf(WindowOrder order, int64_t window) {
    options_.refill = RefillRule::kContinuous;
    options_.capacity = 1;
    options_.window.order = order;
    options_.window.segments = window;
    Push({5, 9, 5, 2, 7, 9, 1}, owner_);
    Run(7);
    return owner_->order;
  }
};

TEST_F(WindowOrderTest, Arrival) {
  EXPECT_EQ(OrderOf(WindowOrder::kArrival, 64), (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
}

TEST_F(WindowOrderTest, LongestFirst) {
  EXPECT_EQ(OrderOf(WindowOrder::kLongestFirst, 64), (std::vector<int>{1, 5, 4, 0, 2, 3, 6}));
}

TEST_F(WindowOrderTest, LongestFirstWithinEachWindow) {
  EXPECT_EQ(OrderOf(WindowOrder::kLongestFirst, 3), (std::vector<int>{1, 0, 2, 5, 4, 3, 6}));
}

TEST_F(WindowOrderTest, ShortestFirst) {
  EXPECT_EQ(OrderOf(WindowOrder::kShortestFirst, 64), (std::vector<int>{6, 3, 0, 2, 4, 1, 5}));
}

}  // namespace
}  // namespace dragoman::engine
