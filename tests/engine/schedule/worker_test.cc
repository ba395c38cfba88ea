// Tests a worker with its threads on a scripted model, with a batch on the host and in the loop of
// a device.
#include "engine/schedule/worker.h"

#include <gtest/gtest.h>

#include <thread>

#include "engine/decode/backend.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/host_device_backend.h"
#include "tests/engine/support/scripted_model.h"
#include "tests/engine/support/scripts.h"

namespace dragoman::engine {
namespace {

using testing::CountingObserver;
using testing::FakeClock;
using testing::RecordingOwner;
using testing::ScriptedModel;

enum class Place { kHost, kDevice };

class WorkerTest : public ::testing::TestWithParam<Place> {
 protected:
  WorkerTest() : queue_({10000, 1000000}, &clock_) {
    config_.batch.max_rows = 16;
    config_.batch.max_positions = 64;
    config_.batch.vocabulary = 12;
    config_.pages = {128, 8};
    config_.encoded_segments = 4;
  }

  std::vector<std::unique_ptr<Worker>> Start(RequestQueue& queue, int workers) {
    config_.workers = workers;
    const WorkerShared shared{&queue, &ledger_, &policy_, &clock_, &observer_};
    std::vector<std::unique_ptr<Worker>> made;
    made.reserve(static_cast<size_t>(workers));
    for (int i = 0; i < workers; ++i) {
      made.push_back(*Worker::Create(config_, *backend_, shared, [this] { ++dead_; }));
    }
    return made;
  }

  // Accepts and pushes segments of different lengths and beams.
  void Push(RequestQueue& queue, const std::shared_ptr<RecordingOwner>& owner, int segments,
            uint64_t client = 0) {
    std::vector<std::unique_ptr<Segment>> made;
    made.reserve(static_cast<size_t>(segments));
    for (int i = 0; i < segments; ++i) {
      auto segment = std::make_unique<Segment>();
      segment->owner = owner;
      segment->index = i;
      segment->client = client;
      segment->source.assign(static_cast<size_t>(2 + i * 13 % 60), 3);
      segment->source[0] = i;
      segment->source[1] = i % 17;
      segment->search.beam = 1 + i % 6;
      segment->search.max_tokens = 30;
      segment->divisor = LengthDivisors(30, 1.0F);
      segment->forbidden = forbidden_;
      made.push_back(std::move(segment));
    }
    ledger_.Accept(segments);
    RequestQueue::Reservation reservation;
    ASSERT_EQ(queue.Reserve(client, 1, segments, 60 * segments, &reservation), RejectReason::kNone);
    for (auto& refused : queue.Push(reservation, std::move(made))) {
      Fail(std::move(refused), WorkerStoppedError(), {&ledger_, &observer_});
    }
  }

  FakeClock clock_;
  CountingObserver observer_;
  Ledger ledger_;
  Policy policy_;
  const std::shared_ptr<ScriptedModel> model_ =
      std::make_shared<ScriptedModel>(testing::RandomScript(12));
  testing::HostDeviceTotals totals_;
  const std::shared_ptr<const Backend> backend_ =
      GetParam() == Place::kHost
          ? CreateCpuBackend(model_)
          : testing::CreateHostDeviceBackend(
                model_, {.buckets = {4, 8}, .fused_candidates = 4, .totals = &totals_});
  RequestQueue queue_;
  WorkerConfig config_;
  const std::shared_ptr<const ForbiddenTable> forbidden_ =
      std::make_shared<ForbiddenTable>(std::vector<std::vector<int32_t>>{{11}});
  std::atomic<int> dead_{0};
};

TEST_P(WorkerTest, OneAndTwoWorkersDecodeEverythingAlike) {
  const auto decode = [this](int workers) {
    RequestQueue queue({10000, 1000000}, &clock_);
    auto owner = std::make_shared<RecordingOwner>(&ledger_);
    const auto made = Start(queue, workers);
    Push(queue, owner, 200);
    owner->WaitFor(200);
    queue.Close();
    return owner->results();
  };
  auto one = decode(1);
  auto two = decode(2);
  ASSERT_EQ(one.size(), 200U);
  ASSERT_EQ(two.size(), 200U);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(one[i].size(), two[i].size());
    EXPECT_EQ(one[i][0].tokens, two[i][0].tokens);
    EXPECT_EQ(one[i][0].score, two[i][0].score);
  }
  const SegmentCounts counts = ledger_.Snapshot();
  EXPECT_TRUE(testing::Balanced(counts));
  EXPECT_EQ(counts.waiting + counts.running, 0);
  EXPECT_EQ(observer_.padded_tokens, 0);
}

TEST_P(WorkerTest, ClosingTheQueueDecodesWhatWasAccepted) {
  auto owner = std::make_shared<RecordingOwner>(&ledger_);
  {
    const auto workers = Start(queue_, 2);
    Push(queue_, owner, 100);
    queue_.Close();
  }
  EXPECT_EQ(owner->results().size(), 100U);
}

TEST_P(WorkerTest, ADeadWorkerFailsItsSegmentsAndTheOtherGoesOn) {
  std::atomic<int> steps{0};
  model_->before_step = [&steps](int64_t) {
    return ++steps == 20 ? absl::InternalError("device lost") : absl::OkStatus();
  };
  auto owner = std::make_shared<RecordingOwner>(&ledger_);
  {
    const auto workers = Start(queue_, 2);
    Push(queue_, owner, 100);
    owner->WaitFor(100);
    queue_.Close();
  }
  EXPECT_EQ(dead_, 1);
  EXPECT_GT(owner->failures().size(), 0U);
  EXPECT_EQ(owner->results().size() + owner->failures().size(), 100U);
  const SegmentCounts counts = ledger_.Snapshot();
  EXPECT_TRUE(testing::Balanced(counts));
  EXPECT_EQ(counts.waiting + counts.running, 0);
}

// Segments that arrive after one worker has failed go to the other. The failed worker would fail
// all of them.
TEST_P(WorkerTest, ADeadWorkerLeavesTheQueueToTheOther) {
  std::atomic<int> steps{0};
  std::atomic<int> passes{0};
  for (const bool by_encoder : {false, true}) {
    dead_ = 0;
    steps = 0;
    passes = 0;
    model_->before_step = [&](int64_t) {
      return !by_encoder && ++steps == 20 ? absl::InternalError("device lost") : absl::OkStatus();
    };
    model_->before_encode = [&](int64_t) {
      return by_encoder && ++passes == 3 ? absl::InternalError("device lost") : absl::OkStatus();
    };
    RequestQueue queue({10000, 1000000}, &clock_);
    auto first = std::make_shared<RecordingOwner>(&ledger_);
    auto second = std::make_shared<RecordingOwner>(&ledger_);
    {
      const auto workers = Start(queue, 2);
      Push(queue, first, 100);
      first->WaitFor(100);
      while (dead_ == 0) std::this_thread::yield();
      Push(queue, second, 100);
      second->WaitFor(100);
      queue.Close();
    }
    EXPECT_EQ(dead_, 1);
    EXPECT_GT(first->failures().size(), 0U);
    EXPECT_EQ(second->failures().size(), 0U);
    EXPECT_EQ(second->results().size(), 100U);
  }
}

TEST_P(WorkerTest, AnAbandonedJobIsDroppedEverywhere) {
  auto owner = std::make_shared<RecordingOwner>(&ledger_);
  {
    const auto workers = Start(queue_, 1);
    Push(queue_, owner, 300);
    owner->Abandon(CancelCause::kClient);
    for (auto& segment : queue_.Remove(owner.get())) {
      Drop(std::move(segment), Stage::kQueue, 0, {&ledger_, &observer_});
    }
    workers[0]->DropEncoded(owner.get());
    queue_.Close();
  }
  const SegmentCounts counts = ledger_.Snapshot();
  EXPECT_TRUE(testing::Balanced(counts));
  EXPECT_EQ(counts.waiting + counts.running, 0);
  EXPECT_EQ(counts.accepted, 300);
  EXPECT_EQ(counts.cancelled, observer_.cancelled);
  EXPECT_GT(counts.cancelled, 0);
}

// Records how many segments of another owner had started when its own segment started.
class Newcomer : public RecordingOwner {
 public:
  Newcomer(Ledger* ledger, const testing::RecordingOwner* other)
      : testing::RecordingOwner(ledger), other_(other) {}
  void OnStarted() override {
    others_started.store(other_->started);
    testing::RecordingOwner::OnStarted();
  }
  std::atomic<int> others_started{0};

 private:
  const testing::RecordingOwner* const other_;
};

// A backlog of 400 segments of one client delays another client's sentence only by the encoded
// segments and one window.
TEST_P(WorkerTest, ABacklogDelaysAnotherClientByAWindowAtMost) {
  config_.encoded_segments = 16;
  config_.window.segments = 16;
  config_.pages = {128, 64};
  auto crowd = std::make_shared<RecordingOwner>(&ledger_);
  auto newcomer = std::make_shared<Newcomer>(&ledger_, crowd.get());
  std::atomic<int> steps{0};
  std::atomic<int> started_before{-1};
  model_->before_step = [&](int64_t) {
    if (++steps == 40) {
      started_before = crowd->started.load();
      Push(queue_, newcomer, 1, /*client=*/7);
    }
    return absl::OkStatus();
  };
  {
    const auto workers = Start(queue_, 1);
    Push(queue_, crowd, 400);
    newcomer->WaitFor(1);
    crowd->WaitFor(400);
    queue_.Close();
  }
  ASSERT_GE(started_before, 0);
  ASSERT_LT(started_before, 200);
  EXPECT_LE(newcomer->others_started - started_before, 16 + 16);
}

INSTANTIATE_TEST_SUITE_P(Places, WorkerTest, ::testing::Values(Place::kHost, Place::kDevice),
                         [](const auto& info) {
                           return info.param == Place::kHost ? "Host" : "Device";
                         });

}  // namespace
}  // namespace dragoman::engine
