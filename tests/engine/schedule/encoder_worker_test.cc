#include "engine/schedule/encoder_worker.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/engine/support/fakes.h"
#include "tests/engine/support/scripted_model.h"
#include "tests/engine/support/scripts.h"

namespace dragoman::engine {
namespace {

using testing::CountingObserver;
using testing::FakeClock;
using testing::RecordingOwner;
using testing::ScriptedModel;

// An encoder's thread between a request queue of 100 segments and an encoded queue that only the
// test empties.
class EncoderWorkerTest : public ::testing::Test {
 protected:
  void Start(const EncoderWorker::Config& config, int64_t capacity, int32_t cross_pages) {
    memory_ = *KvMemory::Create(ScriptedModel::kLayout, 1, cross_pages);
    encoder_ = model_.CreateEncoder(1);
    out_ = std::make_unique<EncodedQueue>(capacity, &clock_);
    worker_ =
        std::make_unique<EncoderWorker>(config, &queue_, encoder_.get(), memory_.get(), out_.get(),
                                        SegmentAccounting{&ledger_, &observer_}, &clock_);
    std::vector<std::unique_ptr<Segment>> segments;
    for (int i = 0; i < 100; ++i) {
      auto segment = std::make_unique<Segment>();
      segment->owner = owner_;
      segment->index = i;
      segment->source.assign(40, 3);  // two pages
      segments.push_back(std::move(segment));
    }
    ledger_.Accept(100);
    RequestQueue::Reservation reservation;
    ASSERT_EQ(queue_.Reserve(0, 1, 100, 4000, &reservation), RejectReason::kNone);
    ASSERT_TRUE(queue_.Push(reservation, std::move(segments)).empty());
    thread_ = std::thread([this] { worker_->Run(); });
  }
  void TearDown() override {
    queue_.Close();
    while (out_->WaitUntil([](const Waiting&) { return true; })) Pop();
    thread_.join();
    EXPECT_EQ(ledger_.Snapshot().waiting, 100 - popped_);
  }

  void Pop() {
    const auto segment = out_->TryPop([](const Segment&) { return true; });
    ASSERT_NE(segment, nullptr);
    ledger_.End(false, Outcome::kEos);
    ++popped_;
  }
  void WaitUntilEncoded(int64_t segments) {
    ASSERT_TRUE(
        out_->WaitUntil([segments](const Waiting& w) { return w.load.segments >= segments; }));
  }

  FakeClock clock_;
  Ledger ledger_;
  CountingObserver observer_;
  ScriptedModel model_{testing::RandomScript(12)};
  std::shared_ptr<RecordingOwner> owner_ = std::make_shared<RecordingOwner>(&ledger_);
  RequestQueue queue_{{1000, 100000}, &clock_};
  std::unique_ptr<KvMemory> memory_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<EncodedQueue> out_;
  std::unique_ptr<EncoderWorker> worker_;
  std::thread thread_;
  int popped_ = 0;
};

// Priorities and fair turns cannot reach segments that the encoder has already taken.
TEST_F(EncoderWorkerTest, TakesNoMoreThanThereIsRoomFor) {
  Start({.window = {.segments = 32}}, /*capacity=*/32, /*cross_pages=*/100);
  WaitUntilEncoded(32);
  EXPECT_EQ(queue_.stats().segments, 68);
  Pop();
  EXPECT_EQ(queue_.stats().segments, 68);  // waits for room for two, a sixteenth of a window
  Pop();
  WaitUntilEncoded(32);
  EXPECT_EQ(queue_.stats().segments, 66);
}

TEST_F(EncoderWorkerTest, MarksItsPasses) {
  std::atomic<int> unmarked = 0;
  model_.before_encode = [&](int64_t) {
    const PassMarks& passes = out_->passes();
    unmarked += passes.AnySince(passes.ended()) ? 0 : 1;
    return absl::OkStatus();
  };
  Start({.window = {.segments = 32}}, /*capacity=*/32, /*cross_pages=*/100);
  WaitUntilEncoded(32);
  EXPECT_EQ(unmarked, 0);
  EXPECT_GE(out_->passes().ended(), 1);
  EXPECT_FALSE(out_->passes().AnySince(out_->passes().ended()));  // it waits for room
}

TEST_F(EncoderWorkerTest, TakesNoMoreThanThereArePagesFor) {
  Start({.window = {.segments = 32}}, /*capacity=*/64, /*cross_pages=*/16);
  // The token limit of the first window, 8 * 32, allows six segments of 40 tokens, and that of the
  // second window, 2 * 32, allows one. Then the encoder waits until four pages, a quarter of all,
  // are free.
  WaitUntilEncoded(7);
  EXPECT_EQ(memory_->cross_pages_free(), 2);
  EXPECT_EQ(queue_.stats().segments, 93);
}

TEST_F(EncoderWorkerTest, TakesAWholeWindowWhereSortingItIsTheMethod) {
  Start({.window = {.segments = 20}, .whole_windows = true}, /*capacity=*/8, /*cross_pages=*/100);
  WaitUntilEncoded(8);
  EXPECT_EQ(queue_.stats().segments, 80);
}

}  // namespace
}  // namespace dragoman::engine
