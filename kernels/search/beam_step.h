// The beam step: one step of one slot, which holds the search of one segment. It decides which
// hypotheses go on, which have ended and when the search is over (SEARCH.md a, d, f). It uses:
//
//   candidates.h    all one-token extensions of the beam, best first
//   constrained.h   which of them make the next beam if phrases are required
//   finished.h      the hypotheses that have ended
//
// Runs on a ThreadGroup (thread_group.h): every member passes the same arguments and gets the same
// answer. No heap, no recursion. Path scores are f32 sums. The code is compiled without fused
// multiply-adds (contraction), so host and device agree on every addition.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/candidates.h"
#include "kernels/search/constrained.h"
#include "kernels/search/finished.h"
#include "kernels/search/slot.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {

// Memory of one call of BeamStep for beams up to `beam`. The caller owns it, the group shares it.
template <class Lane>
struct BasicBeamStepWorkspace {
  Offers offers;                           // holds the arrays; the step sets `summaries`
  Candidate* chosen = nullptr;             // [beam]
  Candidate* pool = nullptr;               // [MaxConstrainedCandidates(beam)]
  int32_t* shared = nullptr;               // [1]
  int32_t* banks = nullptr;                // [kBanks]
  ConstraintState* constraints = nullptr;  // [beam]
  int32_t* forbidden = nullptr;            // [beam]
  Lane* ancestry = nullptr;                // [beam, stride]
};

using BeamStepWorkspace = BasicBeamStepWorkspace<uint8_t>;

namespace beam_step_internal {

// Returns how many of the `count` candidates in `chosen`, best first, pass the threshold (SEARCH.md
// a.1.5). A candidate passes if its log-prob is at most `prune` below the larger of two log-probs:
// that of the first candidate, and the best of all hypotheses that have finished (best_done).
DRAGOMAN_HD inline int32_t Prune(const SlotState& s, const Candidate* chosen, int32_t count) {
  if (count == 0 || s.options.prune == INFINITY || s.length < s.rules.prefix_length) return count;
  const float best = chosen[0].score > s.best_done ? chosen[0].score : s.best_done;
  while (count > 0 && !(chosen[count - 1].score >= best - s.options.prune)) --count;
  return count;
}

// Selects the next beam with immediate finalisation (SEARCH.md a.7). Considers the best 2 * beam
// candidates, and `beam` more for each further id that ends. A candidate that ends and ranks within
// the first `beam` becomes a result at once. The first `beam` candidates that do not end go on.
// With ALL_BEAMS it considers only the best `beam - finished` candidates; those that end become
// results.
template <class ThreadGroup, class View>
DRAGOMAN_HD int32_t SelectImmediate(const ThreadGroup& group, const View& slot, Offers& offers,
                                    Candidate* chosen) {
  const SearchOptions& o = slot.state->options;
  const bool all_beams = o.stop_rule == StopRule::kAllBeams;
  const int32_t width = all_beams ? o.beam - slot.state->finished : o.beam;
  const int32_t limit = all_beams ? width : (2 + o.more_eos_count) * o.beam;
  group.Sync();
  int32_t next = 0;
  for (int32_t i = 0; i < limit && next < width; ++i) {
    const Candidate c = NextCandidate(group, slot, offers);
    if (c.rank < 0) break;
    if (group.rank() == 0) {
      if (!c.ends) {
        chosen[next] = c;
      } else if (i < width) {
        Finish(slot, c);
      }
    }
    if (!c.ends) ++next;
  }
  group.Sync();
  return next;
}

// Selects the next beam with sampling. Each lane's summary holds the one token that was drawn. A
// draw that ends becomes a result in the entry with the draw's number.
template <class ThreadGroup, class View>
DRAGOMAN_HD int32_t SelectDrawn(const ThreadGroup& group, const View& slot, const Offers& offers,
                                Candidate* chosen) {
  int32_t next = 0;
  for (int r = 0; r < slot.state->live; ++r) {
    const Candidate c = RowOffer(slot, offers, r);
    if (c.rank < 0 || !(c.score > -INFINITY)) continue;
    if (group.rank() == 0) {
      if (c.ends) {
        WriteEntry(slot, c.rank, c, EntryStatus::kDone);
        CountDone(slot, c.path);
      } else {
        chosen[next] = c;
      }
    }
    if (!c.ends) ++next;
  }
  group.Sync();
  return next;
}

// Reports whether a search with immediate finalisation is over. Live hypotheses have `length` real
// tokens; `best_live` is their best path score.
template <class View>
DRAGOMAN_HD bool ImmediateIsOver(const View& slot, int32_t length, float best_live) {
  const SlotState& s = *slot.state;
  const SearchOptions& o = s.options;
  if (o.stop_rule == StopRule::kAllBeams) return false;
  if (o.beam == 1) return s.finished > 0;  // greedy search ends at its first EOS
  if (o.stop_rule == StopRule::kFirstK) {
    const float wanted = std::floor(static_cast<float>(o.beam) * o.patience + 0.5F);
    return static_cast<float>(s.finished_total) >= (wanted < 1.0F ? 1.0F : wanted);
  }
  if (s.finished < o.beam) return false;
  int32_t reach = length;
  if (o.stop_rule == StopRule::kNever && o.length_penalty > 0.0F) {
    reach = o.forced_eos == ForcedEos::kNone ? o.max_tokens : o.max_tokens + 1;
  }
  return WorstDone(slot) >= best_live / s.rules.divisor[reach];
}

// Selects the best `beam` candidates, among them hypotheses that have ended. For the finalisations
// ON_BEAM (SEARCH.md a.1) and KEEP (SEARCH.md f). With ON_BEAM the ended candidates that precede
// all others become results, and the beam shrinks by their number. Writes the next beam to the
// start of `chosen` and returns its size.
template <class ThreadGroup, class View>
DRAGOMAN_HD int32_t SelectWithEnded(const ThreadGroup& group, const View& slot, Offers& offers,
                                    Candidate* chosen, int32_t* shared) {
  SlotState& s = *slot.state;
  int32_t count = 0;
  for (; count < s.options.beam; ++count) {
    const Candidate c = NextCandidate(group, slot, offers);
    if (c.rank < 0) break;
    if (group.rank() == 0) chosen[count] = c;
  }
  if (group.rank() == 0) {
    int32_t popped = 0;
    if (s.options.finalisation == Finalisation::kOnBeam) {
      // All candidates may end at once, for example at the length limit. No more of them may become
      // results than the beam has places left.
      if (count > s.options.beam - s.finished) count = s.options.beam - s.finished;
      while (popped < count && chosen[popped].ends) ++popped;
      for (int32_t i = 0; i < popped; ++i) {
        if (chosen[i].path > s.best_done) s.best_done = chosen[i].path;
      }
    }
    count = popped + Prune(s, chosen + popped, count - popped);
    for (int32_t i = popped; i < count; ++i) chosen[i].rank = i - popped;
    SettleEntries(slot, chosen, count, popped);
    for (int32_t i = popped; i < count; ++i) chosen[i - popped] = chosen[i];
    *shared = count - popped;
  }
  group.Sync();
  return *shared;
}

// Sets the live hypotheses to those of the `count` entries of `chosen` that have not ended. Tokens
// and K/V stay where they are. Lineages and the states of constraints and forbidden phrases are
// copied to the new lanes.
template <class ThreadGroup, class View>
DRAGOMAN_HD void Reorder(const ThreadGroup& group, const View& slot, const Candidate* chosen,
                         int32_t count, BasicBeamStepWorkspace<typename View::Lane>& ws) {
  using Lane = typename View::Lane;
  SlotState& s = *slot.state;
  const int64_t stride = slot.arrays.stride;
  const int32_t length = s.length;
  const int32_t live = s.live;
  for (int r = 0; r < live; ++r) {
    const Lane* from = slot.Ancestry(r);
    for (int p = group.rank(); p < length; p += group.size()) ws.ancestry[r * stride + p] = from[p];
  }
  for (int r = group.rank(); r < live; r += group.size()) {
    ws.constraints[r] = slot.Constraints(r);
    ws.forbidden[r] = slot.Forbidden(r);
  }
  group.Sync();
  int32_t lane = 0;
  for (int32_t i = 0; i < count; ++i) {
    const Candidate& c = chosen[i];
    if (c.ends) continue;
    Lane* to = slot.Ancestry(lane);
    const Lane* from = ws.ancestry + c.parent * stride;
    for (int p = group.rank(); p < length; p += group.size()) to[p] = from[p];
    if (group.rank() == 0) {
      to[length] = static_cast<Lane>(c.parent);
      slot.arrays.tokens[slot.At(lane, length + 1)] = c.token;
      slot.arrays.token_log_probs[slot.At(lane, length + 1)] = c.log_prob;
      slot.LogProbOf(lane) = c.path;
      slot.RankOf(lane) = c.rank;
      if (s.rules.constraints.phrases > 0) {
        slot.Constraints(lane) = Advance(s.rules.constraints, ws.constraints[c.parent], c.token,
                                         slot.SourceOf(c.parent));
      }
      slot.Forbidden(lane) = NextForbiddenState(s.rules.forbidden, ws.forbidden[c.parent], c.token);
    }
    ++lane;
  }
  group.Sync();
  if (group.rank() == 0) {
    s.length = length + 1;
    s.live = lane;
  }
  group.Sync();
}

}  // namespace beam_step_internal

// Advances the slot by one position. `requests` and `summaries` have an entry for each live
// hypothesis, in the order of the lanes. Afterwards the status is kDone or kBadNumber, or it is
// still kRunning, `length` is one more and the new hypotheses are in lanes 0..live-1. REQUIRES:
// status is kRunning.
template <class ThreadGroup, class View>
DRAGOMAN_HD void BeamStep(const ThreadGroup& group, const View& slot, const LogitRequest* requests,
                          const LogitSummary* summaries,
                          BasicBeamStepWorkspace<typename View::Lane>& ws) {
  using namespace beam_step_internal;  // NOLINT(google-build-using-namespace)
  SlotState& s = *slot.state;
  const SearchOptions& o = s.options;
  bool nan = false;
  // No `||`: otherwise each load would wait for the one before.
  for (int r = 0; r < s.live; ++r) nan |= summaries[r].nan;
  group.Sync();
  if (nan) {
    if (group.rank() == 0) s.status = SlotStatus::kBadNumber;
    group.Sync();
    return;
  }
  Offers offers = ws.offers;
  offers.summaries = summaries;
  OpenOffers(group, slot, requests, offers);
  if (group.rank() == 0) {
    s.expansions += s.live + s.waiting;
    s.noop_expansions += s.waiting;
  }

  // The next beam: chosen[0 .. count), best first.
  const bool constrained = s.rules.constraints.phrases > 0;
  int32_t count = 0;
  int32_t candidates = 0;  // number of entries of ws.pool, in a constrained search
  bool over = false;
  if (o.sampling.enabled) {
    count = beam_step_internal::SelectDrawn(group, slot, offers, ws.chosen);
  } else if (constrained) {
    candidates = CollectConstrained(group, slot, offers, ws.pool, ws.shared);
    count = SelectConstrained(group, slot, ws.pool, candidates, ws.banks, ws.chosen);
    over = o.stop_rule == StopRule::kFirstK && s.waiting > 0;
  } else if (o.finalisation == Finalisation::kImmediate) {
    count = beam_step_internal::SelectImmediate(group, slot, offers, ws.chosen);
    over = count > 0 && beam_step_internal::ImmediateIsOver(slot, s.length + 1, ws.chosen[0].score);
    count = beam_step_internal::Prune(s, ws.chosen, count);
    group.Sync();
    for (int32_t i = group.rank(); i < count; i += group.size()) ws.chosen[i].rank = i;
  } else {
    count = beam_step_internal::SelectWithEnded(group, slot, offers, ws.chosen, ws.shared);
    over = o.finalisation == Finalisation::kOnBeam && s.finished == o.beam;
  }
  group.Sync();

  bool live = false;
  for (int32_t i = 0; i < count; ++i) live = live || !ws.chosen[i].ends;
  group.Sync();
  if (over || !live) {
    if (group.rank() == 0) {
      if (constrained && s.waiting == 0) SetAside(slot, ws.pool, candidates);
      CloseEntries(slot, constrained || o.finalisation == Finalisation::kKeep);
      s.status = SlotStatus::kDone;
      s.live = 0;
    }
    group.Sync();
    return;
  }
  beam_step_internal::Reorder(group, slot, ws.chosen, count, ws);
}

// Advances the slot by all positions that it had rows for, or up to the position that ends the
// search. `requests` and `summaries` have an entry for each row of the slot in this step, in the
// order of the rows (plan.h). REQUIRES: as BeamStep.
template <class ThreadGroup, class View>
DRAGOMAN_HD void BeamSteps(const ThreadGroup& group, const View& slot, const LogitRequest* requests,
                           const LogitSummary* summaries,
                           BasicBeamStepWorkspace<typename View::Lane>& ws) {
  for (int32_t left = NextPositions(*slot.state); left > 0; --left) {
    BeamStep(group, slot, requests++, summaries++, ws);
    if (slot.state->status != SlotStatus::kRunning) return;
  }
}

}  // namespace dragoman::kernels
