// The end of a step (batch_step.h): the slots report to the host, and the step is counted.
#pragma once

#include <cstdint>

#include "kernels/base/atomic.h"
#include "kernels/base/host_device.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/partials.h"
#include "kernels/search/plan.h"
#include "kernels/search/rules_image.h"
#include "kernels/search/step_mailbox.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {
namespace deliver_internal {

// A result's place in the order of delivery: higher score first, then lower entry. With sampling
// the scores are taken as 0, so the entry alone decides; it is the number of the draw.
struct ResultKey {
  float score = 0;
  int32_t entry = -1;  // -1: none
};

struct EarlierResult {
  DRAGOMAN_HD bool operator()(ResultKey a, ResultKey b) const {
    if (a.entry < 0 || b.entry < 0) return a.entry >= 0 && b.entry < 0;
    return a.score != b.score ? a.score > b.score : a.entry < b.entry;
  }
};

// Returns the result that is delivered after `last`; entry -1 if there is none.
template <class ThreadGroup>
DRAGOMAN_HD ResultKey NextResult(const ThreadGroup& group, const SlotView& slot, ResultKey last) {
  const SearchOptions& o = slot.state->options;
  ResultKey next;
  for (int32_t e = group.rank(); e < o.beam; e += group.size()) {
    const FinishedHypothesis& h = slot.Finished(e);
    if (h.status != EntryStatus::kDone) continue;
    const ResultKey key{o.sampling.enabled ? 0.0F : h.score, e};
    if (last.entry >= 0 && !EarlierResult()(last, key)) continue;
    if (EarlierResult()(key, next)) next = key;
  }
  return group.Reduce(next, EarlierResult());
}

// Calls `use(entry)` for each result to deliver, at most num_alternatives, in order. Returns their
// number.
template <class ThreadGroup, class Use>
DRAGOMAN_HD int32_t ForResults(const ThreadGroup& group, const SlotView& slot, Use use) {
  int32_t count = 0;
  ResultKey key;
  for (; count < slot.state->options.num_alternatives; ++count) {
    key = NextResult(group, slot, key);
    if (key.entry < 0) break;
    use(key.entry);
  }
  return count;
}

template <class ThreadGroup>
DRAGOMAN_HD void WriteHypothesis(const ThreadGroup& group, const SlotView& slot, int32_t entry,
                                 int32_t* words) {
  const FinishedHypothesis& h = slot.Finished(entry);
  if (group.rank() == 0) {
    words[0] = FloatBits(h.score);
    words[1] = FloatBits(h.log_prob);
    words[2] = h.length;
    words[3] = h.last_token;
    words[4] = FloatBits(h.last_log_prob);
    words[5] = h.unmet ? 1 : 0;
  }
  int32_t* const tokens = words + HypothesisHeader::kWords;
  int32_t* const log_probs = tokens + h.length;
  for (int32_t i = group.rank(); i < h.length; i += group.size()) {
    tokens[i] = slot.FinishedToken(entry, i);
    log_probs[i] = FloatBits(slot.FinishedTokenLogProb(entry, i));
  }
  if (!slot.state->options.align) return;
  int32_t* const aligned = log_probs + h.length;
  for (int32_t i = group.rank(); i <= h.length; i += group.size()) {
    aligned[i] = slot.FinishedAligned(entry, i);
  }
}

// Claims `words` words of the step's output. Returns the index of the first of them to every
// member; -1 if there is no room.
template <class ThreadGroup>
DRAGOMAN_HD int32_t ClaimWords(const ThreadGroup& group, const BatchTables& tables, int32_t words,
                               const StepMailbox& mailbox) {
  int32_t begin = -1;
  if (group.rank() == 0) {
    begin = AtomicAddWithin(tables.now->delivered_words, words, mailbox.output_capacity);
  }
  return group.Reduce(begin, [](int32_t a, int32_t b) { return a > b; });
}

// Adds `delivery` to the step's output. Called by one member, after the words are written. The list
// of deliveries has room, because a slot reports at most once in a step.
DRAGOMAN_HD inline void Announce(const BatchTables& tables, const StepMailbox& mailbox,
                                 const Delivery& delivery) {
  mailbox.deliveries[AtomicAdd(tables.now->deliveries, 1)] = delivery;
}

template <class ThreadGroup>
DRAGOMAN_HD void DeliverSettled(const ThreadGroup& group, const BatchTables& tables, int32_t number,
                                const StepMailbox& mailbox) {
  const SlotView& slot = tables.views[number];
  SlotExtra& extra = tables.extras[number];
  const int32_t from = extra.settled;
  const int32_t settled = SettledTokens(group, slot, from);
  if (settled == from) return;
  const int32_t words = settled - from;
  const int32_t begin = ClaimWords(group, tables, words, mailbox);
  if (begin < 0) return;
  for (int32_t i = group.rank(); i < words; i += group.size()) {
    mailbox.output_words[begin + i] = slot.Token(0, from + i);
  }
  if (group.rank() == 0) {
    extra.settled = settled;
    Announce(tables, mailbox, {number, DeliveryKind::kSettled, 0, begin, words});
  }
}

template <class ThreadGroup>
DRAGOMAN_HD void DeliverResults(const ThreadGroup& group, const BatchTables& tables, int32_t number,
                                const StepMailbox& mailbox) {
  const SlotView& slot = tables.views[number];
  const bool align = slot.state->options.align;
  int32_t words = 0;
  const int32_t count = ForResults(group, slot, [&](int32_t entry) {
    words += HypothesisWords(slot.Finished(entry).length, align);
  });
  const int32_t begin = ClaimWords(group, tables, words, mailbox);
  if (begin < 0) return;
  int32_t at = begin;
  ForResults(group, slot, [&](int32_t entry) {
    WriteHypothesis(group, slot, entry, mailbox.output_words + at);
    at += HypothesisWords(slot.Finished(entry).length, align);
  });
  if (group.rank() == 0) {
    tables.extras[number].occupied = false;
    Announce(tables, mailbox, {number, DeliveryKind::kDone, count, begin, words});
  }
}

}  // namespace deliver_internal

// Reports the end of the slot BatchTables::order[index] or, if it is running, its newly settled
// tokens. If the output has no room, the report is made in a later step. Older slots find room
// first if Deliver is called in the order of `index`.
template <class ThreadGroup>
DRAGOMAN_HD void Deliver(const ThreadGroup& group, const BatchTables& tables, int32_t index,
                         const StepMailbox& mailbox) {
  const int32_t number = tables.order[index];
  switch (tables.states[number].status) {
    case SlotStatus::kFree:
      break;
    case SlotStatus::kRunning:
      if (tables.extras[number].wants_partials) {
        deliver_internal::DeliverSettled(group, tables, number, mailbox);
      }
      break;
    case SlotStatus::kDone:
      deliver_internal::DeliverResults(group, tables, number, mailbox);
      break;
    case SlotStatus::kBadNumber:
      if (group.rank() == 0) {
        tables.extras[number].occupied = false;
        deliver_internal::Announce(tables, mailbox, {number, DeliveryKind::kBadNumber, 0, 0, 0});
      }
      break;
  }
  group.Sync();
}

// Writes the counts of the step to its output (StepOutput) and increments the batch's step number.
template <class ThreadGroup>
DRAGOMAN_HD void EndStep(const ThreadGroup& group, const BatchTables& tables,
                         const StepMailbox& mailbox) {
  BatchScalars& now = *tables.now;
  int32_t running = 0;
  int32_t undelivered = 0;
  int32_t expected = 0;
  for (int32_t i = group.rank(); i < now.order_count; i += group.size()) {
    const int32_t number = tables.order[i];
    const SlotState& s = tables.states[number];
    if (s.status == SlotStatus::kRunning) {
      ++running;
      expected += ExpectedRows(s);
    } else if (tables.extras[number].occupied) {
      ++undelivered;
    }
  }
  for (int32_t i = group.rank(); i < now.waiting_count; i += group.size()) {
    expected += tables.states[tables.waiting[i]].options.beam;
  }
  // Three counts packed in one number for one sum over the members; the batch has fewer than 2^16
  // slots.
  constexpr int kBits = 16;
  constexpr int64_t kMask = (int64_t{1} << kBits) - 1;
  int64_t all = 0;
  group.ExclusiveSum(int64_t{expected} << 2 * kBits | int64_t{running} << kBits | undelivered,
                     &all);
  StepOutput output;
  output.running = static_cast<int32_t>(all >> kBits & kMask);
  output.undelivered = static_cast<int32_t>(all & kMask);
  output.expected_rows = static_cast<int32_t>(all >> 2 * kBits);
  if (group.rank() == 0) {
    output.step = now.step;
    output.rows = now.plan.rows;
    output.slots = now.plan.slot_count;
    output.waiting = now.waiting_count;
    output.self_pages_used = tables.limits.self_pages - now.pages.free_count;
    output.deliveries = now.deliveries;
    *mailbox.output = output;
    ++now.step;
  }
  group.Sync();
}

}  // namespace dragoman::kernels
