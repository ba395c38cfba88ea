#include "engine/decode/partials.h"

#include <algorithm>

namespace dragoman {

int32_t SettledTokens(const SlotView& slot, int32_t from) {
  const SlotState& s = *slot.state;
  int best = -1;
  for (int i = 0; i < s.finished; ++i) {
    if (best < 0 || slot.Finished(i).score > slot.Finished(best).score) best = i;
  }
  int32_t end = s.length;
  if (best >= 0) end = std::min(end, slot.Finished(best).length);
  // Two hypotheses whose position p was written by one lane are one hypothesis up to p.
  int32_t settled = from;
  for (int32_t p = from + 1; p <= end; ++p) {
    const int writer = slot.Writer(0, p);
    bool same = best < 0 || slot.FinishedAncestry(best)[p] == writer;
    for (int lane = 1; lane < s.live && same; ++lane) same = slot.Writer(lane, p) == writer;
    if (!same) break;
    settled = p;
  }
  return settled;
}

}  // namespace dragoman
