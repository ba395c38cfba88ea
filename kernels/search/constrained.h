// Dynamic beam allocation (SEARCH.md d.2; Post & Vilar 2018, Hu et al. 2019): which candidates make
// the next beam if phrases are required. A candidate's bank is the number of constraint tokens that
// it has met. The beam is divided over the banks, so that hypotheses which make progress survive
// next to likelier ones that do not.
//
// Runs on a ThreadGroup; memory is the caller's.
#pragma once

#include <cstdint>

#include "kernels/search/candidates.h"
#include "kernels/search/constraints.h"
#include "kernels/search/finished.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {

// Returns the largest number of candidates that CollectConstrained finds. It finds for each row the
// wanted ids, the best token, and the best token that does not continue a word. It also finds the
// best `beam` candidates of all rows, and the hypotheses that wait.
DRAGOMAN_HD inline int64_t MaxConstrainedCandidates(int64_t beam) {
  return beam * (kMaxWantedIds + 4);
}

// The number of integers that SelectConstrained needs as scratch memory: for each bank the number
// of its candidates, and the number of those that are taken.
inline constexpr int32_t kBanks = 2 * (kMaxConstraintTokens + 1);

// Orders candidates from the highest bank down, and the best first within a bank.
struct BetterInBank {
  DRAGOMAN_HD bool operator()(const Candidate& a, const Candidate& b) const {
    if (a.bank != b.bank) return a.bank > b.bank;
    return BetterCandidate()(a, b);
  }
};

// Allocation STRIPE: divides the k places of a beam over the banks 0 .. total. Bank b has
// available[b] candidates. Sets taken[b], the number of places that bank b gets. First the best
// candidate of each bank gets a place, from the highest bank down, then the second best of each
// bank, and so on.
DRAGOMAN_HD inline void AllocateStripes(int32_t k, int32_t total, const int32_t* available,
                                        int32_t* taken) {
  for (int32_t b = 0; b <= total; ++b) taken[b] = 0;
  bool more = true;
  for (int32_t round = 0; more && k > 0; ++round) {
    more = false;
    for (int32_t b = total; b >= 0 && k > 0; --b) {
      if (available[b] <= round) continue;
      ++taken[b];
      --k;
      more = true;
    }
  }
}

// Allocation BANKS: every bank gets an equal share of k, and the highest bank also gets the
// remainder. Places that a bank cannot use go to the next lower bank. Places that the lowest bank
// cannot use go to the highest. This ends when all places are used or all candidates are taken.
DRAGOMAN_HD inline void AllocateBanks(int32_t k, int32_t total, const int32_t* available,
                                      int32_t* taken) {
  int32_t candidates = 0;
  for (int32_t b = 0; b <= total; ++b) {
    taken[b] = k / (total + 1);
    candidates += available[b];
  }
  taken[total] += k - k / (total + 1) * (total + 1);
  int32_t surplus = 0;
  int32_t lost = k > candidates ? k - candidates : 0;  // places that no candidate can use
  for (int32_t b = total;; b = b == 0 ? total : b - 1) {
    taken[b] += surplus;
    surplus = taken[b] > available[b] ? taken[b] - available[b] : 0;
    taken[b] -= surplus;
    bool fits = surplus <= lost;
    for (int32_t i = 0; fits && i <= total; ++i) fits = taken[i] <= available[i];
    if (fits) return;
  }
}

// Returns the best token of row `r` that does not continue a word, among the row's best
// `candidates()` tokens (SEARCH.md d.2.2 iv). Returns a Candidate of rank -1 if there is no such
// token or if it is taken already.
template <class View>
DRAGOMAN_HD Candidate BestAfterWord(const View& slot, const Offers& offers, int r) {
  const WordEdges& edges = slot.state->rules.constraints.edges;
  const RowCursor taken = offers.cursor[r];
  RowCursor at;
  for (int32_t i = slot.state->options.candidates(); i > 0; --i) {
    const Candidate c = RowOffer(slot, offers, r, at);
    if (c.rank < 0) break;
    const bool of_top = IsOfTop(offers, c, at);
    if (!edges.Continues(c.token)) {
      const bool is_taken = of_top ? at.top < taken.top : at.extra < taken.extra;
      return is_taken ? Candidate{} : c;
    }
    ++(of_top ? at.top : at.extra);
  }
  return {};
}

// Reports whether the token of `c` ends the hypothesis, apart from the output limit.
DRAGOMAN_HD inline bool Ends(const SlotState& s, const Candidate& c) {
  return s.options.Ends(c.token) && s.length >= s.rules.prefix_length;
}

// Collects the candidates of a step into `pool`, each once (SEARCH.md d.2.2), and sets their banks.
// A bank of -1 marks a candidate that gets no place. Returns their number. `shared` points to one integer in memory that all members see.
template <class ThreadGroup, class View>
DRAGOMAN_HD int32_t CollectConstrained(const ThreadGroup& group, const View& slot, Offers& offers,
                                       Candidate* pool, int32_t* shared) {
  const SlotState& s = *slot.state;
  const ConstraintSet& set = s.rules.constraints;
  int32_t n = 0;
  for (; n < s.options.beam; ++n) {
    const Candidate c = NextCandidate(group, slot, offers);
    if (c.rank < 0) break;
    if (group.rank() == 0) pool[n] = c;
  }
  if (group.rank() == 0) {
    for (int r = 0; r < s.live; ++r) {
      const RowCursor taken = offers.cursor[r];
      int32_t best_token = -1;
      int32_t after_token = -1;
      if (taken.top == 0 && taken.extra == 0) {
        const Candidate best = RowOffer(slot, offers, r);
        if (best.rank >= 0) {
          best_token = best.token;
          pool[n++] = best;
        }
      }
      if (EndsInWord(set, slot.Constraints(r))) {
        const Candidate after = BestAfterWord(slot, offers, r);
        if (after.rank >= 0 && after.token != best_token) {
          after_token = after.token;
          pool[n++] = after;
        }
      }
      for (int32_t i = taken.extra; i < offers.extra_count[r]; ++i) {
        const Extra& x = offers.extras[int64_t{r} * kMaxWantedIds + i];
        if (x.token == best_token || x.token == after_token) continue;
        // A row asks for EOS whenever EOS is allowed, even if it makes no progress. EOS makes
        // progress only as the last token of a phrase. With gates a row also asks for the first
        // tokens of phrases whose gates are closed.
        if ((s.options.Ends(x.token) || set.gated()) &&
            !MakesProgress(set, slot.Constraints(r), slot.SourceOf(r), x.token)) {
          continue;
        }
        pool[n++] = MakeCandidate(slot, r, x.key, x.log_prob, x.token);
      }
    }
    for (int e = 0; e < s.options.beam; ++e) {
      if (offers.entry_open[e]) pool[n++] = WaitingOffer(slot, e);
    }
    *shared = n;
  }
  group.Sync();
  n = *shared;
  for (int32_t i = group.rank(); i < n; i += group.size()) {
    if (pool[i].is_waiting()) continue;
    const int32_t parent = pool[i].parent;
    const ConstraintState next =
        Advance(set, slot.Constraints(parent), pool[i].token, slot.SourceOf(parent));
    pool[i].bank = Bank(next);
    // At max_tokens, if no EOS is forced, hypotheses end without EOS. Only those that have met all
    // required phrases become results.
    if (!s.options.Ends(pool[i].token) && IsLastToken(s)) pool[i].ends = Finished(set, next);
    // With gates EOS is always possible (SEARCH.md d.7). What lacks phrases then is dropped. If it
    // is the best of its row, the row is marked.
    if (set.gated() && Ends(s, pool[i]) && !Finished(set, next)) {
      pool[i].bank = -1;
      if (RowOffer(slot, offers, parent, RowCursor{}).token == pool[i].token) {
        offers.cursor[parent].top = -1;
      }
    }
  }
  group.Sync();
  if (!set.gated()) return n;
  for (int32_t i = group.rank(); i < n; i += group.size()) {
    if (pool[i].is_waiting() || Ends(s, pool[i])) continue;
    const int32_t parent = pool[i].parent;
    if (offers.cursor[parent].top < 0 &&
        !MakesProgress(set, slot.Constraints(parent), slot.SourceOf(parent), pool[i].token)) {
      pool[i].bank = -1;
    }
  }
  group.Sync();
  return n;
}

// Writes the next beam to `chosen`, best first, and those of its hypotheses that have ended to the
// slot's entries. Returns the size of the beam. A hypothesis that has ended competes with its
// normalised score. If one has ended, candidates whose scores are more than `constraint_prune`
// below the best of the ended ones are dropped (SEARCH.md d.3). Sorts the n candidates in `pool` by
// BetterInBank. `banks` is scratch memory for kBanks integers.
template <class ThreadGroup, class View>
DRAGOMAN_HD int32_t SelectConstrained(const ThreadGroup& group, const View& slot, Candidate* pool,
                                      int32_t n, int32_t* banks, Candidate* chosen) {
  const SlotState& s = *slot.state;
  const int32_t total = s.rules.constraints.total();
  int32_t* const available = banks;
  int32_t* const taken = banks + kMaxConstraintTokens + 1;
  group.Sort(pool, n, BetterInBank());
  int32_t count = 0;
  if (group.rank() == 0) {
    for (int32_t b = 0; b <= total; ++b) available[b] = 0;
    for (int32_t i = 0; i < n && pool[i].bank >= 0; ++i) ++available[pool[i].bank];
    if (s.options.constraint_allocation == Allocation::kBanks) {
      AllocateBanks(s.options.beam, total, available, taken);
    } else {
      AllocateStripes(s.options.beam, total, available, taken);
    }
    float best_ended = -INFINITY;
    int32_t begin = 0;
    for (int32_t b = total; b >= 0; --b) {
      for (int32_t i = begin; i < begin + taken[b]; ++i) {
        Candidate c = pool[i];
        // If this is the last token and no EOS is forced, a candidate with unmet phrases cannot go
        // on.
        if (IsLastToken(s) && !c.ends) continue;
        if (c.ends && !c.is_waiting()) c.score = EndScore(s, c);
        if (c.ends && c.score > best_ended) best_ended = c.score;
        chosen[count++] = c;
      }
      begin += available[b];
    }
    HeapSort(chosen, count, BetterCandidate());
    while (count > 0 && chosen[count - 1].score < best_ended - s.options.constraint_prune) --count;
    for (int32_t i = 0; i < count; ++i) chosen[i].rank = i;
    SettleEntries(slot, chosen, count, 0);
    taken[0] = count;
  }
  group.Sync();
  count = taken[0];
  return count;
}

// Ends a search in which no hypothesis has met all required phrases: makes the best hypothesis of
// the highest bank the result, marked as unmet. `pool` holds the n candidates of the last step,
// sorted by BetterInBank.
template <class View>
DRAGOMAN_HD void SetAside(const View& slot, const Candidate* pool, int32_t n) {
  SlotState& s = *slot.state;
  if (IsLastToken(s) && n > 0 && pool[0].bank >= 0) {
    WriteEntry(slot, 0, pool[0], EntryStatus::kDone);
    slot.Finished(0).unmet = true;
    CountDone(slot, pool[0].path);
    return;
  }
  if (s.length == 0 || s.live == 0) return;
  int best = 0;
  for (int r = 1; r < s.live; ++r) {
    const int32_t a = Bank(slot.Constraints(r));
    const int32_t b = Bank(slot.Constraints(best));
    if (a > b || (a == b && slot.LogProbOf(r) > slot.LogProbOf(best))) best = r;
  }
  WriteUnmetEntry(slot, 0, best);
  CountDone(slot, slot.LogProbOf(best));
}

}  // namespace dragoman::kernels
