// Counts the steps that each scheduler needs for the same text of uneven lengths. The counts are
// the table in engine/schedule/README.md. No time is measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <random>
#include <string>

#include "tests/engine/schedule/loop_harness.h"

namespace dragoman::engine {
namespace {

using testing::LoopHarness;

constexpr int kTimedSegments = 2000;
constexpr int kSlots = 32;

struct Text {
  int source;  // tokens
  int steps;   // steps of the translation, 2 to LoopHarness::kMaxTokens
};

// Returns lengths like those of subtitles: sources are log-normal with mean 9.4 and deviation 6.1,
// and translations differ from the source's length by a quarter.
std::vector<Text> Subtitles() {
  std::mt19937 random(7);
  const auto normal = [&random] {
    const double u = (random() + 1.0) * 0x1p-32;
    const double v = random() * 0x1p-32;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  };
  const double variance = std::log(1 + (6.1 / 9.4) * (6.1 / 9.4));
  std::vector<Text> texts(kTimedSegments);
  for (Text& text : texts) {
    const double source = std::exp(std::log(9.4) - variance / 2 + std::sqrt(variance) * normal());
    text.source = std::max(1, static_cast<int>(std::lround(source)));
    const double steps = text.source * std::exp(0.25 * normal());
    text.steps = std::clamp(static_cast<int>(std::lround(steps)), 2, LoopHarness::kMaxTokens);
  }
  return texts;
}

// Sorts each window of `window` segments as WindowOrder does.
std::vector<Text> Sorted(std::vector<Text> texts, size_t window, bool longest_first) {
  for (size_t i = 0; i < texts.size(); i += window) {
    std::stable_sort(texts.begin() + static_cast<ptrdiff_t>(i),
                     texts.begin() + static_cast<ptrdiff_t>(std::min(texts.size(), i + window)),
                     [longest_first](const Text& a, const Text& b) {
                       return longest_first ? a.source > b.source : a.source < b.source;
                     });
  }
  return texts;
}

struct Counts {
  int64_t steps = 0;
  int64_t row_steps = 0;
  int refills = 0;
};

Counts Count(const std::vector<Text>& texts, const SchedulerOptions& options) {
  LoopHarness harness(testing::RandomScript(4), 4 * kSlots, 2048, options);
  Counts counts;
  size_t pushed = 0;
  for (;;) {
    for (; pushed < texts.size() && harness.queue.stats().segments < 500; ++pushed) {
      // EOS is masked before the last step and certain then. The odd number selects no partials.
      harness.Push(1, 1, static_cast<int>(pushed), -50, nullptr, texts[pushed].steps - 1);
    }
    const int64_t before = harness.queue.stats().segments;
    const absl::StatusOr<bool> stepped = harness.loop->RunOnce();
    EXPECT_TRUE(stepped.ok());
    if (!stepped.ok() || !*stepped) break;
    if (harness.queue.stats().segments < before) ++counts.refills;
  }
  counts.steps = harness.observer.steps;
  counts.row_steps = harness.observer.row_steps;
  return counts;
}

TEST(SchedulerSteps, OfTheSameUnevenText) {
  const std::vector<Text> arrival = Subtitles();
  const std::vector<Text> maxi = Sorted(arrival, size_t{10} * kSlots, true);
  const std::vector<Text> ascending = Sorted(arrival, arrival.size(), false);
  const auto options = [](RefillRule refill,
                          kernels::SlotSelection selection = kernels::SlotSelection::kAll,
                          int times = 1, int max_pause = 0) {
    SchedulerOptions o;
    o.refill = refill;
    o.unit = CapacityUnit::kSegments;
    o.capacity = times * kSlots;
    o.selection = selection;
    o.width_budget = kSlots;
    o.max_pause = max_pause;
    return o;
  };
  std::map<std::string, Counts> table;
  std::printf("%-28s %6s %9s %9s %8s\n", "", "steps", "row-steps", "occupancy", "refills");
  const auto count = [&table](const char* name, const std::vector<Text>& texts,
                              const SchedulerOptions& o) {
    const Counts c = Count(texts, o);
    std::printf("%-28s %6ld %9ld %9.2f %8d\n", name, static_cast<long>(c.steps),
                static_cast<long>(c.row_steps),
                static_cast<double>(c.row_steps) / static_cast<double>(c.steps * kSlots),
                c.refills);
    table[name] = c;
    return c.steps;
  };
  constexpr auto kShortest = kernels::SlotSelection::kShortest;
  constexpr auto kLongest = kernels::SlotSelection::kLongest;
  const int64_t batches = count("static", arrival, options(RefillRule::kStatic));
  const int64_t sorted = count("static, sorted", maxi, options(RefillRule::kStatic));
  const int64_t all_sorted = count("static, all sorted", ascending, options(RefillRule::kStatic));
  const int64_t half = count("half-empty", arrival, options(RefillRule::kHalfEmpty));
  const int64_t continuous = count("continuous", arrival, options(RefillRule::kContinuous));
  const int64_t both = count("continuous, sorted", maxi, options(RefillRule::kContinuous));
  const int64_t fifo =
      count("stream, longest first", ascending, options(RefillRule::kStream, kLongest));
  const int64_t stream =
      count("stream, shortest first", ascending, options(RefillRule::kStream, kShortest));
  const int64_t budget =
      count("stream, shortest, 3 n cached", arrival, options(RefillRule::kStream, kShortest, 3));
  const int64_t unsorted =
      count("stream, shortest, unsorted", arrival, options(RefillRule::kStream, kShortest));
  const int64_t worst = count("continuous, shortest first", arrival,
                              options(RefillRule::kContinuous, kShortest, 1, kernels::kMaxPause));

  // The work does not depend on the scheduler.
  int64_t work = 0;
  for (const Text& text : arrival) work += text.steps;
  for (const auto& [name, counts] : table) EXPECT_EQ(counts.row_steps, work) << name;
  EXPECT_LT(both, continuous);
  EXPECT_LT(continuous, half);
  EXPECT_LT(half, sorted);
  EXPECT_LT(sorted, batches);
  EXPECT_LT(all_sorted, sorted);
  EXPECT_LT(fifo, stream);
  EXPECT_LT(stream, sorted);
  EXPECT_LT(budget, unsorted);
  EXPECT_LT(unsorted, worst);
}

}  // namespace
}  // namespace dragoman::engine
