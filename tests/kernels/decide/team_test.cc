// Decision text gives the same with a team of one and with a team of many.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/decide/beam_step.h"
#include "kernels/decide/plan.h"
#include "tests/kernels/decide/thread_team.h"

namespace dragoman {
namespace {

using testing::RunTeam;
using testing::ThreadTeam;

constexpr int kVocabulary = 20;
constexpr int kStride = 34;

// One slot with arrays of its own, fed with random folds.
struct Slot {
  explicit Slot(const SearchOptions& options, unsigned seed) : random(seed) {
    const auto beam = static_cast<size_t>(options.beam);
    for (int32_t i = 0; i < options.beam; ++i) lanes.push_back(i);
    divisor.resize(static_cast<size_t>(options.max_tokens) + 2);
    for (size_t i = 0; i < divisor.size(); ++i) divisor[i] = std::sqrt(static_cast<float>(i));
    tokens.resize(beam * kStride);
    token_log_probs.resize(beam * kStride);
    ancestry.resize(beam * kStride);
    finished_ancestry.resize(beam * kStride);
    log_prob.resize(beam);
    finished.resize(beam);
    workspace_ancestry.resize(beam * kStride);
    workspace.ancestry = workspace_ancestry.data();
    view = {&state,
            lanes.data(),
            divisor.data(),
            {tokens.data(), token_log_probs.data(), ancestry.data(), log_prob.data(),
             finished.data(), finished_ancestry.data(), kStride}};
    StartSlot(view, options, kVocabulary - 1);
  }

  // Folds of the live rows, of which equal logits make ties.
  std::vector<RowCandidates> Fold() {
    const int k = state.options.beam;
    tops.assign(static_cast<size_t>(state.live) * static_cast<size_t>(k), {});
    std::vector<RowCandidates> rows;
    std::uniform_int_distribution<int> level(0, 6);
    for (int r = 0; r < state.live; ++r) {
      TopList top{tops.data() + r * k, k, 0};
      RowCandidates row;
      for (int32_t id = 1; id < kVocabulary - 1; ++id) {
        const float logit = 0.5F * static_cast<float>(level(random));
        Insert(top, {logit, id});
        Merge(row.normaliser, LogSum{logit, 1.0F});
      }
      row.eos_logit = 0.5F * static_cast<float>(level(random));
      Merge(row.normaliser, LogSum{row.eos_logit, 1.0F});
      row.top = top.entries;
      row.count = top.count;
      rows.push_back(row);
    }
    return rows;
  }

  std::mt19937 random;
  SlotState state;
  std::vector<int32_t> lanes, tokens;
  std::vector<float> divisor, token_log_probs, log_prob;
  std::vector<uint8_t> ancestry, finished_ancestry, workspace_ancestry;
  std::vector<FinishedHypothesis> finished;
  std::vector<TokenScore> tops;
  BeamStepWorkspace workspace;
  SlotView view;
};

void ExpectEqual(const Slot& a, const Slot& b) {
  ASSERT_EQ(a.state.status, b.state.status);
  ASSERT_EQ(a.state.live, b.state.live);
  ASSERT_EQ(a.state.length, b.state.length);
  ASSERT_EQ(a.state.finished, b.state.finished);
  ASSERT_EQ(a.state.finished_total, b.state.finished_total);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.ancestry, b.ancestry);
  EXPECT_EQ(a.log_prob, b.log_prob);
  EXPECT_EQ(a.token_log_probs, b.token_log_probs);
  EXPECT_EQ(a.finished_ancestry, b.finished_ancestry);
  for (int i = 0; i < a.state.finished; ++i) {
    EXPECT_EQ(a.view.Finished(i).score, b.view.Finished(i).score);
    EXPECT_EQ(a.view.Finished(i).length, b.view.Finished(i).length);
    EXPECT_EQ(a.view.Finished(i).last_token, b.view.Finished(i).last_token);
  }
}

TEST(Team, BeamStepIsTheSameForOneAndThirtyTwo) {
  for (const int beam : {1, 3, 8}) {
    for (const ForcedEos forced : {ForcedEos::kModel, ForcedEos::kZero, ForcedEos::kNone}) {
      SearchOptions o;
      o.beam = beam;
      o.max_tokens = 12;
      o.min_tokens = 2;
      o.forced_eos = forced;
      o.stop_rule = StopRule::kNever;
      Slot solo(o, 7);
      Slot team(o, 7);
      int steps = 0;
      while (solo.state.status == SlotStatus::kRunning) {
        const auto rows = solo.Fold();
        const auto same = team.Fold();
        BeamStep(SoloTeam(), solo.view, rows.data(), solo.workspace);
        RunTeam(32,
                [&](const ThreadTeam& t) { BeamStep(t, team.view, same.data(), team.workspace); });
        ExpectEqual(solo, team);
        ++steps;
      }
      EXPECT_GT(steps, 1);
    }
  }
}

TEST(Team, PlanIsTheSameForOneAndThirtyTwo) {
  for (const int size : {1, 32}) {
    std::vector<SlotState> states(3);
    std::vector<std::vector<int32_t>> lanes = {{0, 1, 2}, {3, 4}, {5, 6, 7, 8}};
    std::vector<SlotView> views;
    for (size_t i = 0; i < 3; ++i) {
      states[i].options.beam = static_cast<int32_t>(lanes[i].size());
      states[i].live = states[i].options.beam;
      states[i].length = static_cast<int32_t>(i);
      views.push_back({&states[i], lanes[i].data(), nullptr, {}});
    }
    std::vector<int32_t> pages(9 * 2, kNoPage);
    std::vector<int32_t> free = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    LanePages table{pages.data(), 2};
    PagePool pool{free.data(), 16};
    const std::vector<int32_t> order = {0, 1, 2};
    std::vector<int32_t> row_slot(8), row_lane(8), row_position(8), slots(3), first(3);
    PlanOutput out{
        row_slot.data(), row_lane.data(), row_position.data(), slots.data(), first.data(), 0, 0};
    const PlanInput in{order.data(), 3, 0, 8, 8};
    RunTeam(size, [&](const ThreadTeam& t) { PlanStep(t, in, views.data(), table, pool, out); });
    // 3 + 2 rows fit into 8, the third slot's 4 do not: it pauses.
    EXPECT_EQ(out.slot_count, 2);
    EXPECT_EQ(out.rows, 5);
    EXPECT_EQ(row_slot, (std::vector<int32_t>{0, 0, 0, 1, 1, 0, 0, 0}));
    EXPECT_EQ(row_lane, (std::vector<int32_t>{0, 1, 2, 0, 1, 0, 0, 0}));
    EXPECT_EQ(first[1], 3);
    EXPECT_EQ(states[0].paused, 0);
    EXPECT_EQ(states[2].paused, 1);
    EXPECT_EQ(pool.free_count, 11);
    EXPECT_EQ(states[0].pages, 3);
  }
}

}  // namespace
}  // namespace dragoman
