// The settled tokens of a running search (SEARCH.md a.8, "Partials"): the first tokens in which all
// hypotheses that can still become the translation agree.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/slot.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {

// Returns the number of settled tokens: the length of the prefix that all hypotheses share that can
// still become the translation. Two hypotheses share the prefix up to a position if the same lane
// wrote this position of both. `from` is the result for an earlier step of the same segment; the
// new result is never less. REQUIRES: the slot is running.
template <class ThreadGroup, class View>
DRAGOMAN_HD int32_t SettledTokens(const ThreadGroup& group, const View& slot, int32_t from) {
  const SlotState& s = *slot.state;
  // Only the best of the results can still become the translation. Every hypothesis that waits on
  // the beam can, too.
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
  // If one lane wrote position p of two hypotheses, their tokens are equal up to p. So the settled
  // tokens end before the first position that different lanes wrote.
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
