// How much of a running search is settled: the tokens that every hypothesis which can still become
// the translation begins with (SEARCH.md a.8, "Partials").
//
// Runs on a ThreadGroup.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/slot.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {

// The number of real tokens that all hypotheses which can still win share, by lineage.
// Only the best finished hypothesis can still win: what ends later either beats it or does not, the
// others never. Never less than `from`, the answer of an earlier step of the same segment.
// REQUIRES: the slot is running.
template <class ThreadGroup, class View>
DRAGOMAN_HD int32_t SettledTokens(const ThreadGroup& group, const View& slot, int32_t from) {
  const SlotState& s = *slot.state;
  // Among the results only the best can still win; among the hypotheses that wait on the beam each
  // one can.
  int best = -1;
  for (int e = 0; e < s.options.beam; ++e) {
    const FinishedHypothesis& h = slot.Finished(e);
    if (h.status == EntryStatus::kDone && (best < 0 || h.score > slot.Finished(best).score)) {
      best = e;
    }
  }
  const auto can_win = [&](int e) {
    return e == best || slot.Finished(e).status == EntryStatus::kWaiting;
  };
  int32_t end = s.length;
  for (int e = 0; e < s.options.beam; ++e) {
    if (can_win(e) && slot.Finished(e).length < end) end = slot.Finished(e).length;
  }
  // Two hypotheses whose position p was written by one lane are one hypothesis up to p: the first
  // position at which they differ is where it ends.
  int32_t differs = end + 1;
  for (int32_t p = from + 1 + group.rank(); p < differs; p += group.size()) {
    const int writer = slot.Writer(0, p);
    bool same = true;
    for (int lane = 1; lane < s.live && same; ++lane) same = slot.Writer(lane, p) == writer;
    for (int e = 0; e < s.options.beam && same; ++e) {
      same = !can_win(e) || slot.FinishedAncestry(e)[p] == writer;
    }
    if (!same) differs = p;
  }
  differs = group.Reduce(differs, [](int32_t a, int32_t b) { return a < b; });
  return differs - 1 > from ? differs - 1 : from;
}

}  // namespace dragoman::kernels
