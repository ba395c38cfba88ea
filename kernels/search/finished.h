// The entries of a slot: hypotheses that have ended (FinishedHypothesis in slot.h), and their
// scores.
//
// Each function is called by one member of a group.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/candidates.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels {

// Returns the divisor that turns a log-prob into a score (SEARCH.md 0.1). It depends on a length.
// With immediate finalisation and without required phrases, this is the number of tokens emitted,
// including EOS. Otherwise it is the number of real tokens plus one, whether EOS came or not.
DRAGOMAN_HD inline float Divisor(const SlotState& s, int32_t real_tokens, bool has_eos) {
  const bool emitted =
      s.options.finalisation == Finalisation::kImmediate && s.rules.constraints.phrases == 0;
  return s.rules.divisor[real_tokens + (has_eos || !emitted ? 1 : 0)];
}

DRAGOMAN_HD inline float EndScore(const SlotState& s, const Candidate& c) {
  const bool has_eos = s.options.Ends(c.token);
  return c.path / Divisor(s, has_eos ? s.length : s.length + 1, has_eos);
}

// Writes to entry number `entry` the hypothesis that `c` ends. REQUIRES: `c` is a child of a live
// hypothesis.
template <class View>
DRAGOMAN_HD void WriteEntry(const View& slot, int entry, const Candidate& c, EntryStatus status) {
  const SlotState& s = *slot.state;
  FinishedHypothesis h;
  h.score = EndScore(s, c);
  h.log_prob = c.path;
  h.length = s.length;
  h.last_token = c.token;
  h.last_log_prob = c.log_prob;
  h.rank = c.rank;
  h.status = status;
  slot.Finished(entry) = h;
  auto* lineage = slot.FinishedAncestry(entry);
  for (int p = 0; p <= s.length; ++p) {
    lineage[p] = static_cast<typename View::Lane>(slot.Writer(c.parent, p));
  }
}

// Writes to entry number `entry` the live hypothesis in `lane` as it is, without EOS and marked as
// unmet. REQUIRES: the hypothesis has a real token.
template <class View>
DRAGOMAN_HD void WriteUnmetEntry(const View& slot, int entry, int lane) {
  const SlotState& s = *slot.state;
  FinishedHypothesis h;
  h.log_prob = slot.LogProbOf(lane);
  h.score = h.log_prob / Divisor(s, s.length, false);
  h.length = s.length - 1;
  h.last_token = slot.Token(lane, h.length);
  h.last_log_prob = slot.arrays.token_log_probs[slot.At(slot.Writer(lane, s.length), s.length)];
  h.status = EntryStatus::kDone;
  h.unmet = true;
  slot.Finished(entry) = h;
  auto* lineage = slot.FinishedAncestry(entry);
  for (int p = 0; p <= h.length; ++p) {
    lineage[p] = static_cast<typename View::Lane>(slot.Writer(lane, p));
  }
}

// Counts an entry that has become a result. `log_prob` is the log-prob of its hypothesis.
template <class View>
DRAGOMAN_HD void CountDone(const View& slot, float log_prob) {
  SlotState& s = *slot.state;
  ++s.finished;
  ++s.finished_total;
  if (log_prob > s.best_done) s.best_done = log_prob;
}

// Adds a result. The best `beam` results are kept: when there are `beam` already, a new one with a
// better score than the worst replaces it (SEARCH.md a.7).
template <class View>
DRAGOMAN_HD void Finish(const View& slot, const Candidate& c) {
  SlotState& s = *slot.state;
  if (s.finished < s.options.beam) {
    WriteEntry(slot, s.finished, c, EntryStatus::kDone);
    CountDone(slot, c.path);
    return;
  }
  ++s.finished_total;
  if (c.path > s.best_done) s.best_done = c.path;
  int worst = 0;
  for (int i = 1; i < s.finished; ++i) {
    if (!(slot.Finished(i).score > slot.Finished(worst).score)) worst = i;
  }
  if (EndScore(s, c) > slot.Finished(worst).score) WriteEntry(slot, worst, c, EntryStatus::kDone);
}

template <class View>
DRAGOMAN_HD float WorstDone(const View& slot) {
  float worst = INFINITY;
  for (int i = 0; i < slot.state->options.beam; ++i) {
    const FinishedHypothesis& h = slot.Finished(i);
    if (h.status == EntryStatus::kDone && h.score < worst) worst = h.score;
  }
  return worst;
}

// Updates the entries after a step. `chosen` holds the next beam, of `count` candidates. A waiting
// entry that is in `chosen` goes on waiting; any other waiting entry is dropped. Hypotheses of
// `chosen` that have just ended get an entry and begin to wait. The first `popped` of `chosen`
// become results instead of waiting.
template <class View>
DRAGOMAN_HD void SettleEntries(const View& slot, const Candidate* chosen, int32_t count,
                               int32_t popped) {
  SlotState& s = *slot.state;
  for (int e = 0; e < s.options.beam; ++e) {
    FinishedHypothesis& h = slot.Finished(e);
    if (h.status != EntryStatus::kWaiting) continue;
    h.status = EntryStatus::kFree;
    --s.waiting;
  }
  for (int32_t i = 0; i < count; ++i) {
    if (!chosen[i].is_waiting()) continue;
    FinishedHypothesis& h = slot.Finished(chosen[i].entry());
    h.rank = chosen[i].rank;
    h.status = i < popped ? EntryStatus::kDone : EntryStatus::kWaiting;
    if (i < popped) {
      CountDone(slot, h.log_prob);
    } else {
      ++s.waiting;
    }
  }
  int free = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (chosen[i].is_waiting() || !chosen[i].ends) continue;
    // There is a free entry, because results and hypotheses on the beam together are never more
    // than `beam`.
    while (slot.Finished(free).status != EntryStatus::kFree) ++free;
    WriteEntry(slot, free, chosen[i], i < popped ? EntryStatus::kDone : EntryStatus::kWaiting);
    if (i < popped) {
      CountDone(slot, chosen[i].path);
    } else {
      ++s.waiting;
    }
  }
}

// Closes the entries at the end of a search: waiting entries become results if `keep`, otherwise
// they are dropped.
template <class View>
DRAGOMAN_HD void CloseEntries(const View& slot, bool keep) {
  SlotState& s = *slot.state;
  for (int e = 0; e < s.options.beam; ++e) {
    FinishedHypothesis& h = slot.Finished(e);
    if (h.status != EntryStatus::kWaiting) continue;
    --s.waiting;
    h.status = keep ? EntryStatus::kDone : EntryStatus::kFree;
    if (keep) CountDone(slot, h.log_prob);
  }
}

}  // namespace dragoman::kernels
