#include "kernels/decide/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace dragoman {
namespace {

// Slots of a batch that run for a given number of steps, as far as rows and pages go.
class PlanBench {
 public:
  PlanBench(int slots, int max_rows, int pages)
      : max_rows_(max_rows),
        states_(static_cast<size_t>(slots)),
        lanes_(static_cast<size_t>(slots), std::vector<int32_t>(kMaxBeam)),
        lane_pages_(static_cast<size_t>(slots) * kMaxBeam * kPagesPerLane, kNoPage),
        free_(static_cast<size_t>(pages)),
        rows_(3, std::vector<int32_t>(static_cast<size_t>(max_rows))),
        chosen_(2, std::vector<int32_t>(static_cast<size_t>(slots))) {
    std::iota(free_.begin(), free_.end(), 0);
    pool_ = {free_.data(), pages};
    table_ = {lane_pages_.data(), kPagesPerLane};
    for (size_t i = 0; i < states_.size(); ++i) {
      std::iota(lanes_[i].begin(), lanes_[i].end(), static_cast<int32_t>(i * kMaxBeam));
      views_.push_back({&states_[i], lanes_[i].data(), nullptr, {}});
    }
    out_ = {rows_[0].data(),
            rows_[1].data(),
            rows_[2].data(),
            chosen_[0].data(),
            chosen_[1].data(),
            0,
            0};
  }

  bool MayEnter(int beam, int max_tokens) const {
    return MayAdmit(pool_.free_count, live_.empty() ? 0 : State(live_[0]).pages, Worst(),
                    WorstCasePages(beam, max_tokens));
  }
  void Enter(int number, int beam, int max_tokens) {
    SlotState& s = states_[static_cast<size_t>(number)];
    s = SlotState{};
    s.status = SlotStatus::kRunning;
    s.options.beam = beam;
    s.options.max_tokens = max_tokens;
    s.live = beam;
    live_.push_back(number);
  }
  // Plans and advances those that run; what reaches its limit leaves.
  void Step(const std::vector<int32_t>& order) {
    const PlanInput in{order.data(), static_cast<int32_t>(order.size()), live_[0], max_rows_,
                       Worst()};
    PlanStep(SoloTeam(), in, views_.data(), table_, pool_, out_);
    for (int i = 0; i < out_.slot_count; ++i) {
      const int number = out_.slots[i];
      SlotState& s = states_[static_cast<size_t>(number)];
      if (++s.length <= s.options.max_tokens) continue;
      s.length = s.options.max_tokens;
      ReleasePages(views_[static_cast<size_t>(number)], table_, pool_);
      live_.erase(std::find(live_.begin(), live_.end(), number));
    }
  }

  const SlotState& State(int number) const { return states_[static_cast<size_t>(number)]; }
  int64_t Worst() const {
    int64_t worst = 0;
    for (const int32_t n : live_) {
      worst = std::max(worst, WorstCasePages(State(n).options.beam, State(n).options.max_tokens));
    }
    return worst;
  }
  const PlanOutput& out() const { return out_; }
  const std::vector<int32_t>& live() const { return live_; }
  int free_pages() const { return pool_.free_count; }

 private:
  static constexpr int kPagesPerLane = 8;
  const int max_rows_;
  std::vector<SlotState> states_;
  std::vector<std::vector<int32_t>> lanes_;
  std::vector<int32_t> lane_pages_, free_;
  std::vector<std::vector<int32_t>> rows_, chosen_;
  std::vector<SlotView> views_;
  std::vector<int32_t> live_;
  LanePages table_;
  PagePool pool_;
  PlanOutput out_;
};

TEST(Plan, TakesTheLongestPrefixThatFitsAndAtLeastOne) {
  PlanBench bench(4, 10, 1000);
  bench.Enter(0, 4, 50);
  bench.Enter(1, 7, 50);
  bench.Enter(2, 2, 50);
  bench.Step({0, 1, 2});
  EXPECT_EQ(bench.out().slot_count, 1);  // 4 + 7 > 10, and slot 2 does not overtake slot 1
  bench.Step({1, 2, 0});
  EXPECT_EQ(bench.out().slot_count, 2);
  EXPECT_EQ(bench.out().rows, 9);
  EXPECT_EQ(bench.out().slots[0], 1);
}

TEST(Plan, NobodyPausesLongerThanTheBound) {
  PlanBench bench(4, 4, 1000);
  bench.Enter(0, 4, 200);
  bench.Enter(1, 4, 200);
  int longest = 0;
  int pause = 0;
  for (int i = 0; i < 150; ++i) {
    bench.Step({0, 1});  // the policy always prefers slot 0
    pause = bench.State(1).paused > 0 ? pause + 1 : 0;
    longest = std::max(longest, pause);
  }
  EXPECT_EQ(longest, kMaxPause);
  EXPECT_EQ(bench.State(1).length, 2);
}

TEST(Plan, PagesNeverRunOutForTheOldestWhateverComes) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const int pages = 16 + static_cast<int>(random() % 40);
    PlanBench bench(24, 1000, pages);
    int entered = 0;
    int finished = 0;
    std::vector<int32_t> free_slots(24);
    std::iota(free_slots.begin(), free_slots.end(), 0);
    for (int step = 0; step < 20000 && finished < 60; ++step) {
      while (entered < 60 && !free_slots.empty()) {
        const int beam = 1 + static_cast<int>(random() % 8);
        const int max_tokens = 1 + static_cast<int>(random() % 60);
        if (WorstCasePages(beam, max_tokens) > pages || !bench.MayEnter(beam, max_tokens)) break;
        bench.Enter(free_slots.back(), beam, max_tokens);
        free_slots.pop_back();
        ++entered;
      }
      if (bench.live().empty()) continue;
      const std::vector<int32_t> before = bench.live();
      bench.Step(before);
      ASSERT_GT(bench.out().slot_count, 0) << "everything is stuck";
      const std::span<const int32_t> ran(bench.out().slots,
                                         static_cast<size_t>(bench.out().slot_count));
      ASSERT_NE(std::find(ran.begin(), ran.end(), before[0]), ran.end())
          << "the oldest always grows";
      const int64_t held = bench.live().empty() ? 0 : bench.State(bench.live()[0]).pages;
      ASSERT_GE(bench.free_pages() + held, bench.Worst());
      for (const int32_t n : before) {
        if (std::find(bench.live().begin(), bench.live().end(), n) == bench.live().end()) {
          free_slots.push_back(n);
          ++finished;
        }
      }
    }
    EXPECT_EQ(finished, 60) << pages;
    EXPECT_EQ(bench.free_pages(), pages);
  }
}

}  // namespace
}  // namespace dragoman
