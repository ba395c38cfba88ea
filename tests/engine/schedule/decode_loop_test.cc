// Tests the decode loop round by round on a scripted model.
#include "engine/schedule/decode_loop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/schedule/loop_harness.h"

namespace dragoman::engine {
namespace {

using testing::LoopHarness;
using testing::RecordingOwner;

TEST(DecodeLoop, MixedBeamsToppedUpGiveWhatEachGivesAlone) {
  constexpr int kSegments = 120;
  const auto beam = [](int i) { return std::vector<int>{1, 4, 12, 3}[static_cast<size_t>(i % 4)]; };
  const auto length = [](int i) { return 1 + i * 7 % 23; };
  for (const int max_rows : {12, 17, 64}) {
    LoopHarness harness(testing::RandomScript(12), max_rows);
    for (int i = 0; i < kSegments; ++i) harness.Push(i, beam(i), i, length(i));
    harness.RunDry();
    const auto results = harness.owner->results();
    ASSERT_EQ(results.size(), static_cast<size_t>(kSegments));
    for (int i = 0; i < kSegments; ++i) {
      SCOPED_TRACE(i);
      testing::ExpectSame(results.at(i), testing::DecodedAlone(beam(i), i, length(i)));
    }
    EXPECT_EQ(harness.batch->self_pages_used(), 0);
    EXPECT_EQ(harness.owner->started, kSegments);
  }
}

TEST(DecodeLoop, ASecondSearchUsesTheSourceThatIsEncoded) {
  constexpr int kSegments = 40;
  LoopHarness harness(testing::RandomScript(12), 12);
  harness.SearchTwice(5);
  for (int i = 0; i < kSegments; ++i) harness.Push(i, 1 + i % 3, i, 1 + i * 7 % 23);
  const int32_t free_pages = harness.memory->cross_pages_free();
  harness.queue.EndOfInput();
  EXPECT_TRUE(harness.loop->Run().ok());  // ends only after the second searches
  const auto results = harness.owner->results();
  ASSERT_EQ(results.size(), static_cast<size_t>(kSegments));
  for (int i = 0; i < kSegments; ++i) {
    SCOPED_TRACE(i);
    testing::ExpectSame(results.at(i), testing::DecodedAlone(5, i, 1 + i * 7 % 23));
  }
  EXPECT_LT(free_pages, harness.memory->cross_pages());
  EXPECT_EQ(harness.memory->cross_pages_free(), harness.memory->cross_pages());
  EXPECT_EQ(harness.batch->self_pages_used(), 0);
  EXPECT_EQ(harness.observer.searched_again, kSegments);
  EXPECT_EQ(harness.owner->started, 2 * kSegments);
  EXPECT_EQ(harness.ledger.Snapshot().eos + harness.ledger.Snapshot().length, kSegments);
  EXPECT_TRUE(testing::Balanced(harness.ledger.Snapshot()));
}

TEST(DecodeLoop, ASegmentThatEndsBeforeItsSecondSearchGivesItsPagesBack) {
  LoopHarness harness;
  harness.owner->search_again = [&](Segment*, std::span<const DecodedHypothesis>) {
    harness.owner->Abandon(CancelCause::kClient);
    return true;
  };
  harness.Push(0, 2, 3, 9);
  harness.RunDry();
  EXPECT_EQ(harness.owner->results().size(), 0U);
  EXPECT_EQ(harness.ledger.Snapshot().cancelled, 1);
  EXPECT_EQ(harness.memory->cross_pages_free(), harness.memory->cross_pages());
}

TEST(DecodeLoop, FreeRowsAreToppedUpAtTheNextStep) {
  // Three segments of beam 1 compete for 2 rows. min_tokens and a steep EOS fix their lengths.
  LoopHarness harness(testing::RandomScript(12), 2);
  harness.Push(1, 1, 1, -20, nullptr, 1);
  harness.Push(3, 1, 2, -20, nullptr, 5);
  harness.Push(5, 1, 3, -20, nullptr, 2);
  // The first segment produces a token and EOS, so it ends after two steps. The third enters at the
  // next step.
  ASSERT_TRUE(*harness.loop->RunOnce());
  EXPECT_EQ(harness.batch->live().size(), 2U);
  ASSERT_TRUE(*harness.loop->RunOnce());
  EXPECT_EQ(harness.batch->live().size(), 1U);
  ASSERT_TRUE(*harness.loop->RunOnce());
  EXPECT_EQ(harness.batch->live().size(), 2U);
  harness.RunDry();
  EXPECT_EQ(harness.observer.steps, 6);       // the longest takes 6 steps
  EXPECT_EQ(harness.observer.row_steps, 11);  // 2 + 6 + 3
}

// The loop counts the steps during which an encoder pass ran, for the complete step or for a part of
// it. The times of these steps show how much the encoder slows decoding. A device does not report
// this.
TEST(DecodeLoop, AStepIsBesideAPassThatRanForAnyPartOfIt) {
  LoopHarness harness(testing::RandomScript(12), 2);
  PassMarks& passes = harness.queue.passes();
  harness.Push(1, 1, 1, -20, nullptr, 9);
  const auto beside = [&](const std::function<void()>& meanwhile) {
    harness.model.before_step = [&](int64_t) {
      meanwhile();
      return absl::OkStatus();
    };
    const int64_t before = harness.observer.steps_beside_pass;
    EXPECT_TRUE(*harness.loop->RunOnce());
    return harness.observer.steps_beside_pass - before;
  };
  EXPECT_EQ(beside([] {}), 0);
  EXPECT_EQ(beside([&] { passes.Begin(); }), 1);  // begins during the step
  EXPECT_EQ(beside([] {}), 1);                    // runs during the whole step
  EXPECT_EQ(beside([&] { passes.End(); }), 1);    // ends during the step
  EXPECT_EQ(beside([] {}), 0);
  EXPECT_EQ(beside([&] {
              passes.Begin();
              passes.End();
            }),
            1);
  passes.Begin();
  passes.End();
  EXPECT_EQ(beside([] {}), 0);  // the pass ran between two steps
}

TEST(DecodeLoop, ACancelledSegmentFreesItsRowsAtTheNextStep) {
  LoopHarness harness(testing::RandomScript(12), 8);
  auto cancelled = std::make_shared<RecordingOwner>(&harness.ledger);
  harness.Push(1, 4, 1, 30, cancelled, 20);
  harness.Push(3, 4, 2, 30, nullptr, 20);
  harness.Push(5, 4, 3, 30, nullptr, 20);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(*harness.loop->RunOnce());
  EXPECT_EQ(harness.batch->live().size(), 2U);
  const int64_t before = harness.observer.row_steps;
  cancelled->Abandon(CancelCause::kClient);
  ASSERT_TRUE(*harness.loop->RunOnce());
  // The cancelled segment's four rows have left, and the waiting segment has entered with one row.
  EXPECT_EQ(harness.observer.row_steps - before, 5);
  EXPECT_EQ(harness.observer.cancelled, 1);
  EXPECT_EQ(harness.observer.wasted_tokens, 5);
  EXPECT_EQ(harness.observer.last_cancelled_stage, Stage::kDecode);
  EXPECT_EQ(harness.ledger.Snapshot().cancelled, 1);
  harness.RunDry();
  EXPECT_TRUE(cancelled->results().empty());
  EXPECT_EQ(harness.owner->results().size(), 2U);
}

TEST(DecodeLoop, AnExpiredSegmentEndsAtTheNextStepOrAtTheTopUp) {
  LoopHarness harness(testing::RandomScript(12), 4);
  harness.deadline = 1000;
  auto running = std::make_shared<RecordingOwner>(&harness.ledger);
  auto waiting = std::make_shared<RecordingOwner>(&harness.ledger);
  harness.Push(1, 4, 1, 30, running, 20);
  harness.Push(3, 4, 2, 30, waiting, 20);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(*harness.loop->RunOnce());
  harness.clock.Advance(1000);
  ASSERT_FALSE(*harness.loop->RunOnce());
  EXPECT_EQ(running->abandoned(), CancelCause::kDeadline);
  EXPECT_EQ(waiting->abandoned(), CancelCause::kDeadline);
  EXPECT_EQ(harness.ledger.Snapshot().deadline, 2);
  EXPECT_EQ(harness.observer.steps, 3);
}

TEST(DecodeLoop, AnErrorOfTheModelFailsEverythingInSlots) {
  LoopHarness harness;
  int steps = 0;
  harness.model.before_step = [&steps](int64_t) {
    return ++steps == 3 ? absl::InternalError("device lost") : absl::OkStatus();
  };
  for (int i = 0; i < 3; ++i) harness.Push(i, 4, i, 20, nullptr, 9);
  ASSERT_TRUE(*harness.loop->RunOnce());
  ASSERT_TRUE(*harness.loop->RunOnce());
  EXPECT_FALSE(harness.loop->RunOnce().ok());
  EXPECT_EQ(harness.owner->failures().size(), 3U);
  EXPECT_TRUE(harness.loop->stats().dead);
  EXPECT_EQ(harness.ledger.Snapshot().error, 3);
}

}  // namespace
}  // namespace dragoman::engine
