// Prepares what a live hypothesis asks of the output layer (LogitRequest in row.h): the number of
// best tokens, the wanted and the masked ids (SEARCH.md a.8, changes 5 to 8). One thread does this
// for each row.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/constraints.h"
#include "kernels/search/forbidden.h"
#include "kernels/search/row.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels {

// No-repeat n-grams (SEARCH.md e; FastSeq). Calls `ban(token)`, possibly more than once for a
// token, for every token that followed an earlier occurrence of the last n - 1 tokens. `at(i)` is
// token i of `length` tokens. n <= 0 bans nothing. n == 1 bans every token used so far.
template <class At, class Ban>
DRAGOMAN_HD void ForRepeatedNgrams(int32_t n, int32_t length, At at, Ban ban) {
  if (n <= 0 || length < n) return;
  const int32_t last = length - (n - 1);  // index at which the last n - 1 tokens begin
  for (int32_t i = 0; i < last; ++i) {
    bool same = true;
    for (int32_t j = 0; same && j < n - 1; ++j) same = at(i + j) == at(last + j);
    if (same) ban(at(i + n - 1));
  }
}

// Returns the largest number of ids that the mask of one row can have. Sources of these ids are
// repeated n-grams, forbidden phrases, SearchOptions::not_first and the ids that end a hypothesis.
DRAGOMAN_HD inline int64_t MaxRowMasks(int64_t max_tokens, int64_t forbidden_nodes) {
  return max_tokens + forbidden_nodes + kMaxNotFirst + 1 + kMaxMoreEos;
}

// Inserts `id` into the list, which stays ascending and without repeats.
DRAGOMAN_HD inline void InsertId(int32_t* ids, int32_t& count, int32_t id) {
  const int32_t at = FirstAtLeast({ids, count}, id);
  if (at < count && ids[at] == id) return;
  for (int32_t i = count++; i > at; --i) ids[i] = ids[i - 1];
  ids[at] = id;
}

// Merges a run of `length` ascending ids into the list. `at(i)` is id number i of the run, or -1
// for none. The time is linear in both lengths. That matters because a state of the automaton may
// forbid thousands of tokens.
template <class At>
DRAGOMAN_HD void MergeRun(int32_t* ids, int32_t& count, int32_t length, At at) {
  int32_t added = 0;
  int32_t read = 0;
  for (int32_t i = 0; i < length; ++i) {
    const int32_t id = at(i);
    if (id < 0) continue;
    while (read < count && ids[read] < id) ++read;
    if (read == count || ids[read] != id) ++added;
  }
  // Merges from the back to the front, because the free entries are at the back.
  read = count;
  count += added;
  int32_t write = count;
  for (int32_t i = length; write > read && i-- > 0;) {
    const int32_t id = at(i);
    if (id < 0) continue;
    while (read > 0 && ids[read - 1] > id) ids[--write] = ids[--read];
    if (read == 0 || ids[read - 1] != id) ids[--write] = id;
  }
}

// Prepares the row at `position` of the hypothesis in `lane`: sets all of `request` except
// `logits`. Writes the row's lists of ids to `wanted` and `masked`, which have room for
// kMaxWantedIds and MaxRowMasks ids. REQUIRES: the slot is running and has a row at `position` in
// its next step (NextPositions).
template <class View>
DRAGOMAN_HD void PrepareRow(const View& slot, int lane, int32_t position, int32_t* wanted,
                            int32_t* masked, LogitRequest& request) {
  const SlotState& s = *slot.state;
  const SearchOptions& o = s.options;
  const SegmentRules& rules = s.rules;
  float* const logits = request.logits;
  request = LogitRequest{};
  request.logits = logits;
  request.need_normaliser = o.need_log_probs;
  request.mask_first = o.renormalize && !o.materialized_logits();
  request.scale = o.sampling.enabled ? 1.0F : 1.0F / o.temperature;
  request.excluded = rules.excluded;
  request.masked[0] = rules.forbidden.always;

  // The row's alignment is not known yet, so its gates are not either. The row asks for the logits
  // of constraint tokens as if all gates were open.
  ConstraintSet constraints = rules.constraints;
  constraints.gates = nullptr;
  const bool constrained = constraints.phrases > 0;
  const auto may_end = [&](int32_t token) {
    return !constrained || rules.constraints.gated() ||
           Finished(constraints, Advance(constraints, slot.Constraints(lane), token));
  };
  if (IsEosOnly(s, position)) {
    wanted[0] = o.eos;
    // A forced EOS overrides the mask.
    if (Contains(request.masked[0], o.eos)) request.masked[0] = {};
    request.wanted = {wanted, may_end(o.eos) ? 1 : 0};
    return;
  }
  if (position < rules.prefix_length) {
    wanted[0] = rules.prefix[position];
    request.wanted = {wanted, 1};
    // A forced prefix overrides the mask.
    if (Contains(request.masked[0], wanted[0])) request.masked[0] = {};
    return;
  }

  request.k = o.candidates();
  int32_t wanted_count = 0;
  int32_t masked_count = 0;
  const ForbiddenAutomaton& forbidden = rules.forbidden;
  ForEdgeRuns(forbidden, slot.Forbidden(lane), [&](int32_t begin, int32_t end) {
    MergeRun(masked, masked_count, end - begin, [&](int32_t i) {
      return forbidden.edge_ends[begin + i] != 0 ? forbidden.edge_token[begin + i] : -1;
    });
  });
  const bool is_first = position == rules.prefix_length;
  for (int32_t i = 0; is_first && i < o.not_first_count; ++i) {
    InsertId(masked, masked_count, o.not_first[i]);
  }
  request.masked[1] = {masked, masked_count};
  const int32_t starts = o.counts_start ? 1 : 0;
  const auto for_repeated = [&](auto ban) {
    ForRepeatedNgrams(
        o.no_repeat_ngram, position + starts,
        [&](int32_t i) { return slot.Token(lane, i - starts); }, ban);
  };
  // Reports whether the ban of repeated n-grams bans `token`, an id that ends a hypothesis. That is
  // possible if the start token is such an id and counts as used (SEARCH.md e).
  const auto is_repeated = [&](int32_t token) {
    bool repeated = false;
    for_repeated([&](int32_t banned) { repeated = repeated || banned == token; });
    if (repeated && constrained) {
      ForProgressTokens(constraints, slot.Constraints(lane),
                        [&](int32_t progress) { repeated = repeated && progress != token; });
    }
    return repeated;
  };
  for (int32_t i = -1; i < o.more_eos_count; ++i) {
    const int32_t token = i < 0 ? o.eos : o.more_eos[i];
    if (position >= o.min_tokens && !IsMasked(request, token) && may_end(token) &&
        !(o.counts_start && is_repeated(token))) {
      InsertId(wanted, wanted_count, token);
    } else {
      InsertId(masked, masked_count, token);
      request.masked[1].count = masked_count;
    }
  }
  if (constrained) {
    ForProgressTokens(constraints, slot.Constraints(lane), [&](int32_t token) {
      if (!o.Ends(token) && !IsMasked(request, token)) InsertId(wanted, wanted_count, token);
    });
  }
  request.wanted = {wanted, wanted_count};
  // Tokens that make progress in a required phrase are exempt from the ban (SEARCH.md d.6).
  for_repeated([&](int32_t token) {
    if (!Contains(request.wanted, token)) InsertId(masked, masked_count, token);
  });
  request.masked[1].count = masked_count;
}

}  // namespace dragoman::kernels
