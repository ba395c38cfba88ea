// Tests of whole batches through commands and outputs. A segment must give the result that it gives
// alone, whatever else is in the batch, with any runner, and with short pages and mailboxes.
#include "kernels/search/batch_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tests/kernels/search/batch_harness.h"
#include "tests/kernels/search/counting_group.h"
#include "tests/kernels/search/emulated_batch_step.h"

namespace dragoman::kernels {
namespace {

using testing::BatchHarness;
using testing::CountingGroup;
using testing::EmulatedRunner;
using testing::HarnessConfig;
using testing::HarnessHypothesis;
using testing::HarnessResult;
using testing::HarnessSegment;
using testing::ManyGroupsRunner;
using testing::OneGroupRunner;
using testing::StepRunner;

using Segments = std::vector<std::unique_ptr<HarnessSegment>>;

constexpr int kAmplePages = HarnessConfig().self_pages;

// Returns `count` segments that fit in `pages` pages. If pages are short, every fifth segment needs
// more than half of them.
Segments Mix(uint64_t first_seed, int count, int pages) {
  const bool is_short = pages < kAmplePages;
  Segments segments;
  for (uint64_t seed = first_seed; static_cast<int>(segments.size()) < count; ++seed) {
    auto segment = std::make_unique<HarnessSegment>(seed);
    if (segment->WorstPages() > pages) continue;
    const bool large = is_short && segments.size() % 5 == 4;
    if (large && 2 * segment->WorstPages() <= pages) continue;
    segments.push_back(std::move(segment));
  }
  return segments;
}

// The numbers of words that are just enough for any one of the segments.
int CommandWords(const Segments& segments) {
  int64_t most = 0;
  for (const auto& s : segments) {
    const int64_t rules = RulesImageWords(s->Rules(), s->options().max_tokens);
    most = std::max(most, rules + s->options().beam + s->cross_pages);
  }
  return static_cast<int>(most);
}
int OutputWords(const Segments& segments) {
  int most = HarnessSegment::kMaxTokens;
  for (const auto& s : segments) {
    int words = 0;
    for (const HarnessHypothesis& h : s->Alone().hypotheses) {
      words += HypothesisWords(static_cast<int32_t>(h.tokens.size()), s->options().align);
    }
    most = std::max(most, words);
  }
  return most;
}

struct Tally {
  int ended = 0;
  int cancelled = 0;
  int bad_numbers = 0;
  int settled_tokens = 0;
  int hypotheses = 0;
  int waiting = 0;      // segments that wait for pages, summed over the steps
  int undelivered = 0;  // ended segments that wait for room in the output
  int rows_ahead = 0;   // rows of forced prefixes in a step with other rows of their slot
};

void ExpectAsAlone(const BatchHarness& harness, Tally* tally) {
  for (size_t i = 0; i < harness.segments().size(); ++i) {
    SCOPED_TRACE(harness.segments()[i]->ToString());
    const BatchHarness::Outcome& outcome = harness.outcomes()[i];
    ASSERT_TRUE(outcome.ended || outcome.cancelled);
    ++(outcome.cancelled ? tally->cancelled : tally->ended);
    if (outcome.cancelled) continue;
    const HarnessResult expected = harness.segments()[i]->Alone();
    EXPECT_TRUE(outcome.result == expected);
    tally->bad_numbers += expected.bad_number ? 1 : 0;
    tally->hypotheses += static_cast<int>(expected.hypotheses.size());
    tally->settled_tokens += static_cast<int>(outcome.settled.size());
    // The settled tokens begin the translation, if there is one.
    if (expected.hypotheses.empty()) continue;
    std::vector<int32_t> best = expected.hypotheses[0].tokens;
    best.push_back(expected.hypotheses[0].last_token);
    ASSERT_LE(outcome.settled.size(), best.size());
    EXPECT_TRUE(std::equal(outcome.settled.begin(), outcome.settled.end(), best.begin()));
  }
  for (const BatchHarness::StepRecord& step : harness.steps()) {
    tally->waiting += step.waiting;
    tally->undelivered += step.undelivered;
  }
  tally->rows_ahead += harness.rows_ahead();
}

enum class Mailboxes { kAmple, kShort };

Tally RunBatches(HarnessConfig config, int batches, int segments, StepRunner* runner,
                 Mailboxes mailboxes = Mailboxes::kAmple) {
  Tally tally;
  for (int i = 0; i < batches; ++i) {
    config.seed = static_cast<unsigned>(i);
    config.rules.selection = static_cast<SlotSelection>(i % 3);
    config.rules.width_budget = i % 2 == 0 ? 0 : 12;
    Segments mix = Mix(1000 * static_cast<uint64_t>(i), segments, config.self_pages);
    if (mailboxes == Mailboxes::kShort) {
      config.command_capacity = CommandWords(mix);
      config.output_capacity = OutputWords(mix);
    }
    BatchHarness harness(config, std::move(mix), runner);
    harness.Run();
    if (::testing::Test::HasFatalFailure()) return tally;
    ExpectAsAlone(harness, &tally);
  }
  return tally;
}

TEST(BatchStep, EverySegmentGivesWhatItGivesAlone) {
  OneGroupRunner runner(1);
  const Tally tally = RunBatches({}, 12, 50, &runner);
  EXPECT_EQ(tally.ended, 600);
  EXPECT_GT(tally.bad_numbers, 10);
  EXPECT_GT(tally.settled_tokens, 100);
  EXPECT_GT(tally.hypotheses, 600);
  EXPECT_GT(tally.rows_ahead, 300);
}

TEST(BatchStep, OutputsReadOneStepLateAndCancellationsDisturbNobody) {
  OneGroupRunner runner(1);
  HarnessConfig config;
  config.cancel_percent = 60;
  config.reads_late = true;
  const Tally tally = RunBatches(config, 12, 50, &runner);
  EXPECT_GT(tally.cancelled, 60);
  EXPECT_GT(tally.ended, 200);
}

TEST(BatchStep, ShortPagesMakeSegmentsWait) {
  OneGroupRunner runner(1);
  HarnessConfig config;
  config.self_pages = 16;
  config.admissions = 1;  // earlier segments hold pages by then
  config.cancel_percent = 5;
  const Tally tally = RunBatches(config, 4, 50, &runner);
  EXPECT_GT(tally.waiting, 100);
  EXPECT_GT(tally.cancelled, 5);
  EXPECT_GT(tally.ended, 120);
}

TEST(BatchStep, ShortMailboxesMakeEverythingLaterAndNothingElse) {
  OneGroupRunner runner(1);
  const Tally tally = RunBatches({}, 12, 50, &runner, Mailboxes::kShort);
  EXPECT_EQ(tally.ended, 600);
  EXPECT_GT(tally.undelivered, 10);
}

// Checks that `runner` takes the same steps with the same pages as a single thread.
void ExpectSameSteps(StepRunner* runner, int segments, bool with_cancellations) {
  OneGroupRunner solo(1);
  HarnessConfig config;
  config.self_pages = with_cancellations ? 16 : kAmplePages;
  config.admissions = with_cancellations ? 1 : 1000;
  config.cancel_percent = with_cancellations ? 10 : 0;
  config.reads_late = with_cancellations;
  const uint64_t seed = with_cancellations ? 700 : 800;
  BatchHarness a(config, Mix(seed, segments, config.self_pages), &solo);
  BatchHarness b(config, Mix(seed, segments, config.self_pages), runner);
  a.Run();
  b.Run();
  if (::testing::Test::HasFatalFailure()) return;
  Tally tally;
  ExpectAsAlone(b, &tally);
  EXPECT_GE(tally.ended, segments / 2);
  ASSERT_TRUE(a.steps() == b.steps());
  for (size_t i = 0; i < a.outcomes().size(); ++i) {
    EXPECT_EQ(a.outcomes()[i].settled, b.outcomes()[i].settled);
  }
}

TEST(BatchStep, AGroupOfThirtyTwoTakesTheSameSteps) {
  OneGroupRunner group(32);
  ExpectSameSteps(&group, 24, false);
  ExpectSameSteps(&group, 24, true);
}

TEST(BatchStep, AnEmulatedDeviceTakesTheSameSteps) {
  EmulatedRunner device;
  ExpectSameSteps(&device, 16, false);
  ExpectSameSteps(&device, 16, true);
}

TEST(BatchStep, AnEmulatedDeviceReportsLateWhereTheOutputIsShort) {
  EmulatedRunner device;
  HarnessConfig config;
  config.cancel_percent = 5;
  const Tally tally = RunBatches(config, 1, 24, &device, Mailboxes::kShort);
  EXPECT_GT(tally.ended, 16);
}

// Counts how often the members of a group synchronise at the beginning of each step.
class CountingRunner : public OneGroupRunner {
 public:
  CountingRunner() : testing::OneGroupRunner(1) {}
  void Before(const BatchTables& tables, const StepMailbox* mailboxes) override {
    CountingGroup::Counts counts;
    BeginStep(CountingGroup(&counts), tables, mailboxes[tables.now->step % kStepMailboxes]);
    meetings.push_back(counts.meetings);
    for (int32_t row = 0; row < tables.now->plan.rows; ++row) PrepareStepRow(tables, row);
    ListMaterializedRows(SingleThread(), tables, testing::IsMaterialized);
  }

  std::vector<int64_t> meetings;
};

TEST(BatchStep, WhereNobodyEntersOrLeavesAndAllRunAGroupMeetsThreeTimes) {
  int quiet = 0;
  for (uint64_t seed = 200; seed < 210; ++seed) {
    CountingRunner runner;
    BatchHarness harness({}, Mix(seed, 3, kAmplePages), &runner);
    harness.Run();
    const auto& steps = harness.steps();
    ASSERT_EQ(runner.meetings.size(), steps.size());
    // All segments enter in the first step.
    for (size_t i = 2; i < steps.size(); ++i) {
      const bool left = steps[i - 1].running < steps[i - 2].running;
      if (!left && steps[i].slots == steps[i - 1].running) {
        ++quiet;
        EXPECT_EQ(runner.meetings[i], 3) << i;
      } else {
        EXPECT_GT(runner.meetings[i], 3) << i;
      }
    }
  }
  EXPECT_GT(quiet, 20);
}

TEST(BatchStep, GroupsOfAPartRunAtOnce) {
  ManyGroupsRunner runner(4);
  HarnessConfig config;
  config.cancel_percent = 20;
  const Tally tally = RunBatches(config, 3, 40, &runner, Mailboxes::kShort);
  EXPECT_GT(tally.ended, 60);
}

}  // namespace
}  // namespace dragoman::kernels
