// The beginning of a step (batch_step.h): which slots leave, which segments enter, which slots run.
//
// Pages are given back and taken in the order of the slots' ages. So a batch with the same history
// has the same pages, whatever the size of the group.
//
// A device reads a command over its bus, where a load takes a microsecond or more, so the number of
// loads that depend on each other decides the time. That is why the command is read in one piece.
// Each admission's words are copied by a subgroup, several loads of each member at a time.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/plan.h"
#include "kernels/search/rules_image.h"
#include "kernels/search/step_mailbox.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {
namespace begin_step_internal {

// Returns true if one of the slots that this member checks has ended or left, or if any slot waits.
// If no member returns true and the command is empty, the slots that run are the same as in the
// step before.
template <class ThreadGroup>
DRAGOMAN_HD bool SeesChange(const ThreadGroup& group, const BatchTables& tables) {
  const BatchScalars& now = *tables.now;
  bool change = now.waiting_count > 0;
  for (int32_t i = group.rank(); i < now.order_count; i += group.size()) {
    const int32_t slot = tables.order[i];
    if (tables.states[slot].status != SlotStatus::kRunning) change = true;
    if (!tables.extras[slot].occupied) change = true;
  }
  return change;
}

// Marks the cancelled slots as not occupied and removes them from `waiting`.
template <class ThreadGroup>
DRAGOMAN_HD void Cancel(const ThreadGroup& group, const BatchTables& tables,
                        const StepMailbox& mailbox) {
  BatchScalars& now = *tables.now;
  const int32_t cancelled = now.command.cancelled;
  for (int32_t i = group.rank(); i < cancelled; i += group.size()) {
    tables.extras[mailbox.cancelled[i]].occupied = false;
  }
  group.Sync();
  if (now.waiting_count == 0) return;
  const int32_t waiting = Collect(
      group, now.waiting_count,
      [&](int32_t i) { return tables.extras[tables.waiting[i]].occupied; },
      [&](int32_t i) { return tables.waiting[i]; }, tables.scratch);
  for (int32_t i = group.rank(); i < waiting; i += group.size()) {
    tables.waiting[i] = tables.scratch[i];
  }
  if (group.rank() == 0) now.waiting_count = waiting;
  group.Sync();
}

// Three counts packed in one number, so that one sum over the members adds all of them: pages that
// are given back, slots that stay, and slots that run.
struct Leaving {
  static constexpr int kBits = 16;
  static constexpr int64_t kMask = (int64_t{1} << kBits) - 1;
  int64_t all = 0;

  DRAGOMAN_HD static Leaving Of(int32_t pages, int32_t stay, int32_t run) {
    return {int64_t{pages} << 2 * kBits | int64_t{stay} << kBits | run};
  }
  DRAGOMAN_HD int32_t pages() const { return static_cast<int32_t>(all >> 2 * kBits); }
  DRAGOMAN_HD int32_t stay() const { return static_cast<int32_t>(all >> kBits & kMask); }
  DRAGOMAN_HD int32_t run() const { return static_cast<int32_t>(all & kMask); }
};

// Gives back the K/V pages of slots that have ended or are cancelled. Slots whose end is delivered
// and cancelled slots leave the order. Slots that are still running become `runnable`.
template <class ThreadGroup>
DRAGOMAN_HD void LeaveSlots(const ThreadGroup& group, const BatchTables& tables) {
  BatchScalars& now = *tables.now;
  const auto leaves = [&](int32_t slot) { return !tables.extras[slot].occupied; };
  const auto runs = [&](int32_t slot) {
    return tables.states[slot].status == SlotStatus::kRunning && !leaves(slot);
  };
  const Share mine = ShareOf(group, now.order_count);
  int32_t pages = 0;
  int32_t stay = 0;
  int32_t run = 0;
  for (int32_t i = mine.begin; i < mine.end; ++i) {
    const int32_t slot = tables.order[i];
    if (!leaves(slot)) ++stay;
    if (runs(slot)) {
      ++run;
    } else {
      pages += tables.states[slot].pages;
    }
  }
  Leaving all;
  const Leaving before{group.ExclusiveSum(Leaving::Of(pages, stay, run).all, &all.all)};
  int32_t* top = now.pages.free + now.pages.free_count + before.pages();
  stay = before.stay();
  run = before.run();
  for (int32_t i = mine.begin; i < mine.end; ++i) {
    const int32_t slot = tables.order[i];
    const bool goes_on = runs(slot);
    if (goes_on) tables.runnable[run++] = slot;
    const int32_t held = tables.states[slot].pages;
    if (!goes_on && held > 0) {
      GiveBackPages(tables.views[slot], now.lane_pages, top);
      top += held;
    }
    if (leaves(slot)) {
      tables.states[slot].status = SlotStatus::kFree;
    } else {
      tables.scratch[stay++] = slot;
    }
  }
  group.Sync();
  for (int32_t i = group.rank(); i < all.stay(); i += group.size()) {
    tables.order[i] = tables.scratch[i];
  }
  if (group.rank() == 0) {
    now.order_count = all.stay();
    now.runnable_count = all.run();
    now.pages.free_count += all.pages();
  }
  group.Sync();
}

// Copies words[i] to `target(i)` for each i < count. The members of the subgroup share the work.
template <class Target>
DRAGOMAN_HD void CopyWords(const Subgroup& subgroup, const int32_t* words, int32_t count,
                           Target target) {
  // The number of loads that a member issues before it waits for the first.
  constexpr int32_t kAhead = 8;
  for (int32_t first = subgroup.rank; first < count; first += kAhead * subgroup.size) {
    int32_t held[kAhead] = {};
    for (int32_t j = 0; j < kAhead; ++j) {
      const int32_t i = first + j * subgroup.size;
      if (i < count) CopyWord(held + j, words + i);
    }
    for (int32_t j = 0; j < kAhead; ++j) {
      const int32_t i = first + j * subgroup.size;
      if (i < count) CopyWord(target(i), held + j);
    }
  }
}

// Takes the admissions of the command. Their slots join the end of the waiting list.
template <class ThreadGroup>
DRAGOMAN_HD void TakeAdmissions(const ThreadGroup& group, const BatchTables& tables,
                                const StepMailbox& mailbox) {
  BatchScalars& now = *tables.now;
  const int32_t admissions = now.command.admissions;
  const Subgroup subgroup = SubgroupOf(group);
  for (int32_t a = subgroup.number; a < admissions; a += subgroup.count) {
    const AdmitCommand& admit = mailbox.admissions[a];
    const int32_t beam = admit.options.beam;
    const int32_t rules_from = beam + admit.cross_pages;
    int32_t* const lanes = tables.slot_lanes + int64_t{admit.slot} * kMaxSlotLanes;
    int32_t* const pages =
        tables.cross_pages + int64_t{admit.slot} * tables.limits.pages_per_lane();
    int32_t* const rules = tables.rules + admit.rules_begin;
    CopyWords(subgroup, mailbox.command_words + admit.words_begin, rules_from + admit.rules_words,
              [&](int32_t i) {
                if (i < beam) return lanes + i;
                return i < rules_from ? pages + (i - beam) : rules + (i - rules_from);
              });
  }
  group.Sync();  // the rules' counts are read below
  for (int32_t a = group.rank(); a < admissions; a += group.size()) {
    const AdmitCommand& admit = mailbox.admissions[a];
    SlotState& s = tables.states[admit.slot];
    s = SlotState{};
    s.options = admit.options;
    s.rules = RulesFrom(tables.rules + admit.rules_begin);
    tables.source_length[admit.slot] = admit.source_length;
    SlotExtra& extra = tables.extras[admit.slot];
    extra.occupied = true;
    extra.wants_partials = admit.wants_partials;
    extra.settled = 0;
    tables.waiting[now.waiting_count + a] = admit.slot;
  }
  group.Sync();
}

DRAGOMAN_HD inline int64_t WorstCaseOf(const SlotState& s) {
  return WorstCasePages(s.options.beam, s.options.max_tokens);
}

// Returns the number of slots that wait, including the command's admissions. Call it at each use,
// because a variable would take a register.
DRAGOMAN_HD inline int32_t AllWaiting(const BatchScalars& now) {
  return now.waiting_count + now.command.admissions;
}

// Begins the waiting slots in their order. Stops at the first slot that may not begin by the rule
// of pages (plan.h). Sets the batch's worst case to the largest worst case of all slots that run.
template <class ThreadGroup>
DRAGOMAN_HD void BeginWaiting(const ThreadGroup& group, const BatchTables& tables) {
  BatchScalars& now = *tables.now;
  const auto larger = [](int64_t a, int64_t b) { return a > b; };
  int64_t worst = 0;
  for (int32_t i = group.rank(); i < now.runnable_count; i += group.size()) {
    const int64_t of_slot = WorstCaseOf(tables.states[tables.runnable[i]]);
    if (of_slot > worst) worst = of_slot;
  }
  worst = group.Reduce(worst, larger);
  if (AllWaiting(now) == 0) {
    if (group.rank() == 0) now.worst_case = worst;
    group.Sync();
    return;
  }
  // A slot takes no page when it begins, so admitting it changes only the batch's worst case, and
  // the test of MayAdmit has shown that the pages cover it. So each slot can be tested on its own:
  // the first slot that fails is the same as if the slots were tested one after the other.
  const int64_t held =
      now.runnable_count > 0 ? tables.states[tables.runnable[0]].pages : int64_t{0};
  int32_t begun = AllWaiting(now);
  for (int32_t i = group.rank(); i < begun; i += group.size()) {
    const int64_t of_slot = WorstCaseOf(tables.states[tables.waiting[i]]);
    if (!MayAdmit(now.pages.free_count, held, worst, of_slot)) begun = i;
  }
  begun = group.Reduce(begun, [](int32_t a, int32_t b) { return a < b; });
  int64_t worst_begun = worst;
  for (int32_t i = group.rank(); i < begun; i += group.size()) {
    const int32_t slot = tables.waiting[i];
    tables.order[now.order_count + i] = slot;
    tables.runnable[now.runnable_count + i] = slot;
    BeginSlot(tables.views[slot], tables.limits.start_token);
    const int64_t of_slot = WorstCaseOf(tables.states[slot]);
    if (of_slot > worst_begun) worst_begun = of_slot;
  }
  worst_begun = group.Reduce(worst_begun, larger);
  const int32_t left = AllWaiting(now) - begun;
  if (begun > 0 && left > 0) {
    for (int32_t i = group.rank(); i < left; i += group.size()) {
      tables.scratch[i] = tables.waiting[begun + i];
    }
    group.Sync();
    for (int32_t i = group.rank(); i < left; i += group.size()) {
      tables.waiting[i] = tables.scratch[i];
    }
  }
  group.Sync();
  if (group.rank() == 0) {
    now.order_count += begun;
    now.runnable_count += begun;
    now.waiting_count = left;
    now.worst_case = worst_begun;
  }
  group.Sync();
}

}  // namespace begin_step_internal

// Reads the command. Cancelled slots and slots whose end was delivered leave and give back their
// pages. Begins waiting segments in order while the rule of pages holds (MayAdmit). Then makes the
// plan.
template <class ThreadGroup>
DRAGOMAN_HD void BeginStep(const ThreadGroup& group, const BatchTables& tables,
                           const StepMailbox& mailbox) {
  using namespace begin_step_internal;  // NOLINT(google-build-using-namespace)
  BatchScalars& now = *tables.now;
  StepCommand command;
  if (group.rank() == 0) command = *mailbox.command;
  // SeesChange runs while the load of the command is under way.
  bool change = begin_step_internal::SeesChange(group, tables);
  if (group.rank() == 0) {
    change = change || command.cancelled > 0 || command.admissions > 0;
    now.command = command;
    now.materialized_count = 0;
    now.deliveries = 0;
    now.delivered_words = 0;
  }
  // In most steps of a small batch no slot leaves or enters.
  if (group.Any(change)) {
    if (now.command.cancelled > 0) begin_step_internal::Cancel(group, tables, mailbox);
    begin_step_internal::LeaveSlots(group, tables);
    if (now.command.admissions > 0) begin_step_internal::TakeAdmissions(group, tables, mailbox);
    begin_step_internal::BeginWaiting(group, tables);
  }

  PlanInput in;
  in.worst_case = now.worst_case;
  in.order = tables.runnable;
  in.count = now.runnable_count;
  in.oldest = tables.runnable;
  in.max_rows = now.command.max_rows;
  in.rules = now.command.rules;
  in.batch_rows = tables.limits.max_rows;
  PlanStep(group, in, tables.views, now.lane_pages, now.pages, now.plan);
}

}  // namespace dragoman::kernels
