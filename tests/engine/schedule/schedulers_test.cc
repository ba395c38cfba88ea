// Runs the decode loop with every scheduler. The translations must be the same, and no segment may
// be lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "engine/schedule/decode_loop.h"
#include "tests/engine/schedule/loop_harness.h"
#include "tests/engine/support/allocations.h"

namespace dragoman::engine {
namespace {

using testing::LoopHarness;
using testing::RecordingOwner;
using testing::Script;

SchedulerOptions Options(RefillRule refill, CapacityUnit unit = CapacityUnit::kRows,
                         int64_t capacity = 0,
                         kernels::SlotSelection selection = kernels::SlotSelection::kAll,
                         int width_budget = 0) {
  SchedulerOptions o;
  o.refill = refill;
  o.unit = unit;
  o.capacity = capacity;
  o.selection = selection;
  o.width_budget = width_budget;
  return o;
}

// Returns all combinations of rules, selections, units and budgets that are valid for 12 rows or
// more.
std::vector<SchedulerOptions> AllSchedulers() {
  std::vector<SchedulerOptions> all;
  for (const RefillRule refill : {RefillRule::kContinuous, RefillRule::kStream,
                                  RefillRule::kHalfEmpty, RefillRule::kStatic}) {
    for (const kernels::SlotSelection selection :
         {kernels::SlotSelection::kAll, kernels::SlotSelection::kShortest,
          kernels::SlotSelection::kLongest}) {
      all.push_back(Options(refill, CapacityUnit::kRows, 0, selection));
      all.push_back(Options(refill, CapacityUnit::kSegments, 7, selection, 10));
      all.push_back(Options(refill, CapacityUnit::kSourceTokens, 19, selection, 1));
      all.back().lanes = 100;
    }
  }
  for (const SchedulerOptions& o : all) EXPECT_TRUE(CheckSchedulerOptions(o, 12).ok());
  return all;
}

constexpr int kMixedSegments = 60;
int BeamOf(int i) { return std::vector<int>{1, 4, 12, 3}[static_cast<size_t>(i % 4)]; }
int LengthOf(int i) { return 1 + i * 7 % 23; }

// Sets one of five methods. Some change the width of a slot from step to step, others begin with
// the full width.
void Prepare(Segment& segment) {
  kernels::SearchOptions& o = segment.search;
  const int method = segment.source[0] % 5;
  if (method > 0) segment.wants_partials = false;
  switch (method) {
    case 1:
      o.finalisation = kernels::Finalisation::kOnBeam;
      o.forced_eos = kernels::ForcedEos::kModel;
      o.prune = 1.5F;
      o.max_candidates = 3;
      break;
    case 2:
      o.finalisation = kernels::Finalisation::kKeep;
      o.forced_eos = kernels::ForcedEos::kModel;
      segment.constraints = ConstraintTable({{3, 4}, {5}});
      break;
    case 3:
      o.sampling.enabled = true;
      o.sampling.seed = 17;
      break;
    case 4:
      o.stop_rule = kernels::StopRule::kAllBeams;
      o.no_repeat_ngram = 2;
      break;
    default:
      break;
  }
}

const std::vector<DecodedHypothesis>& Alone(int i) {
  static std::map<int, std::vector<DecodedHypothesis>> known;
  if (!known.contains(i)) known[i] = testing::DecodedAlone(BeamOf(i), i, LengthOf(i), Prepare);
  return known[i];
}

TEST(Schedulers, EveryOneGivesWhatEachSegmentGivesAlone) {
  const std::vector<SchedulerOptions> all = AllSchedulers();
  for (size_t which = 0; which < all.size(); ++which) {
    // 24 pages are the worst case of a single beam of 12.
    for (const int pages : {24, 31, 512}) {
      SCOPED_TRACE(which);
      LoopHarness harness(testing::RandomScript(12), 12, pages, all[which]);
      harness.prepare = Prepare;
      for (int i = 0; i < kMixedSegments; ++i) {
        harness.priority = static_cast<Priority>(i % 3);
        harness.Push(i, BeamOf(i), i, LengthOf(i));
      }
      harness.RunDry();
      const auto results = harness.owner->results();
      ASSERT_EQ(results.size(), static_cast<size_t>(kMixedSegments));
      for (int i = 0; i < kMixedSegments; ++i) testing::ExpectSame(results.at(i), Alone(i));
      EXPECT_EQ(harness.batch->self_pages_used(), 0);
      EXPECT_EQ(harness.ledger.Snapshot().waiting, 0);
    }
  }
}

TEST(Schedulers, CancellationsAndArrivalsAtAnyTimeLoseNobody) {
  std::mt19937 random(3);
  for (const SchedulerOptions& options : AllSchedulers()) {
    LoopHarness harness(testing::RandomScript(12), 12, 30, options);
    harness.prepare = Prepare;
    std::vector<std::shared_ptr<RecordingOwner>> owners;
    std::vector<bool> cancelled(kMixedSegments, false);
    int pushed = 0;
    for (int round = 0;
         pushed < kMixedSegments || harness.live() > 0 || harness.queue.stats().segments > 0;
         ++round) {
      ASSERT_LT(round, 20000);
      for (int n = static_cast<int>(random() % 4); n > 0 && pushed < kMixedSegments;
           --n, ++pushed) {
        owners.push_back(std::make_shared<RecordingOwner>(&harness.ledger));
        harness.priority = static_cast<Priority>(random() % 3);
        harness.Push(pushed, BeamOf(pushed), pushed, LengthOf(pushed), owners.back());
      }
      if (random() % 8 == 0 && !owners.empty()) {
        const size_t who = random() % owners.size();
        if (owners[who]->results().empty()) {
          owners[who]->Abandon(CancelCause::kClient);
          cancelled[who] = true;
        }
      }
      // After the round, a cancelled segment has left, whether it was running or paused.
      ASSERT_TRUE(harness.loop->RunOnce().ok());
      ASSERT_TRUE(testing::Balanced(harness.ledger.Snapshot()));
    }
    int completed = 0;
    for (size_t i = 0; i < owners.size(); ++i) {
      EXPECT_EQ(owners[i]->results().empty(), cancelled[i]) << i;
      if (cancelled[i]) continue;
      testing::ExpectSame(owners[i]->results().at(static_cast<int>(i)), Alone(static_cast<int>(i)));
      ++completed;
    }
    EXPECT_EQ(harness.ledger.Snapshot().cancelled, kMixedSegments - completed);
    EXPECT_GT(completed, 0);
    EXPECT_EQ(harness.batch->self_pages_used(), 0);
  }
}

// With continuous refill there is always a shorter segment, but the long one still ends in time.
TEST(Schedulers, ShortestFirstPausesNobodyForLongerThanTheBound) {
  SchedulerOptions options =
      Options(RefillRule::kContinuous, CapacityUnit::kRows, 0, kernels::SlotSelection::kShortest);
  for (const int max_pause : {5, kernels::kMaxPause}) {
    options.max_pause = max_pause;
    LoopHarness harness(testing::RandomScript(12), 8, 512, options);
    auto patient = std::make_shared<RecordingOwner>(&harness.ledger);
    harness.Push(1, 2, 1, 60, patient, LoopHarness::kMaxTokens);
    int longest = 0;
    int rounds = 0;
    for (int next = 3; patient->results().empty(); ++rounds) {
      ASSERT_LT(rounds, (LoopHarness::kMaxTokens + 1) * (max_pause + 8));
      for (; harness.queue.stats().segments < 4; next += 2)
        harness.Push(next, 2, next, -20, nullptr, 2);
      ASSERT_TRUE(*harness.loop->RunOnce());
      for (const int32_t slot : harness.batch->live()) {
        longest = std::max(longest, harness.batch->slot(slot).state->paused);
      }
    }
    EXPECT_EQ(longest, max_pause);
    EXPECT_GT(rounds, LoopHarness::kMaxTokens * max_pause / 2) << "nobody was in its way";
  }
}

TEST(Schedulers, ARefillGoesOnWhileTheEncoderIsAtWork) {
  SchedulerOptions options = Options(RefillRule::kStream, CapacityUnit::kSegments, 6);
  for (const bool at_work : {false, true}) {
    LoopHarness harness(testing::RandomScript(12), 24, 512, options);
    harness.queue.SetEncoderAtWork(at_work);
    const auto push = [&harness](int index) { harness.Push(index, 1, index, 60, nullptr, 30); };
    push(1);
    push(3);
    ASSERT_TRUE(*harness.loop->RunOnce());
    EXPECT_EQ(harness.live(), 2U);
    push(5);
    ASSERT_TRUE(*harness.loop->RunOnce());
    // Without the encoder at work, a new refill waits, because two live segments are more than a
    // sixth of six.
    EXPECT_EQ(harness.live(), at_work ? 3U : 2U);
    for (const int index : {7, 9, 11, 13}) push(index);
    ASSERT_TRUE(*harness.loop->RunOnce());
    EXPECT_EQ(harness.live(), at_work ? 6U : 2U);
    EXPECT_EQ(harness.queue.stats().segments, at_work ? 1 : 5);
  }
}

TEST(Schedulers, AStaticBatchTakesNobodyUntilItHasEnded) {
  LoopHarness harness(testing::RandomScript(12), 24, 512,
                      Options(RefillRule::kStatic, CapacityUnit::kSegments, 2));
  harness.queue.SetEncoderAtWork(true);
  harness.Push(1, 1, 1, -20, nullptr, 1);
  EXPECT_FALSE(*harness.loop->RunOnce()) << "the second is on its way";
  harness.Push(3, 1, 2, -20, nullptr, 5);
  harness.Push(5, 1, 3, -20, nullptr, 2);
  for (int step = 0; step < 6; ++step) {
    ASSERT_TRUE(*harness.loop->RunOnce());
    EXPECT_LE(harness.live(), step < 1 ? 2U : 1U);
    EXPECT_EQ(harness.queue.stats().segments, 1);
  }
  EXPECT_FALSE(*harness.loop->RunOnce());
  harness.queue.SetEncoderAtWork(false);
  harness.RunDry();
  EXPECT_EQ(harness.owner->results().size(), 3U);
  EXPECT_EQ(harness.observer.steps, 6 + 3);
}

TEST(Schedulers, MoreLanesHoldMoreSegmentsThanRunInAStep) {
  SchedulerOptions options = Options(RefillRule::kStream, CapacityUnit::kSegments, 8);
  options.selection = kernels::SlotSelection::kShortest;
  for (const int lanes : {16, 32}) {
    options.lanes = lanes;
    LoopHarness harness(testing::RandomScript(12), 8, 512, options);
    for (int i = 1; i < 17; i += 2) harness.Push(i, 4, i, 60, nullptr, 30);
    ASSERT_TRUE(*harness.loop->RunOnce());
    EXPECT_EQ(harness.live(), lanes == 16 ? 4U : 8U);
  }
}

TEST(Schedulers, RowsThatPruningLeavesGoToOtherSegments) {
  // Pruning leaves only the best hypothesis, so a segment with a beam of 4 has one row.
  LoopHarness harness(testing::RandomScript(12), 8, 512, {});
  harness.prepare = [](Segment& s) { s.search.prune = 0.0F; };
  for (int i = 1; i < 33; i += 2) harness.Push(i, 4, i, 60, nullptr, 30);
  ASSERT_TRUE(*harness.loop->RunOnce());
  EXPECT_EQ(harness.live(), 2U);  // a beam that may still grow counts with its full width
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(*harness.loop->RunOnce());
  EXPECT_GE(harness.live(), 5U);
  harness.RunDry();
  EXPECT_EQ(harness.owner->results().size(), 16U);
}

TEST(Schedulers, AStepAllocatesNothing) {
  // The scripted decoder itself allocates the logits of each row, and the prefix unless it is
  // empty.
  int64_t by_script = 0;
  const Script fixed = [&by_script](std::span<const int32_t>, std::span<const int32_t> prefix) {
    by_script += prefix.empty() ? 1 : 2;
    return std::vector<float>(12, 0.5F);
  };
  for (const SchedulerOptions& options : AllSchedulers()) {
    LoopHarness harness(fixed, 12, 512, options);
    for (int i = 1; i < 40; i += 2) harness.Push(i, 4, i, 20, nullptr, LoopHarness::kMaxTokens);
    ASSERT_TRUE(*harness.loop->RunOnce());
    for (int i = 0; i < 20; ++i) {
      by_script = 0;
      const int64_t before = testing::Allocations();
      ASSERT_TRUE(*harness.loop->RunOnce());
      ASSERT_EQ(testing::Allocations() - before, by_script) << "step " << i;
    }
  }
}

}  // namespace
}  // namespace dragoman::engine
