// The beam step: one step of one slot. The only place that decides which hypotheses go on, which
// have finished and when a search is over (decoding.md, a).
//
// Immediate finalisation (a.7): of the best 2 * beam candidates of the segment, an EOS ranked
// within the first `beam` is final at once, and the first `beam` others go on. Each live hypothesis
// offers its K = beam best tokens other than EOS, and EOS: no other candidate can be selected.
// Ties: higher score, then lower parent rank, then lower token.
//
// Runs on a Team (team.h); every member passes the same arguments and gets the same answer. No
// heap, no recursion. Path scores are f32 sums. Compiled without contraction, so that host and
// device agree on every addition.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/decide/fold.h"
#include "kernels/decide/host_device.h"
#include "kernels/decide/slot.h"
#include "kernels/decide/team.h"

namespace dragoman {

// What one live hypothesis offers, from the fold of its row. Masks are applied: `top` holds neither
// EOS nor banned tokens.
struct RowCandidates {
  const TokenScore* top = nullptr;  // logits, best first
  int32_t count = 0;
  float eos_logit = -INFINITY;
  LogSum normaliser;  // unused unless the segment needs log-probs
  bool nan = false;
};

// Memory of one call, owned by the caller, shared by the team.
struct BeamStepWorkspace {
  struct Choice {
    float score;  // path
    float log_prob;
    int32_t parent;
    int32_t token;
  };
  Choice next[kMaxBeam];
  int32_t head[kMaxBeam];       // next entry of each row's list
  bool eos_open[kMaxBeam];      // a row's EOS is still to be offered
  uint8_t* ancestry = nullptr;  // [beam, stride]
};

namespace beam_step_internal {

// The best candidate a team member sees; row -1: none.
struct Offer {
  float score = -INFINITY;
  float log_prob = -INFINITY;
  int32_t row = -1;
  int32_t token = 0;
};

struct BetterOffer {
  DRAGOMAN_HD bool operator()(const Offer& a, const Offer& b) const {
    if (a.row < 0 || b.row < 0) return a.row >= 0 && b.row < 0;
    if (a.score != b.score) return a.score > b.score;
    if (a.row != b.row) return a.row < b.row;
    return a.token < b.token;
  }
};

// What live hypothesis `r` offers next: the better of its list's head and EOS. Within a row the
// order is that of the logits, which rounding of the path score cannot blur; so a greedy search
// chooses the same with and without a normaliser. Without one (beam 1, no score wanted) the logit
// is the score and no path is summed.
DRAGOMAN_HD inline Offer OfferOf(const SearchOptions& options, const RowCandidates& row, int r,
                                 float path, int32_t head, bool eos_open, bool eos_is_free) {
  const bool has_head = head < row.count;
  if (!has_head && !eos_open) return {};
  const bool eos = eos_open && (!has_head || Better({row.eos_logit, options.eos}, row.top[head]));
  const TokenScore t = eos ? TokenScore{row.eos_logit, options.eos} : row.top[head];
  if (!options.need_log_probs) return {t.score, 0.0F, r, t.token};
  const float log_prob = eos_is_free ? 0.0F : LogProb(t.score, row.normaliser);
  return {path + log_prob, log_prob, r, t.token};
}

// Keeps the best `beam` finished hypotheses: a further one replaces the worst if it is better.
// `length` counts the positions of `lane`'s lineage that belong to it. Called by one member.
DRAGOMAN_HD inline void Finish(const SlotView& slot, int lane, int32_t length, int32_t last_token,
                               float last_log_prob, float log_prob) {
  SlotState& s = *slot.state;
  FinishedHypothesis h;
  h.log_prob = log_prob;
  h.length = length;
  h.last_token = last_token;
  h.last_log_prob = last_log_prob;
  h.score = log_prob / slot.divisor[length + 1];
  ++s.finished_total;
  int at = s.finished;
  if (at < s.options.beam) {
    ++s.finished;
  } else {
    at = 0;
    for (int i = 1; i < s.finished; ++i) {
      if (!(slot.Finished(i).score > slot.Finished(at).score)) at = i;
    }
    if (!(h.score > slot.Finished(at).score)) return;
  }
  slot.Finished(at) = h;
  uint8_t* lineage = slot.FinishedAncestry(at);
  for (int p = 0; p <= length; ++p) lineage[p] = static_cast<uint8_t>(slot.Writer(lane, p));
}

DRAGOMAN_HD inline float WorstKept(const SlotView& slot) {
  float worst = INFINITY;
  for (int i = 0; i < slot.state->finished; ++i) {
    const float score = slot.Finished(i).score;
    if (score < worst) worst = score;
  }
  return worst;
}

// Whether the search is over, once `length` real tokens are behind every live hypothesis, the best
// of which has `best_live` as its path score.
DRAGOMAN_HD inline bool Over(const SlotView& slot, int32_t length, float best_live) {
  const SlotState& s = *slot.state;
  const SearchOptions& o = s.options;
  if (o.beam == 1) return s.finished > 0;  // greedy search ends at its first EOS (a.7)
  if (o.stop_rule == StopRule::kFirstK) {
    const float wanted = std::floor(static_cast<float>(o.beam) * o.patience + 0.5F);
    return static_cast<float>(s.finished_total) >= (wanted < 1.0F ? 1.0F : wanted);
  }
  if (s.finished < o.beam) return false;
  int32_t reach = length;
  if (o.stop_rule == StopRule::kNever && o.length_penalty > 0.0F) {
    reach = o.forced_eos == ForcedEos::kNone ? o.max_tokens : o.max_tokens + 1;
  }
  return WorstKept(slot) >= best_live / slot.divisor[reach];
}

}  // namespace beam_step_internal

// Advances the slot by one position. rows [state->live]: what the live hypotheses offer, by lane.
// Afterwards status is kRunning with `length` one more and the new hypotheses in lanes 0..live-1,
// or kDone / kBadNumber. REQUIRES: status is kRunning; rows[i].count >= min(beam, allowed tokens).
template <class Team>
DRAGOMAN_HD void BeamStep(const Team& team, const SlotView& slot, const RowCandidates* rows,
                          BeamStepWorkspace& ws) {
  using namespace beam_step_internal;  // NOLINT(google-build-using-namespace)
  SlotState& s = *slot.state;
  const SearchOptions o = s.options;
  const int32_t length = s.length;
  const int32_t live = s.live;
  // The position after the last real token, where EOS alone is possible.
  const bool eos_only = o.forced_eos != ForcedEos::kNone && length == o.max_tokens;
  const bool eos_is_free = eos_only && o.forced_eos == ForcedEos::kZero;
  // The last real token of a search whose hypotheses are final as they are.
  const bool last_token = o.forced_eos == ForcedEos::kNone && length + 1 == o.max_tokens;

  bool nan = false;
  for (int r = 0; r < live; ++r) nan = nan || rows[r].nan;
  team.Sync();
  if (nan) {
    if (team.rank() == 0) s.status = SlotStatus::kBadNumber;
    team.Sync();
    return;
  }

  for (int r = team.rank(); r < live; r += team.size()) {
    ws.head[r] = eos_only ? rows[r].count : 0;
    ws.eos_open[r] = eos_only || length >= o.min_tokens;
  }
  team.Sync();

  int32_t next = 0;
  for (int i = 0; i < 2 * o.beam && next < o.beam; ++i) {
    Offer best;
    for (int r = team.rank(); r < live; r += team.size()) {
      const float path = slot.arrays.log_prob[slot.lanes[r]];
      const Offer offer = OfferOf(o, rows[r], r, path, ws.head[r], ws.eos_open[r], eos_is_free);
      if (offer.score > -INFINITY && BetterOffer()(offer, best)) best = offer;
    }
    best = team.Reduce(best, BetterOffer());
    if (best.row < 0) break;
    const bool is_eos = best.token == o.eos;
    const bool ends = is_eos || last_token;
    if (team.rank() == 0) {
      if (is_eos) {
        ws.eos_open[best.row] = false;
      } else {
        ++ws.head[best.row];
      }
      if (!ends) {
        ws.next[next] = {best.score, best.log_prob, best.row, best.token};
      } else if (i < o.beam) {
        Finish(slot, best.row, length, best.token, best.log_prob, best.score);
      }
    }
    if (!ends) ++next;
    team.Sync();
  }

  const bool over = next == 0 || Over(slot, length + 1, ws.next[0].score);
  team.Sync();
  if (over) {
    if (team.rank() == 0) {
      s.status = SlotStatus::kDone;
      s.live = 0;
    }
    team.Sync();
    return;
  }

  // Reorder: tokens and K/V stay where they are, lineages follow their new hypotheses.
  const int64_t stride = slot.arrays.stride;
  for (int r = 0; r < live; ++r) {
    const uint8_t* from = slot.Ancestry(r);
    for (int p = team.rank(); p < length; p += team.size()) ws.ancestry[r * stride + p] = from[p];
  }
  team.Sync();
  for (int c = 0; c < next; ++c) {
    const BeamStepWorkspace::Choice& choice = ws.next[c];
    uint8_t* to = slot.Ancestry(c);
    if (choice.parent != c) {
      const uint8_t* from = ws.ancestry + choice.parent * stride;
      for (int p = team.rank(); p < length; p += team.size()) to[p] = from[p];
    }
    if (team.rank() == 0) {
      to[length] = static_cast<uint8_t>(choice.parent);
      slot.arrays.tokens[slot.At(c, length + 1)] = choice.token;
      slot.arrays.token_log_probs[slot.At(c, length + 1)] = choice.log_prob;
      slot.arrays.log_prob[slot.lanes[c]] = choice.score;
    }
  }
  if (team.rank() == 0) {
    s.length = length + 1;
    s.live = next;
  }
  team.Sync();
}

}  // namespace dragoman
