// Slots that the plan runs until their limit, and a second, simple implementation of the plan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/search/plan.h"
#include "kernels/search/thread_group.h"

namespace dragoman::testing {

// Slots of a batch that run for a given number of steps, with their rows and pages.
class PlanHarness {
 public:
  PlanHarness(int slots, int max_rows, int pages)
      : max_rows_(max_rows),
        states_(static_cast<size_t>(slots)),
        lanes_(static_cast<size_t>(slots), std::vector<int32_t>(kernels::kMaxBeam)),
        lane_pages_(static_cast<size_t>(slots) * kernels::kMaxBeam * kPagesPerLane,
                    kernels::kNoPage),
        free_(static_cast<size_t>(pages)),
        rows_(3, std::vector<int32_t>(static_cast<size_t>(max_rows))),
        chosen_(2, std::vector<int32_t>(static_cast<size_t>(slots))) {
    std::iota(free_.begin(), free_.end(), 0);
    pool_ = {free_.data(), pages};
    table_ = {lane_pages_.data(), kPagesPerLane};
    for (size_t i = 0; i < states_.size(); ++i) {
      std::iota(lanes_[i].begin(), lanes_[i].end(), static_cast<int32_t>(i * kernels::kMaxBeam));
      views_.push_back({&states_[i], lanes_[i].data(), {}});
    }
    Rebind();
  }

  bool MayEnter(int beam, int max_tokens) const {
    return kernels::MayAdmit(pool_.free_count, live_.empty() ? 0 : State(live_[0]).pages, Worst(),
                             kernels::WorstCasePages(beam, max_tokens));
  }
  void Enter(int number, int beam, int max_tokens) {
    kernels::SlotState& s = states_[static_cast<size_t>(number)];
    s = kernels::SlotState{};
    s.status = kernels::SlotStatus::kRunning;
    s.options.beam = beam;
    s.options.max_tokens = max_tokens;
    s.live = beam;
    live_.push_back(number);
  }
  void SetCost(int number, int row_cost) {
    states_[static_cast<size_t>(number)].options.row_cost = row_cost;
  }
  void Leave(int number) {
    kernels::ReleasePages(views_[static_cast<size_t>(number)], table_, pool_);
    live_.erase(std::find(live_.begin(), live_.end(), number));
  }
  kernels::PlanInput Input(const std::vector<int32_t>& order,
                           const kernels::PlanRules& rules) const {
    return {order.data(), static_cast<int32_t>(order.size()), live_.data(), max_rows_, Worst(),
            rules};
  }
  // Runs the plan with every member of a group.
  template <class ThreadGroup>
  void Plan(const ThreadGroup& t, const kernels::PlanInput& in) {
    kernels::PlanStep(t, in, views_.data(), table_, pool_, out_);
  }
  // Plans with one thread and by the walk only.
  void Walk(const kernels::PlanInput& in) {
    kernels::plan_internal::Rank(kernels::SingleThread(), in, views_.data(), out_.slots);
    kernels::plan_internal::PlanWalk(in, views_.data(), table_, pool_, out_);
  }
  // Plans if no walk is needed. Returns whether it planned.
  bool PlanWithoutWalk(const kernels::PlanInput& in) {
    kernels::plan_internal::Rank(kernels::SingleThread(), in, views_.data(), out_.slots);
    return kernels::plan_internal::PlanPrefix(kernels::SingleThread(), in, views_.data(), table_,
                                              pool_, out_);
  }
  PlanHarness Copy() const {
    PlanHarness copy = *this;
    copy.Rebind();
    return copy;
  }
  // Plans and advances the running slots. Removes those that reach their limit.
  void Step(const std::vector<int32_t>& order, const kernels::PlanRules& rules = {}) {
    Plan(kernels::SingleThread(), Input(order, rules));
    for (int i = 0; i < out_.slot_count; ++i) {
      const int number = out_.slots[i];
      kernels::SlotState& s = states_[static_cast<size_t>(number)];
      if (++s.length <= s.options.max_tokens) continue;
      s.length = s.options.max_tokens;
      Leave(number);
    }
  }
  // Returns the slots that the rules select, by the simple implementation, on copies of the state.
  std::vector<int32_t> Expected(const std::vector<int32_t>& order,
                                const kernels::PlanRules& rules) const {
    PlanHarness copy = Copy();
    const auto state = [&copy](int32_t number) -> kernels::SlotState& {
      return copy.states_[static_cast<size_t>(number)];
    };
    std::vector<int32_t> due, others;
    for (const int32_t n : order) {
      const bool is_due = rules.max_pause > 0 && state(n).paused >= rules.max_pause;
      (is_due ? due : others).push_back(n);
    }
    std::stable_sort(due.begin(), due.end(),
                     [&](int32_t a, int32_t b) { return state(a).paused > state(b).paused; });
    if (rules.selection != kernels::SlotSelection::kAll) {
      const bool shortest = rules.selection == kernels::SlotSelection::kShortest;
      std::stable_sort(others.begin(), others.end(), [&](int32_t a, int32_t b) {
        return shortest ? state(a).length < state(b).length : state(a).length > state(b).length;
      });
    }
    const int limit = rules.width_budget > 0 ? std::min(rules.width_budget, max_rows_) : max_rows_;
    std::vector<int32_t> taken;
    int rows = 0;
    const auto fits = [&](int32_t n) { return rows == 0 || rows + state(n).live <= limit; };
    const auto grows = [&](int32_t n) {
      return kernels::GrowSlot(copy.views_[static_cast<size_t>(n)], n == live_[0],
                               state(live_[0]).pages, Worst(), copy.table_, copy.pool_);
    };
    const auto take = [&](int32_t n) {
      taken.push_back(n);
      rows += state(n).live;
    };
    for (const int32_t n : due) {
      if (fits(n) && grows(n)) take(n);
    }
    int level = -1;
    for (const int32_t n : others) {
      if (rules.selection == kernels::SlotSelection::kShortest && level >= 0 &&
          state(n).length != level) {
        break;
      }
      if (!fits(n)) break;
      if (!grows(n)) continue;
      take(n);
      level = state(n).length;
    }
    return taken;
  }
  // Reports whether the oldest slot gets its next pages at any width.
  bool OldestCanGrow() const {
    PlanHarness copy = Copy();
    kernels::SlotState& oldest = copy.states_[static_cast<size_t>(live_[0])];
    oldest.live = oldest.options.beam;
    return kernels::GrowSlot(copy.views_[static_cast<size_t>(live_[0])], true, oldest.pages,
                             Worst(), copy.table_, copy.pool_);
  }
  void SetWidth(int number, int live) { states_[static_cast<size_t>(number)].live = live; }

  const kernels::SlotState& State(int number) const { return states_[static_cast<size_t>(number)]; }
  int64_t Worst() const {
    int64_t worst = 0;
    for (const int32_t n : live_) {
      worst = std::max(worst,
                       kernels::WorstCasePages(State(n).options.beam, State(n).options.max_tokens));
    }
    return worst;
  }
  const kernels::PlanOutput& out() const { return out_; }
  std::vector<int32_t> ran() const { return {out_.slots, out_.slots + out_.slot_count}; }
  const std::vector<int32_t>& live() const { return live_; }
  // Compares the state that a plan changes: pause and pages of each slot, and the page tables.
  bool SameState(const PlanHarness& other) const {
    for (size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].paused != other.states_[i].paused) return false;
      if (states_[i].pages != other.states_[i].pages) return false;
    }
    const auto stack = [](const PlanHarness& b) {
      return std::vector<int32_t>(b.free_.begin(), b.free_.begin() + b.pool_.free_count);
    };
    return lane_pages_ == other.lane_pages_ && stack(*this) == stack(other);
  }
  bool SameOutput(const PlanHarness& other) const {
    const auto same = [](const std::vector<int32_t>& a, const std::vector<int32_t>& b, int count) {
      return std::equal(a.begin(), a.begin() + count, b.begin());
    };
    if (out_.rows != other.out_.rows || out_.slot_count != other.out_.slot_count) return false;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!same(rows_[i], other.rows_[i], out_.rows)) return false;
    }
    return same(chosen_[0], other.chosen_[0], out_.slot_count) &&
           same(chosen_[1], other.chosen_[1], out_.slot_count);
  }

  int free_pages() const { return pool_.free_count; }

 private:
  // Points out_ to this object's own arrays.
  void Rebind() {
    out_.row_slot = rows_[0].data();
    out_.row_lane = rows_[1].data();
    out_.row_position = rows_[2].data();
    out_.slots = chosen_[0].data();
    out_.first_row = chosen_[1].data();
    pool_.free = free_.data();
    table_.pages = lane_pages_.data();
    for (size_t i = 0; i < states_.size(); ++i) {
      views_[i].state = &states_[i];
      views_[i].lanes = lanes_[i].data();
    }
  }

  static constexpr int kPagesPerLane = 8;
  int max_rows_;
  std::vector<kernels::SlotState> states_;
  std::vector<std::vector<int32_t>> lanes_;
  std::vector<int32_t> lane_pages_, free_;
  std::vector<std::vector<int32_t>> rows_, chosen_;
  std::vector<kernels::SlotView> views_;
  std::vector<int32_t> live_;
  kernels::LanePages table_;
  kernels::PagePool pool_;
  kernels::PlanOutput out_;
};

}  // namespace dragoman::testing
