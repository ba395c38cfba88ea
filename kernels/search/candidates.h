// The candidates of a slot: the one-token extensions of all hypotheses of a beam, best first
// (SEARCH.md a.1, steps 1 and 2). Ties: higher score, then lower parent rank, then lower token.
//
// Each row (a live hypothesis) offers two lists, both best first: its best tokens, and its extras.
// Extras are the wanted ids of its request (LogitRequest::wanted): EOS and tokens that make
// progress in a required phrase. A hypothesis that has ended and waits on the beam offers itself.
// Merging all of these gives the candidates in order. No list is longer than the number of
// candidates that can be selected from it.
//
// Runs on a ThreadGroup; memory is the caller's.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/row.h"
#include "kernels/search/slot.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {

// A token that the row's request asked for in addition to the best ones (LogitRequest::wanted), and
// whose logit is above -inf. `key` orders it among the row's logits.
struct Extra {
  float key;
  float log_prob;
  int32_t token;
};

// A candidate for the next beam. `parent` is the lane of a live hypothesis. For a hypothesis that
// waits it is -1 - e, where e is the number of its entry.
struct Candidate {
  // Candidates are ordered by this: `path` or, in a constrained search, the normalised score of a
  // hypothesis that has ended.
  float score = -INFINITY;
  float path = -INFINITY;      // log-prob of the path
  float log_prob = -INFINITY;  // log-prob of the token
  int32_t rank = -1;           // rank of its parent; -1: this is no candidate
  int32_t parent = 0;
  int32_t token = 0;
  int32_t bank = 0;  // number of constraint tokens that it has met (constrained.h)
  bool ends = false;

  DRAGOMAN_HD bool is_waiting() const { return parent < 0; }
  DRAGOMAN_HD int entry() const { return -1 - parent; }
};

struct BetterCandidate {
  DRAGOMAN_HD bool operator()(const Candidate& a, const Candidate& b) const {
    if (a.rank < 0 || b.rank < 0) return a.rank >= 0 && b.rank < 0;
    if (a.score != b.score) return a.score > b.score;
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.token < b.token;
  }
};

// `top` is the number of tokens already taken from the row's best tokens (LogitSummary::top),
// `extra` the number taken from its extras.
struct RowCursor {
  int32_t top = 0;
  int32_t extra = 0;
};

struct Offers {
  const LogitSummary* summaries = nullptr;  // [live]
  Extra* extras = nullptr;                  // [live, kMaxWantedIds], best first
  int32_t* extra_count = nullptr;           // [live]
  RowCursor* cursor = nullptr;              // [live]
  bool* entry_open = nullptr;               // [beam] whether the entry waits and is not taken yet
};

// Sorts those wanted ids of each row whose logits are above -inf into `extras`, and marks
// everything as not taken. `requests` has an entry for each live hypothesis, in the order of the
// summaries.
template <class ThreadGroup, class View>
DRAGOMAN_HD void OpenOffers(const ThreadGroup& group, const View& slot,
                            const LogitRequest* requests, Offers& offers) {
  const SlotState& s = *slot.state;
  const SearchOptions& o = s.options;
  // Whether the next token is forced at log-prob 0. If it is, it is the only wanted id of its row.
  const bool is_free = s.length < s.rules.prefix_length
                           ? s.length < o.free_prefix
                           : IsEosOnly(s) && o.forced_eos == ForcedEos::kZero;
  for (int r = group.rank(); r < s.live; r += group.size()) {
    const LogitSummary& summary = offers.summaries[r];
    const IdList& wanted = requests[r].wanted;
    Extra* extras = offers.extras + int64_t{r} * kMaxWantedIds;
    int32_t count = 0;
    for (int32_t i = 0; i < wanted.count; ++i) {
      Extra x{summary.wanted[i], 0.0F, wanted.ids[i]};
      if (is_free) {
        x.key = 0.0F;
      } else {
        if (!(x.key > -INFINITY)) continue;
        if (o.need_log_probs) {
          x.log_prob = LogProb(x.key, summary.normaliser);
          if (o.eos_penalty != 1.0F && o.Ends(x.token) && !o.materialized_logits()) {
            x.log_prob *= o.eos_penalty;
            x.key = LogSumValue(summary.normaliser) + x.log_prob;
          }
        }
      }
      int32_t at = count++;
      for (; at > 0 && Better({x.key, x.token}, {extras[at - 1].key, extras[at - 1].token}); --at) {
        extras[at] = extras[at - 1];
      }
      extras[at] = x;
    }
    offers.extra_count[r] = count;
    offers.cursor[r] = RowCursor{};
  }
  for (int e = group.rank(); e < o.beam; e += group.size()) {
    offers.entry_open[e] = slot.Finished(e).status == EntryStatus::kWaiting;
  }
  group.Sync();
}

// Returns the candidate for a token of row `r`. If no log-probs are needed (greedy search without
// scores), the score is the logit, not a sum over the path.
template <class View>
DRAGOMAN_HD Candidate MakeCandidate(const View& slot, int r, float key, float log_prob,
                                    int32_t token) {
  const SlotState& s = *slot.state;
  Candidate c;
  c.path = s.options.need_log_probs ? slot.LogProbOf(r) + log_prob : key;
  c.score = c.path;
  c.log_prob = log_prob;
  c.rank = slot.RankOf(r);
  c.parent = r;
  c.token = token;
  // Within a forced prefix, an id such as EOS does not end the hypothesis.
  c.ends = (s.options.Ends(token) && s.length >= s.rules.prefix_length) || IsLastToken(s);
  return c;
}

// Row `r` has two lists of tokens, and `at` says how many tokens of each were taken before. Returns
// the better of the two next tokens. Compares logits, not rounded path scores, so greedy search
// chooses the same token with and without a normaliser.
template <class View>
DRAGOMAN_HD Candidate RowOffer(const View& slot, const Offers& offers, int r, RowCursor at) {
  const LogitSummary& summary = offers.summaries[r];
  const int32_t limit = slot.state->options.max_candidates;
  if (limit > 0 && at.top + at.extra >= limit &&
      slot.state->length >= slot.state->rules.prefix_length) {
    return {};
  }
  const bool has_top = at.top < summary.count;
  const Extra* extra = at.extra < offers.extra_count[r]
                           ? offers.extras + int64_t{r} * kMaxWantedIds + at.extra
                           : nullptr;
  if (extra != nullptr && (!has_top || Better({extra->key, extra->token}, summary.top[at.top]))) {
    return MakeCandidate(slot, r, extra->key, extra->log_prob, extra->token);
  }
  if (!has_top) return {};
  const TokenScore t = summary.top[at.top];
  const float log_prob =
      slot.state->options.need_log_probs ? LogProb(t.score, summary.normaliser) : 0.0F;
  return MakeCandidate(slot, r, t.score, log_prob, t.token);
}

template <class View>
DRAGOMAN_HD Candidate RowOffer(const View& slot, const Offers& offers, int r) {
  return RowOffer(slot, offers, r, offers.cursor[r]);
}

// Reports whether candidate `c`, which RowOffer returned for `at`, is from the list of best tokens.
DRAGOMAN_HD inline bool IsOfTop(const Offers& offers, const Candidate& c, RowCursor at) {
  const LogitSummary& summary = offers.summaries[c.parent];
  return at.top < summary.count && summary.top[at.top].token == c.token;
}

// Returns the candidate for a hypothesis that waits on the beam: it is its own and only child. It
// competes with its raw log-prob; in a constrained search with its normalised score (SEARCH.md
// d.3).
template <class View>
DRAGOMAN_HD Candidate WaitingOffer(const View& slot, int entry) {
  const FinishedHypothesis& h = slot.Finished(entry);
  Candidate c;
  c.path = h.log_prob;
  c.score = slot.state->rules.constraints.phrases > 0 ? h.score : h.log_prob;
  c.rank = h.rank;
  c.parent = -1 - entry;
  c.token = h.last_token;
  c.bank = slot.state->rules.constraints.total();
  c.ends = true;
  return c;
}

// Marks a candidate of RowOffer or WaitingOffer as taken. Called by one member.
inline DRAGOMAN_HD void Take(const Candidate& c, Offers& offers) {
  if (c.is_waiting()) {
    offers.entry_open[c.entry()] = false;
    return;
  }
  RowCursor& at = offers.cursor[c.parent];
  if (IsOfTop(offers, c, at)) {
    ++at.top;
  } else {
    ++at.extra;
  }
}

// Takes the best candidate that is left and returns it to every member; rank -1: there is none.
template <class ThreadGroup, class View>
DRAGOMAN_HD Candidate NextCandidate(const ThreadGroup& group, const View& slot, Offers& offers) {
  const SlotState& s = *slot.state;
  Candidate best;
  for (int r = group.rank(); r < s.live; r += group.size()) {
    const Candidate c = RowOffer(slot, offers, r);
    if (c.rank >= 0 && c.score > -INFINITY && BetterCandidate()(c, best)) best = c;
  }
  if (s.waiting > 0) {
    for (int e = group.rank(); e < s.options.beam; e += group.size()) {
      if (!offers.entry_open[e]) continue;
      const Candidate c = WaitingOffer(slot, e);
      if (BetterCandidate()(c, best)) best = c;
    }
  }
  best = group.Reduce(best, BetterCandidate());
  if (best.rank >= 0 && group.rank() == 0) Take(best, offers);
  group.Sync();
  return best;
}

}  // namespace dragoman::kernels
