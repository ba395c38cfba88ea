// The plan of a step: which slots run, and the table of their rows.
//
// The plan walks the live slots in the order of its rules and takes the longest prefix whose live
// widths fit: into `max_rows`, and into the width budget if there is one. At least one slot is
// taken, so that a slot wider than the budget never blocks. The order is that of admission, or the
// longest hypotheses first; or only the shortest ones run and all others pause (the selections of
// VAR-STREAM, Yang et al. 2020; decoding.md a.4). Slots that have paused as long as the bound
// allows come before all others, the longest pause first: where more of them are due than fit, each
// gets its turn. A slot whose new position needs K/V pages gets them now, or pauses:
//
//   Running short never fails an accepted segment. Free pages + those of the oldest slot stay at
//   least the worst case of any live slot; a growth that would break this pauses its slot, and the
//   oldest always grows: for a need of n <= worst - held, free - n + held + n is unchanged. When
//   the oldest ends, all it held is free and the next in age can grow in its turn. Admission must
//   keep the rule too (MayAdmit).
//
// The rule asks nothing of the order. But who cannot grow must not keep the others from running:
// such a slot is passed over, and "shortest" means the shortest of those that can. The oldest can,
// so every step runs somebody.
//
// Runs on a Team; the arrays are the caller's. Pages are numbers; a free list is a stack.
#pragma once

#include <cstdint>

#include "kernels/decide/host_device.h"
#include "kernels/decide/slot.h"
#include "kernels/decide/team.h"
#include "kernels/ops/kv_pages.h"

namespace dragoman {

// No slot pauses longer, in steps: but for want of pages, and unless more slots are due than fit.
inline constexpr int kMaxPause = 64;

// Which slots run, and in which order they are taken.
enum class SlotSelection : uint8_t {
  kAll,       // every live slot, as admitted
  kShortest,  // those of the least length, as admitted; the others pause
  kLongest,   // every live slot, the longest first (FIFO)
};

// What a policy says about a step. Never about a translation: only about when it is made.
struct PlanRules {
  SlotSelection selection = SlotSelection::kAll;
  int32_t width_budget = 0;       // rows of a step; 0: as many as there are
  int32_t max_pause = kMaxPause;  // steps; 0: no bound
};

inline constexpr int32_t kNoPage = -1;

// Pages of self-attention K/V that a segment may come to need: all lanes over all input positions
// 0 .. max_tokens.
DRAGOMAN_HD inline int64_t WorstCasePages(int32_t beam, int32_t max_tokens) {
  return beam * KvLayout::PagesFor(int64_t{max_tokens} + 1);
}

struct PagePool {
  int32_t* free = nullptr;  // a stack: free[0 .. free_count)
  int32_t free_count = 0;
};

// Tables of the lanes' pages, as the attention reads them: [lanes, pages_per_lane], kNoPage where
// none is held.
struct LanePages {
  int32_t* pages = nullptr;
  int32_t pages_per_lane = 0;
};

struct PlanInput {
  const int32_t* order = nullptr;  // live slots: as admitted; what the rules leave equal keeps it
  int32_t count = 0;
  int32_t oldest = -1;  // the live slot admitted first
  int32_t max_rows = 0;
  int64_t worst_case = 0;  // the largest WorstCasePages of any live slot
  PlanRules rules;
};

// The rows of the step; arrays of max_rows entries (slots: of `count` entries).
struct PlanOutput {
  int32_t* row_slot = nullptr;
  int32_t* row_lane = nullptr;
  int32_t* row_position = nullptr;
  int32_t* slots = nullptr;      // the slots that run, in row order
  int32_t* first_row = nullptr;  // of each of them
  int32_t rows = 0;
  int32_t slot_count = 0;
};

// Whether a slot that needs `worst` pages at most may enter without breaking the rule of pages.
DRAGOMAN_HD inline bool MayAdmit(int64_t free_pages, int64_t oldest_held, int64_t worst_live,
                                 int64_t worst) {
  return free_pages + oldest_held >= (worst > worst_live ? worst : worst_live);
}

// Gives the live lanes of a slot the pages of their new position, or none and false.
DRAGOMAN_HD inline bool GrowSlot(const SlotView& slot, bool is_oldest, int64_t oldest_held,
                                 int64_t worst_case, LanePages& lanes, PagePool& pool) {
  SlotState& s = *slot.state;
  const int32_t index = s.length / kPagePositions;
  int32_t need = 0;
  for (int lane = 0; lane < s.live; ++lane) {
    if (lanes.pages[int64_t{slot.lanes[lane]} * lanes.pages_per_lane + index] == kNoPage) ++need;
  }
  if (need == 0) return true;
  if (need > pool.free_count) return false;
  if (!is_oldest && pool.free_count - need + oldest_held < worst_case) return false;
  for (int lane = 0; lane < s.live; ++lane) {
    int32_t& page = lanes.pages[int64_t{slot.lanes[lane]} * lanes.pages_per_lane + index];
    if (page == kNoPage) page = pool.free[--pool.free_count];
  }
  s.pages += need;
  return true;
}

// Gives back all pages of a slot's lanes.
DRAGOMAN_HD inline void ReleasePages(const SlotView& slot, LanePages& lanes, PagePool& pool) {
  const int32_t used = slot.state->length / kPagePositions + 1;
  for (int lane = 0; lane < slot.state->options.beam; ++lane) {
    for (int i = 0; i < used; ++i) {
      int32_t& page = lanes.pages[int64_t{slot.lanes[lane]} * lanes.pages_per_lane + i];
      if (page == kNoPage) continue;
      pool.free[pool.free_count++] = page;
      page = kNoPage;
    }
  }
  slot.state->pages = 0;
}

namespace plan_internal {

// The place of a slot in the plan: lower first. Below 0 are those that have paused too long.
DRAGOMAN_HD inline int64_t Place(const SlotState& s, const PlanRules& rules) {
  if (rules.max_pause > 0 && s.paused >= rules.max_pause) return -int64_t{s.paused};
  switch (rules.selection) {
    case SlotSelection::kShortest:
      return s.length;
    case SlotSelection::kLongest:
      return int64_t{INT32_MAX} - s.length;
    case SlotSelection::kAll:
      break;
  }
  return 0;
}

// Of two indices of in.order, which stand for their ages.
struct Before {
  const PlanInput& in;
  const SlotView* slots;

  DRAGOMAN_HD bool operator()(int32_t a, int32_t b) const {
    const int64_t place_a = Place(*slots[in.order[a]].state, in.rules);
    const int64_t place_b = Place(*slots[in.order[b]].state, in.rules);
    return place_a != place_b ? place_a < place_b : a < b;
  }
};

// Fills `ranked` with the indices of in.order in the order of the plan. As a rule they are in order
// already. `unsorted` is the team's.
template <class Team>
DRAGOMAN_HD void Rank(const Team& team, const PlanInput& in, const SlotView* slots, int32_t* ranked,
                      int32_t& unsorted) {
  const Before before{in, slots};
  if (team.rank() == 0) {
    unsorted = 0;
    for (int32_t i = 0; i < in.count; ++i) {
      ranked[i] = i;
      if (i > 0 && before(i, i - 1)) unsorted = 1;
    }
  }
  team.Sync();
  if (unsorted != 0) team.Sort(ranked, in.count, before);
  team.Sync();
}

}  // namespace plan_internal

// slots[i] is the view of slot number i. Sets `paused` of every live slot. REQUIRES: no slot is
// wider than max_rows.
template <class Team>
DRAGOMAN_HD void PlanStep(const Team& team, const PlanInput& in, const SlotView* slots,
                          LanePages& lanes, PagePool& pool, PlanOutput& out) {
  // What is taken overwrites the part of the ranking that has been walked.
  int32_t* ranked = out.slots;
  plan_internal::Rank(team, in, slots, ranked, out.slot_count);
  if (team.rank() == 0) {
    out.rows = 0;
    out.slot_count = 0;
    const bool budgeted = in.rules.width_budget > 0 && in.rules.width_budget < in.max_rows;
    const int32_t limit = budgeted ? in.rules.width_budget : in.max_rows;
    int32_t shortest = INT32_MAX;
    for (int32_t i = 0; i < in.count; ++i) {
      const int32_t number = in.order[ranked[i]];
      const SlotView& slot = slots[number];
      SlotState& s = *slot.state;
      const bool starved = plan_internal::Place(s, in.rules) < 0;
      if (!starved && s.length > shortest) break;
      if (out.rows + s.live > limit && out.rows > 0) {
        if (starved) continue;
        break;
      }
      const int64_t oldest_held = in.oldest >= 0 ? slots[in.oldest].state->pages : 0;
      if (!GrowSlot(slot, number == in.oldest, oldest_held, in.worst_case, lanes, pool)) continue;
      if (!starved && in.rules.selection == SlotSelection::kShortest) shortest = s.length;
      out.slots[out.slot_count] = number;
      out.first_row[out.slot_count] = out.rows;
      ++out.slot_count;
      for (int32_t lane = 0; lane < s.live; ++lane) {
        out.row_slot[out.rows] = number;
        out.row_lane[out.rows] = lane;
        out.row_position[out.rows] = s.length;
        ++out.rows;
      }
      s.paused = -1;
    }
    for (int32_t i = 0; i < in.count; ++i) ++slots[in.order[i]].state->paused;
  }
  team.Sync();
}

}  // namespace dragoman
