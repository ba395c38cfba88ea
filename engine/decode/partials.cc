#include "engine/decode/partials.h"

#include <algorithm>

namespace dragoman {

int32_t SettledTokens(const SlotView& slot, int32_t from) {
  const SlotState& s = *slot.state;
  // Of the results only the best can still win; of those that wait on the beam each one.
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
    if (can_win(e)) end = std::min(end, slot.Finished(e).length);
  }
  // Two hypotheses whose position p was written by one lane are one hypothesis up to p.
  int32_t settled = from;
  for (int32_t p = from + 1; p <= end; ++p) {
    const int writer = slot.Writer(0, p);
    bool same = true;
    for (int lane = 1; lane < s.live && same; ++lane) same = slot.Writer(lane, p) == writer;
    for (int e = 0; e < s.options.beam && same; ++e) {
      same = !can_win(e) || slot.FinishedAncestry(e)[p] == writer;
    }
    if (!same) break;
    settled = p;
  }
  return settled;
}

}  // namespace dragoman
