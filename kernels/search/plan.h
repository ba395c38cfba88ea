// The plan of a step: which slots run in it, and the table of their rows. A slot holds the search
// of one segment. A row is a live hypothesis in one step.
//
// The plan walks the live slots in the order that PlanRules selects (SEARCH.md a.4; VAR-STREAM,
// Yang et al. 2020): as admitted; or the longest hypotheses first; or only the shortest, while all
// others pause. It takes the longest prefix of this order that fits. To fit, the number of rows
// (NextRows) must be at most `max_rows` and the width budget, if there is one. The load (the sum of
// the rows' costs, SearchOptions::row_cost) must be at most kLoadOfRow times the rows of a full
// step or, if that is less, kLoadOfRow times the budget. At least one slot is taken, so a slot
// wider than the limits never blocks. Slots that have paused for `max_pause` steps come before all
// others, the longest pause first.
//
// The rule of pages: the free pages and the pages of the oldest slot are together at least the
// worst case (WorstCasePages) of any live slot. A slot whose new position needs K/V pages takes
// them when the plan is made. If that would break the rule, the slot pauses, and the plan goes on
// with the next one; "shortest" then means the shortest of the slots that can grow. The oldest slot
// can always grow: the n pages that it needs are at most its worst case minus the pages that it
// holds, so by the rule they are free. Its growth moves n pages from the free ones to its own, so
// the sum of both is unchanged. When it ends, all its pages are free, and the next oldest slot can
// grow. So every step runs a slot, and a lack of pages never fails an accepted segment. Admission
// keeps the rule too (MayAdmit).
//
// PlanAll, PlanPrefix and PlanWalk make the same plan. PlanAll needs one sum over the group's
// members and suffices for most steps. PlanPrefix divides the slots among the members. PlanWalk
// runs on one member.
//
// Runs on a ThreadGroup; the arrays are the caller's. A page is given by its number. The list of
// free pages is a stack.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/base/kv_pages.h"
#include "kernels/search/plan_rules.h"
#include "kernels/search/slot.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {

// The limit of a step's load, in multiples of the rows of a full step. A row of plain beam search
// has the load 1. If the limit were 1, two wide slots whose rows cost a little more than 1 would
// fill a step and keep other slots out until they end.
inline constexpr int32_t kLoadOfRow = 2;

inline constexpr int32_t kNoPage = -1;

// Returns the largest number of pages that a segment may need: all lanes over positions 0 ..
// max_tokens.
DRAGOMAN_HD inline int64_t WorstCasePages(int32_t beam, int32_t max_tokens) {
  return beam * KvLayout::PagesFor(int64_t{max_tokens} + 1);
}

struct PagePool {
  int32_t* free = nullptr;  // a stack: free[0 .. free_count)
  int32_t free_count = 0;
};

// The table of self-attention K/V pages, which the attention reads. Each lane has pages_per_lane
// entries. Entry i is the number of the lane's page for the positions from i * kPagePositions on,
// or kNoPage.
struct LanePages {
  int32_t* pages = nullptr;
  int32_t pages_per_lane = 0;
};

struct PlanInput {
  const int32_t* order = nullptr;  // live slots in the order of admission, which decides ties
  int32_t count = 0;
  const int32_t* oldest = nullptr;  // points to the number of the live slot that was admitted first
  int32_t max_rows = 0;
  int64_t worst_case = 0;  // the largest WorstCasePages of any live slot
  PlanRules rules;
  int32_t batch_rows = 0;  // number of rows of a full step; 0: this step's max_rows
};

// The rows of the step. The arrays have PlanInput::max_rows entries, except that `slots` and
// `first_row` have PlanInput::count entries.
struct PlanOutput {
  int32_t* row_slot = nullptr;
  int32_t* row_lane = nullptr;
  int32_t* row_position = nullptr;
  int32_t* slots = nullptr;      // the slots that run, in row order
  int32_t* first_row = nullptr;  // the first row of each slot that runs
  int32_t rows = 0;
  int32_t slot_count = 0;
};

// Reports whether a slot that needs at most `worst` pages may enter under the rule of pages (head
// of this file). `oldest_held` is the number of pages that the oldest slot holds, `worst_live` the
// largest worst case of any live slot.
DRAGOMAN_HD inline bool MayAdmit(int64_t free_pages, int64_t oldest_held, int64_t worst_live,
                                 int64_t worst) {
  return free_pages + oldest_held >= (worst > worst_live ? worst : worst_live);
}

// Returns the entry of the page table for a lane's next position.
DRAGOMAN_HD inline int32_t& NextPage(const SlotView& slot, int lane, const LanePages& lanes) {
  const int32_t index = slot.state->length / kPagePositions;
  return lanes.pages[int64_t{slot.lanes[lane]} * lanes.pages_per_lane + index];
}

// Returns the number of pages that the live lanes of a slot lack for their new position.
DRAGOMAN_HD inline int32_t PagesNeeded(const SlotView& slot, const LanePages& lanes) {
  int32_t need = 0;
  for (int lane = 0; lane < slot.state->live; ++lane) {
    if (NextPage(slot, lane, lanes) == kNoPage) ++need;
  }
  return need;
}

// Gives one page to each live lane that lacks a page for its new position. Takes the `need` pages
// from the stack `free`, free[top - 1] first. REQUIRES: need = PagesNeeded.
DRAGOMAN_HD inline void TakePages(const SlotView& slot, int32_t need, const LanePages& lanes,
                                  const int32_t* free, int32_t top) {
  slot.state->pages += need;
  for (int lane = 0; need > 0; ++lane) {
    int32_t& page = NextPage(slot, lane, lanes);
    if (page != kNoPage) continue;
    page = free[--top];
    --need;
  }
}

// Gives each live lane of a slot a page for its new position if it lacks one. Returns false, and
// changes nothing, if too few pages are free or the rule of pages forbids it.
DRAGOMAN_HD inline bool GrowSlot(const SlotView& slot, bool is_oldest, int64_t oldest_held,
                                 int64_t worst_case, LanePages& lanes, PagePool& pool) {
  const int32_t need = PagesNeeded(slot, lanes);
  if (need == 0) return true;
  if (need > pool.free_count) return false;
  if (!is_oldest && pool.free_count - need + oldest_held < worst_case) return false;
  TakePages(slot, need, lanes, pool.free, pool.free_count);
  pool.free_count -= need;
  return true;
}

// Takes all pages away from the lanes of a slot and writes their numbers to `to`, which has room
// for SlotState::pages numbers.
DRAGOMAN_HD inline void GiveBackPages(const SlotView& slot, const LanePages& lanes, int32_t* to) {
  const int32_t used = slot.state->length / kPagePositions + 1;
  for (int lane = 0; lane < slot.state->options.beam; ++lane) {
    for (int i = 0; i < used; ++i) {
      int32_t& page = lanes.pages[int64_t{slot.lanes[lane]} * lanes.pages_per_lane + i];
      if (page == kNoPage) continue;
      *to++ = page;
      page = kNoPage;
    }
  }
  slot.state->pages = 0;
}

DRAGOMAN_HD inline void ReleasePages(const SlotView& slot, LanePages& lanes, PagePool& pool) {
  const int32_t held = slot.state->pages;
  GiveBackPages(slot, lanes, pool.free + pool.free_count);
  pool.free_count += held;
}

// The number of steps in which a beam grows from one start hypothesis to its full width.
inline constexpr int32_t kGrowth = 2;

// Returns the number of rows that a running slot is expected to need in coming steps, not
// multiplied by their cost: its whole beam if it has just begun, otherwise its rows in the next
// step.
DRAGOMAN_HD inline int32_t ExpectedRows(const SlotState& s) {
  return s.length < kGrowth ? s.options.beam : NextRows(s);
}

namespace plan_internal {

// Returns the key of a slot. Slots are planned by ascending keys. The keys of slots that have
// paused too long are below 0.
DRAGOMAN_HD inline int64_t OrderKey(const SlotState& s, const PlanRules& rules) {
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

// Orders two indices of in.order by the keys of their slots, then by age. The lower index is the
// older slot.
struct Before {
  const PlanInput& in;
  const SlotView* slots;

  DRAGOMAN_HD bool operator()(int32_t a, int32_t b) const {
    const int64_t key_a = OrderKey(*slots[in.order[a]].state, in.rules);
    const int64_t key_b = OrderKey(*slots[in.order[b]].state, in.rules);
    return key_a != key_b ? key_a < key_b : a < b;
  }
};

// Fills `ranked` with the indices of in.order in the order of the plan. Usually they are in this
// order already and need no sort.
template <class ThreadGroup>
DRAGOMAN_HD void Rank(const ThreadGroup& group, const PlanInput& in, const SlotView* slots,
                      int32_t* ranked) {
  const Before before{in, slots};
  int32_t unsorted = 0;
  for (int32_t i = group.rank(); i < in.count; i += group.size()) {
    ranked[i] = i;
    if (i > 0 && before(i, i - 1)) unsorted = 1;
  }
  unsorted = group.Reduce(unsorted, [](int32_t a, int32_t b) { return a > b; });
  if (unsorted != 0) group.Sort(ranked, in.count, before);
}

// The number of rows and the load (the sum of the rows' costs), packed in one number so that one
// sum adds both.
struct Width {
  int64_t both = 0;

  DRAGOMAN_HD static Width Of(const SlotState& s) {
    const int32_t rows = NextRows(s);
    return {rows + (int64_t{rows} * s.options.row_cost << 32)};
  }
  DRAGOMAN_HD int32_t rows() const { return static_cast<int32_t>(both); }
  DRAGOMAN_HD int64_t load() const { return both >> 32; }
  DRAGOMAN_HD Width operator+(const Width& other) const { return {both + other.both}; }
  DRAGOMAN_HD void operator+=(const Width& other) { both += other.both; }
};

// Three counts packed in one number: the pages, the slots and the rows that some of the live slots
// take. BatchLimits keeps each count below 2^21.
struct Taken {
  static constexpr int kBits = 21;
  static constexpr int64_t kMask = (int64_t{1} << kBits) - 1;
  int64_t all = 0;

  DRAGOMAN_HD static Taken Of(int32_t pages, int32_t slots, int32_t rows) {
    return {int64_t{pages} << 2 * kBits | int64_t{slots} << kBits | rows};
  }
  DRAGOMAN_HD int32_t pages() const { return static_cast<int32_t>(all >> 2 * kBits); }
  DRAGOMAN_HD int32_t slots() const { return static_cast<int32_t>(all >> kBits & kMask); }
  DRAGOMAN_HD int32_t rows() const { return static_cast<int32_t>(all & kMask); }
};

DRAGOMAN_HD inline bool Fits(const PlanInput& in, const Width& width) {
  const int32_t budget = in.rules.width_budget;
  const int32_t rows = budget > 0 && budget < in.max_rows ? budget : in.max_rows;
  const int32_t full = in.batch_rows > 0 ? in.batch_rows : in.max_rows;
  const int64_t load = int64_t{kLoadOfRow} * (budget > 0 && budget < full ? budget : full);
  return width.rows() <= rows && width.load() <= load;
}

// Adds slot `number` to the plan, as entry `at` of the slots that run. Its rows begin at row
// `first`. Returns the number of its rows.
DRAGOMAN_HD inline int32_t WriteRows(int32_t number, const SlotState& s, int32_t at, int32_t first,
                                     const PlanOutput& out) {
  out.slots[at] = number;
  out.first_row[at] = first;
  const bool together = s.live == 1;
  const int32_t rows = NextRows(s);
  for (int32_t i = 0; i < rows; ++i) {
    out.row_slot[first + i] = number;
    out.row_lane[first + i] = together ? 0 : i;
    out.row_position[first + i] = together ? s.length + i : s.length;
  }
  return rows;
}

// Reports whether PlanAll must not take slot in.order[i] even if there is room: because a rule may
// move it to another place in the order or exclude it, or because its rows cost more than 1.
DRAGOMAN_HD inline bool IsApart(const PlanInput& in, const SlotView* slots, int32_t i,
                                const SlotState& s) {
  if (s.options.row_cost != 1 || OrderKey(s, in.rules) < 0) return true;
  switch (in.rules.selection) {
    case SlotSelection::kShortest:
      return true;
    case SlotSelection::kLongest:
      return i > 0 && slots[in.order[i - 1]].state->length < s.length;
    case SlotSelection::kAll:
      break;
  }
  return false;
}

// Makes the plan if every slot runs in the order of admission and gets its pages. Each member of
// the group writes its share. Otherwise returns false and changes nothing.
template <class ThreadGroup>
DRAGOMAN_HD bool PlanAll(const ThreadGroup& group, const PlanInput& in, const SlotView* slots,
                         LanePages& lanes, PagePool& pool, PlanOutput& out) {
  const Share mine = ShareOf(group, in.count);
  int32_t need = 0;
  int32_t apart = 0;
  int32_t rows = 0;
  for (int32_t i = mine.begin; i < mine.end; ++i) {
    const SlotView& slot = slots[in.order[i]];
    apart += IsApart(in, slots, i, *slot.state) ? 1 : 0;
    rows += NextRows(*slot.state);
    need += PagesNeeded(slot, lanes);
  }
  const int32_t free_pages = pool.free_count;
  const int64_t oldest_held = in.count > 0 ? slots[*in.oldest].state->pages : 0;
  // The number of pages that the rule of pages allows the slots to take together. The oldest slot
  // may take more, but only PlanWalk does that.
  const int64_t granted = free_pages + oldest_held - in.worst_case;
  const auto most = static_cast<int32_t>(granted < 0            ? 0
                                         : granted < free_pages ? granted
                                                                : free_pages);
  Taken all;  // slots() is here the number of slots for which IsApart is true
  const Taken before{group.ExclusiveSum(Taken::Of(need, apart, rows).all, &all.all)};
  if (all.slots() > 0 || all.pages() > most) return false;
  if (!Fits(in, {all.rows() + (int64_t{all.rows()} << 32)})) return false;
  if (group.rank() == 0) {
    out.rows = all.rows();
    out.slot_count = in.count;
    pool.free_count = free_pages - all.pages();
  }
  int32_t row = before.rows();
  int32_t page = before.pages();
  for (int32_t i = mine.begin; i < mine.end; ++i) {
    const int32_t number = in.order[i];
    const SlotView& slot = slots[number];
    slot.state->paused = 0;
    if (need > 0) {
      const int32_t pages = PagesNeeded(slot, lanes);
      TakePages(slot, pages, lanes, pool.free, free_pages - page);
      page += pages;
    }
    row += WriteRows(number, *slot.state, i, row, out);
  }
  return true;
}

// Makes the plan if all slots that have paused too long fit and every selected slot gets its pages.
// The slots that run are then a prefix of the ranking, and each member finds and writes its share
// of them. Otherwise PlanPrefix changes nothing and returns false. REQUIRES: in.count > 0.
template <class ThreadGroup>
DRAGOMAN_HD bool PlanPrefix(const ThreadGroup& group, const PlanInput& in, const SlotView* slots,
                            LanePages& lanes, PagePool& pool, PlanOutput& out) {
  const int32_t* ranked = out.slots;  // a slot that is taken overwrites its own entry
  const auto slot_at = [&](int32_t i) -> const SlotView& { return slots[in.order[ranked[i]]]; };

  const Share mine = ShareOf(group, in.count);
  Width width;
  int32_t due = 0;  // number of slots that have paused too long; they come first in the ranking
  for (int32_t i = mine.begin; i < mine.end; ++i) {
    const SlotState& s = *slot_at(i).state;
    width += Width::Of(s);
    due += OrderKey(s, in.rules) < 0 ? 1 : 0;
  }
  int64_t all = 0;
  const Width before{group.ExclusiveSum(width.both, &all)};
  int32_t all_due = 0;
  group.ExclusiveSum(due, &all_due);
  const bool shortest = in.rules.selection == SlotSelection::kShortest && all_due < in.count;
  const int32_t longest = shortest ? slot_at(all_due).state->length : INT32_MAX;
  // Each member takes slots until one does not fit. Together these slots are a prefix of the
  // ranking, because widths are positive and lengths ascend after the slots that are due.
  int32_t end = mine.begin;
  int32_t need = 0;
  width = {};
  for (; end < mine.end; ++end) {
    const SlotView& slot = slot_at(end);
    if (end >= all_due && slot.state->length > longest) break;
    if (end > 0 && !Fits(in, before + width + Width::Of(*slot.state))) break;
    width += Width::Of(*slot.state);
    need += PagesNeeded(slot, lanes);
  }
  const int32_t free_pages = pool.free_count;
  const int64_t oldest_held = in.count > 0 ? slots[*in.oldest].state->pages : 0;
  Taken taken;
  const Taken taken_before{
      group.ExclusiveSum(Taken::Of(need, end - mine.begin, width.rows()).all, &taken.all)};
  const int32_t all_needed = taken.pages();
  if (taken.slots() < all_due) return false;
  // If the rule of pages holds after all slots have taken their pages, it also holds after each
  // one. The oldest slot may take more than the rule allows others, but only PlanWalk does that.
  if (all_needed > 0 &&
      (all_needed > free_pages || free_pages - all_needed + oldest_held < in.worst_case)) {
    return false;
  }

  // Nothing below reads these numbers. They are written as early as possible, because until then
  // they take registers.
  if (group.rank() == 0) {
    out.rows = taken.rows();
    out.slot_count = taken.slots();
    pool.free_count = free_pages - all_needed;
  }
  int32_t row = before.rows();
  int32_t page = taken_before.pages();
  for (int32_t i = mine.begin; i < mine.end; ++i) {
    const int32_t number = in.order[ranked[i]];
    const SlotView& slot = slots[number];
    SlotState& s = *slot.state;
    if (i >= end) {
      ++s.paused;
      continue;
    }
    s.paused = 0;
    const int32_t pages = PagesNeeded(slot, lanes);
    TakePages(slot, pages, lanes, pool.free, free_pages - page);
    page += pages;
    row += WriteRows(number, s, i, row, out);
  }
  return true;
}

// Makes the plan on one thread. Passes over slots that cannot get the pages that they need.
// `out.slots` also holds the ranking: a slot that is taken overwrites an entry that the walk has
// already read.
DRAGOMAN_HD inline void PlanWalk(const PlanInput& in, const SlotView* slots, LanePages& lanes,
                                 PagePool& pool, PlanOutput& out) {
  const int32_t* ranked = out.slots;
  int32_t shortest = INT32_MAX;
  Width width;
  out.rows = 0;
  out.slot_count = 0;
  for (int32_t i = 0; i < in.count; ++i) {
    const int32_t number = in.order[ranked[i]];
    const SlotView& slot = slots[number];
    SlotState& s = *slot.state;
    const bool starved = OrderKey(s, in.rules) < 0;
    if (!starved && s.length > shortest) break;
    if (out.rows > 0 && !Fits(in, width + Width::Of(s))) {
      if (starved) continue;
      break;
    }
    const int64_t oldest_held = in.count > 0 ? slots[*in.oldest].state->pages : 0;
    if (!GrowSlot(slot, number == *in.oldest, oldest_held, in.worst_case, lanes, pool)) continue;
    if (!starved && in.rules.selection == SlotSelection::kShortest) shortest = s.length;
    width += Width::Of(s);
    out.rows += WriteRows(number, s, out.slot_count, out.rows, out);
    ++out.slot_count;
    s.paused = -1;
  }
  for (int32_t i = 0; i < in.count; ++i) ++slots[in.order[i]].state->paused;
}

}  // namespace plan_internal

// Makes the plan and sets `paused` of every live slot. slots[i] is the view of slot number i.
// REQUIRES: no slot has more rows than max_rows; each slot has a live hypothesis.
template <class ThreadGroup>
DRAGOMAN_HD void PlanStep(const ThreadGroup& group, const PlanInput& in, const SlotView* slots,
                          LanePages& lanes, PagePool& pool, PlanOutput& out) {
  if (plan_internal::PlanAll(group, in, slots, lanes, pool, out)) {
    group.Sync();
    return;
  }
  plan_internal::Rank(group, in, slots, out.slots);
  const bool planned =
      in.count > 0 && plan_internal::PlanPrefix(group, in, slots, lanes, pool, out);
  if (!planned) {
    group.Sync();  // the walk changes what the other members have just read
    if (group.rank() == 0) plan_internal::PlanWalk(in, slots, lanes, pool, out);
  }
  group.Sync();
}

}  // namespace dragoman::kernels
