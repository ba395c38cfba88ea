// Checks that the decode loop gives the same results with a batch on a device as with one on the
// host, whatever the schedule, the device's options and the cancellations.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "tests/engine/schedule/loop_harness.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using testing::HostDeviceOptions;
using testing::HostDeviceTotals;
using testing::LoopHarness;
using testing::RecordingOwner;

struct Setting {
  const char* name;
  int max_rows = 24;
  int self_pages = 512;
  HostDeviceOptions device;
  SchedulerOptions scheduler;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

std::vector<Setting> Settings() {
  Setting plain{"plain"};
  Setting buckets{"buckets", 40};
  buckets.device.buckets = {1, 3, 8, 20};
  Setting few_pages{"few_pages", 24, 26};
  few_pages.device.buckets = {8};
  Setting materialized{"materialized", 16};
  materialized.device.fused_candidates = 2;
  Setting shortest{"stream", 32};
  shortest.scheduler.refill = RefillRule::kStream;
  shortest.scheduler.selection = kernels::SlotSelection::kShortest;
  Setting budget{"budget", 48};
  budget.device.buckets = {4, 16};
  budget.scheduler.width_budget = 10;
  budget.scheduler.max_pause = 5;
  Setting static_batches{"static"};
  static_batches.scheduler.refill = RefillRule::kStatic;
  return {plain, buckets, few_pages, materialized, shortest, budget, static_batches};
}

constexpr int kSegments = 160;

class DeviceLoop : public ::testing::TestWithParam<Setting> {
 protected:
  // Pushes segment number `index`. The numbers cover every kind of segment, and even ones report
  // partials.
  static void Push(LoopHarness& harness, int index, const std::shared_ptr<RecordingOwner>& owner) {
    std::mt19937 random(static_cast<unsigned>(index));
    harness.prepare = [&random](Segment& segment) {
      kernels::SearchOptions& o = segment.search;
      switch (random() % 6) {
        case 0:
          o.sampling.enabled = true;
          o.sampling.seed = random();
          segment.wants_partials = false;
          break;
        case 1:
          o.repetition_penalty = 1.3F;
          break;
        case 2:
          o.prune = 1.0F;
          o.max_candidates = 3;
          break;
        case 3:
          segment.constraints = ConstraintTable({{3, 4}, {5}});
          o.finalisation = kernels::Finalisation::kKeep;
          break;
        case 4:
          segment.prefix = {2, 7};
          o.align = true;
          break;
        default:
          o.forced_eos = kernels::ForcedEos::kModel;
          break;
      }
    };
    const auto beam = static_cast<int>(1 + random() % 8);
    const auto length = static_cast<int>(1 + random() % 25);
    harness.Push(index, beam, index, length, owner);
  }

  // Returns the results of all segments on the host. With `second_beam`, each is searched a second
  // time.
  static std::map<int, std::vector<DecodedHypothesis>> Expected(int second_beam = 0) {
    LoopHarness harness;
    if (second_beam > 0) harness.SearchTwice(second_beam);
    for (int i = 0; i < kSegments; ++i) Push(harness, i, harness.owner);
    harness.RunDry();
    return harness.owner->results();
  }

  static void ExpectResults(const LoopHarness& harness,
                            const std::map<int, std::vector<DecodedHypothesis>>& expected) {
    const auto results = harness.owner->results();
    ASSERT_EQ(results.size(), expected.size());
    for (const auto& [index, result] : expected) {
      SCOPED_TRACE(index);
      testing::ExpectSame(results.at(index), result);
    }
  }

  static void ExpectAllFree(const LoopHarness& harness) {
    const DeviceBatch::Held held = harness.device_batch->held();
    EXPECT_EQ(held.slots, 0);
    EXPECT_EQ(held.lanes, 0);
    EXPECT_EQ(held.rules_words, 0);
    EXPECT_EQ(held.materialized_rows, 0);
    EXPECT_EQ(harness.memory->cross_pages_free(), harness.memory->cross_pages());
    const SegmentCounts counts = harness.ledger.Snapshot();
    EXPECT_TRUE(testing::Balanced(counts));
    EXPECT_EQ(counts.waiting + counts.running + counts.error, 0);
  }
};

TEST_P(DeviceLoop, GivesWhatTheHostGives) {
  static const auto expected = Expected();
  const Setting& setting = GetParam();
  HostDeviceTotals totals;
  HostDeviceOptions options = setting.device;
  options.totals = &totals;
  {
    LoopHarness harness(testing::RandomScript(12), setting.max_rows, setting.self_pages,
                        setting.scheduler, &options);
    for (int i = 0; i < kSegments; ++i) Push(harness, i, harness.owner);
    harness.RunDry();
    ExpectResults(harness, expected);
    for (const auto& [index, prefixes] : harness.owner->partials()) {
      const std::vector<int32_t>& best = expected.at(index)[0].tokens;
      for (const std::vector<int32_t>& prefix : prefixes) {
        ASSERT_LE(prefix.size(), best.size());
        EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), best.begin()));
      }
    }
    EXPECT_GT(harness.owner->partials().size(), 10U);
    ExpectAllFree(harness);
  }
  EXPECT_EQ(totals.pages_left, 0);
  EXPECT_EQ(totals.slots_left, 0);
}

TEST_P(DeviceLoop, SecondSearchesGiveWhatTheHostGives) {
  static const auto expected = Expected(6);
  const Setting& setting = GetParam();
  LoopHarness harness(testing::RandomScript(12), setting.max_rows, setting.self_pages,
                      setting.scheduler, &setting.device);
  harness.SearchTwice(6);
  for (int i = 0; i < kSegments; ++i) Push(harness, i, harness.owner);
  harness.RunDry();
  ExpectResults(harness, expected);
  EXPECT_EQ(harness.observer.searched_again, kSegments);
  ExpectAllFree(harness);
}

TEST_P(DeviceLoop, CancellationsChangeNothingForTheOthers) {
  static const auto expected = Expected();
  const Setting& setting = GetParam();
  int64_t cancelled = 0;
  int64_t in_slots = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    HostDeviceTotals totals;
    HostDeviceOptions options = setting.device;
    options.totals = &totals;
    options.seed = seed;
    {
      LoopHarness harness(testing::RandomScript(12), setting.max_rows, setting.self_pages,
                          setting.scheduler, &options);
      std::mt19937 random(seed);
      std::vector<std::shared_ptr<RecordingOwner>> owners;
      int pushed = 0;
      for (bool stepped = true; stepped || pushed < kSegments;) {
        for (auto more = random() % 12; more > 0 && pushed < kSegments; --more) {
          owners.push_back(std::make_shared<RecordingOwner>(&harness.ledger));
          Push(harness, pushed++, owners.back());
        }
        // Cancels any segment: one that waits, runs, or has ended but is not read yet.
        if (random() % 2 == 0 && !owners.empty()) {
          owners[random() % owners.size()]->Abandon(CancelCause::kClient);
        }
        const auto round = ExpectOk(harness.loop->RunOnce());
        stepped = *round;
      }
      for (int i = 0; i < kSegments; ++i) {
        const auto results = owners[static_cast<size_t>(i)]->results();
        if (results.empty()) continue;
        SCOPED_TRACE(i);
        testing::ExpectSame(results.at(i), expected.at(i));
      }
      ExpectAllFree(harness);
      cancelled += harness.ledger.Snapshot().cancelled;
      in_slots += harness.observer.wasted_tokens > 0 ? 1 : 0;
    }
    EXPECT_EQ(totals.pages_left, 0);
    EXPECT_EQ(totals.slots_left, 0);
  }
  EXPECT_GT(cancelled, 20);
  EXPECT_EQ(in_slots, 4);
}

TEST_P(DeviceLoop, AnErrorFailsEverythingInSlotsAndNothingHangs) {
  const Setting& setting = GetParam();
  for (const bool refused : {false, true}) {
    HostDeviceOptions options = setting.device;
    (refused ? options.refuses : options.fails_at) = 6;
    LoopHarness harness(testing::RandomScript(12), setting.max_rows, setting.self_pages,
                        setting.scheduler, &options);
    for (int i = 0; i < 40; ++i) harness.Push(i, 2, i, 30, nullptr, 20);
    absl::StatusOr<bool> round = true;
    for (int i = 0; i < 20 && round.ok(); ++i) round = harness.loop->RunOnce();
    EXPECT_EQ(round.status().code(), absl::StatusCode::kInternal);
    EXPECT_TRUE(harness.loop->stats().dead);
    EXPECT_FALSE(harness.loop->stats().busy);
    const auto failures = harness.owner->failures();
    EXPECT_GT(failures.size(), 0U);
    for (const auto& [index, status] : failures) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    }
    EXPECT_EQ(harness.device_batch->held().slots, 0);
    EXPECT_EQ(harness.ledger.Snapshot().running, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, DeviceLoop, ::testing::ValuesIn(Settings()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dragoman::engine
