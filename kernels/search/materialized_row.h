// Computes the summary of a row again from its materialized logits (all logits of the row, in
// memory). It applies the changes of scores in the order of SEARCH.md a.8. Three options need this:
// repetition penalties, an eos_penalty with renormalisation, and sampling, where the summary is the
// one token that was drawn.
//
// This takes a few sweeps over the vocabulary, which a host's compiler can vectorize. Runs on a
// ThreadGroup. Sums are computed for each block of ids in kParts parts, and all parts are added in
// a fixed order. So a sum does not depend on the size of the group. No heap.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/atomic.h"
#include "kernels/search/draw.h"
#include "kernels/search/exp.h"
#include "kernels/search/row.h"
#include "kernels/search/slot.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {

// Memory of one call of FoldMaterializedRow. The caller owns it. All members of the group use it.
struct MaterializedRowWorkspace {
  static constexpr int32_t kBlock = 256;

  DRAGOMAN_HD static constexpr int64_t Blocks(int64_t vocabulary) {
    return (vocabulary + kBlock - 1) / kBlock;
  }

  float* scores = nullptr;      // [vocabulary]
  float* block_best = nullptr;  // [Blocks] the best score of each block
  float* block_sums = nullptr;  // [Blocks] the sum of exp of each block
  DrawWorkspace draw;
};

namespace materialized_row_internal {

struct Greater {
  template <class T>
  DRAGOMAN_HD bool operator()(T a, T b) const {
    return a > b;
  }
};

// Loops over a row process this many tokens at a time. Each of them has its own accumulator.
constexpr int32_t kParts = 16;

DRAGOMAN_HD inline float MaxOf(const float* x, int32_t begin, int32_t end) {
  float part[kParts];
  for (float& best : part) best = -INFINITY;
  int32_t i = begin;
  for (; i + kParts <= end; i += kParts) {
    for (int32_t j = 0; j < kParts; ++j) part[j] = x[i + j] > part[j] ? x[i + j] : part[j];
  }
  for (; i < end; ++i) part[0] = x[i] > part[0] ? x[i] : part[0];
  float best = part[0];
  for (const float other : part) best = other > best ? other : best;
  return best;
}

// Writes the largest x of each block to `best` and returns the largest x of all blocks.
template <class ThreadGroup>
DRAGOMAN_HD float BlockMaxima(const ThreadGroup& group, const float* x, int32_t vocabulary,
                              float* best) {
  const auto blocks = static_cast<int32_t>(MaterializedRowWorkspace::Blocks(vocabulary));
  float all = -INFINITY;
  for (int32_t b = group.rank(); b < blocks; b += group.size()) {
    const int32_t begin = b * MaterializedRowWorkspace::kBlock;
    const int32_t end = begin + MaterializedRowWorkspace::kBlock;
    best[b] = MaxOf(x, begin, end < vocabulary ? end : vocabulary);
    if (best[b] > all) all = best[b];
  }
  return group.Reduce(all, Greater());
}

// Returns the sum of exp((x - max) * scale).
template <class ThreadGroup>
DRAGOMAN_HD float ExpSum(const ThreadGroup& group, const float* x, int32_t vocabulary, float max,
                         float scale, MaterializedRowWorkspace& ws) {
  const auto blocks = static_cast<int32_t>(MaterializedRowWorkspace::Blocks(vocabulary));
  for (int32_t b = group.rank(); b < blocks; b += group.size()) {
    const int32_t begin = b * MaterializedRowWorkspace::kBlock;
    const int32_t whole = begin + MaterializedRowWorkspace::kBlock;
    const int32_t end = whole < vocabulary ? whole : vocabulary;
    float part[kParts];
    for (float& sum : part) sum = 0.0F;
    int32_t i = begin;
    for (; i + kParts <= end; i += kParts) {
      for (int32_t j = 0; j < kParts; ++j) part[j] += ExpNonPositive((x[i + j] - max) * scale);
    }
    // The loop has only constant indices, so that the parts stay in registers.
    for (int32_t j = 0; j < kParts; ++j) {
      if (i + j < end) part[j] += ExpNonPositive((x[i + j] - max) * scale);
    }
    for (int32_t j = 0; j < 8; ++j) part[j] += part[j + 8];
    for (int32_t j = 0; j < 4; ++j) part[j] += part[j + 4];
    ws.block_sums[b] = (part[0] + part[2]) + (part[1] + part[3]);
  }
  group.Sync();
  float sum = 0;
  for (int32_t b = 0; b < blocks; ++b) sum += ws.block_sums[b];
  group.Sync();
  return sum;
}

// Returns the normaliser of the logits x * scale.
template <class ThreadGroup>
DRAGOMAN_HD LogSum Normaliser(const ThreadGroup& group, const float* x, int32_t vocabulary,
                              float scale, MaterializedRowWorkspace& ws) {
  const float max = BlockMaxima(group, x, vocabulary, ws.block_best);
  if (max == -INFINITY) return {};
  return {max * scale, ExpSum(group, x, vocabulary, max, scale, ws)};
}

DRAGOMAN_HD inline float Penalised(float score, float penalty) {
  return score < 0.0F ? score * penalty : score / penalty;
}

// Writes the penalised score of every token of the source and of the hypothesis to x.
// `score(token)` returns the score before the penalties, so a token that occurs twice gets the same
// value twice. An encoder_repetition_penalty above 1 makes the tokens of the source more likely.
template <class ThreadGroup, class View, class Score>
DRAGOMAN_HD void Penalise(const ThreadGroup& group, const View& slot, int lane, Score score,
                          float* x) {
  const SlotState& s = *slot.state;
  const IdList& source = s.rules.source;
  const float of_source = 1.0F / s.options.encoder_repetition_penalty;
  group.Sync();
  for (int32_t i = group.rank(); i < source.count; i += group.size()) {
    AtomicStore(x[source.ids[i]], Penalised(score(source.ids[i]), of_source));
  }
  const float r = s.options.repetition_penalty;
  if (r == 1.0F) return;
  group.Sync();
  const int32_t from = s.options.counts_start ? -1 : 0;
  for (int32_t i = from + group.rank(); i < s.length; i += group.size()) {
    const int32_t token = slot.Token(lane, i);
    float before = score(token);
    if (Contains(source, token)) before = Penalised(before, of_source);
    AtomicStore(x[token], Penalised(before, r));
  }
}

template <class ThreadGroup>
DRAGOMAN_HD void Exclude(const ThreadGroup& group, const IdList& list, float* x) {
  group.Sync();
  for (int32_t i = group.rank(); i < list.count; i += group.size()) x[list.ids[i]] = -INFINITY;
}

// Fills ws.scores with the scores of the row after the changes 1 to 7 of SEARCH.md a.8. If
// `forced`, the row's token is forced, and no penalty applies.
template <class ThreadGroup, class View>
DRAGOMAN_HD void ScoreRow(const ThreadGroup& group, const View& slot, int lane,
                          const LogitRequest& request, LogSum normaliser, bool forced,
                          int32_t vocabulary, MaterializedRowWorkspace& ws) {
  const SearchOptions& o = slot.state->options;
  const float* const logits = request.logits;
  float* const x = ws.scores;
  // `log_prob`, below, maps a logit before scaling to its log-prob.
  const float scale = request.scale;
  const float* from = logits;
  const bool penalise_logits = o.penalise_logits && o.penalises() && !forced;
  if (penalise_logits) {
    for (int32_t i = group.rank(); i < vocabulary; i += group.size()) x[i] = logits[i];
    Penalise(
        group, slot, lane, [&](int32_t token) { return logits[token]; }, x);
    Exclude(group, request.excluded, x);
    group.Sync();
    normaliser = Normaliser(group, x, vocabulary, scale, ws);
    from = x;
  }
  const float max = normaliser.max;
  const float log_sum = std::log(normaliser.sum);
  const auto log_prob = [&](float logit) { return (logit * scale - max) - log_sum; };
  if (max == -INFINITY) {
    for (int32_t i = group.rank(); i < vocabulary; i += group.size()) x[i] = -INFINITY;
  } else {
    for (int32_t i = group.rank(); i < vocabulary; i += group.size()) x[i] = log_prob(from[i]);
  }
  group.Sync();
  if (group.rank() == 0 && o.eos_penalty != 1.0F) {
    x[o.eos] *= o.eos_penalty;
    for (int32_t i = 0; i < o.more_eos_count; ++i) x[o.more_eos[i]] *= o.eos_penalty;
  }
  if (!penalise_logits && !forced && max > -INFINITY) {
    const auto before = [&](int32_t token) {
      const float score = log_prob(logits[token]);
      return o.Ends(token) ? score * o.eos_penalty : score;
    };
    Penalise(group, slot, lane, before, x);
  }
  Exclude(group, request.excluded, x);
  for (const IdList& list : request.masked) Exclude(group, list, x);
  group.Sync();
}

// Writes the `k` best tokens of x to `top`, best first, and returns their number. Sets these tokens
// to -inf in x. REQUIRES: `best` holds the maximum of each block of x. TakeBest updates these
// maxima.
template <class ThreadGroup>
DRAGOMAN_HD int32_t TakeBest(const ThreadGroup& group, float* x, int32_t vocabulary, float* best,
                             int32_t k, TokenScore* top) {
  constexpr int32_t kBlock = MaterializedRowWorkspace::kBlock;
  const auto blocks = static_cast<int32_t>(MaterializedRowWorkspace::Blocks(vocabulary));
  int32_t count = 0;
  for (; count < k; ++count) {
    // Among blocks with equal maxima the one with lower ids wins.
    TokenScore next{-INFINITY, blocks};
    for (int32_t b = group.rank(); b < blocks; b += group.size()) {
      if (best[b] > next.score) next = {best[b], b};
    }
    next = group.Reduce(next, [](TokenScore a, TokenScore b) { return Better(a, b); });
    if (next.score == -INFINITY) break;
    if (group.rank() == 0) {
      const int32_t begin = next.token * kBlock;
      const int32_t end = begin + kBlock < vocabulary ? begin + kBlock : vocabulary;
      int32_t token = begin;
      while (x[token] != next.score) ++token;
      top[count] = {next.score, token};
      x[token] = -INFINITY;
      best[next.token] = MaxOf(x, begin, end);
    }
    group.Sync();
  }
  return count;
}

}  // namespace materialized_row_internal

// Computes the summary of the row of `lane` from the `vocabulary` logits at request.logits. On
// entry `summary` is what the output layer computed. REQUIRES: summary.top has room for
// max(request.k, 1) entries.
template <class ThreadGroup, class View>
DRAGOMAN_HD void FoldMaterializedRow(const ThreadGroup& group, const View& slot, int lane,
                                     const LogitRequest& request, int32_t vocabulary,
                                     MaterializedRowWorkspace& ws, LogitSummary& summary) {
  using namespace materialized_row_internal;  // NOLINT(google-build-using-namespace)
  if (summary.nan) return;
  const SlotState& s = *slot.state;
  const SearchOptions& o = s.options;
  float* const x = ws.scores;
  const LogSum model = summary.normaliser;
  const bool forced = IsEosOnly(s) || s.length < s.rules.prefix_length;
  materialized_row_internal::ScoreRow(group, slot, lane, request, model, forced, vocabulary, ws);

  if (o.sampling.enabled && !forced) {
    const PhiloxCounter place{{static_cast<uint32_t>(o.sampling.ordinal),
                               static_cast<uint32_t>(slot.RankOf(lane)),
                               static_cast<uint32_t>(s.length), 0}};
    const float unit = UnitFloat(Philox(place, o.sampling.seed).word[0]);
    const float max = materialized_row_internal::BlockMaxima(group, x, vocabulary, ws.block_best);
    const int32_t token = Draw(group, o, x, vocabulary, max, unit, ws.draw);
    // The wanted ids, EOS among them, must not compete with the drawn token, so their scores are
    // -inf.
    for (int32_t i = group.rank(); i < request.wanted.count; i += group.size()) {
      summary.wanted[i] = -INFINITY;
    }
    if (group.rank() == 0) {
      // The score is the log-prob that the model gives the token, before all changes.
      summary.count = token < 0 ? 0 : 1;
      if (token >= 0) summary.top[0] = {LogProb(request.logits[token], model), token};
      summary.normaliser = {0.0F, 1.0F};
    }
    group.Sync();
    return;
  }

  LogSum all{0.0F, 1.0F};
  if (o.renormalize) all = materialized_row_internal::Normaliser(group, x, vocabulary, 1.0F, ws);
  for (int32_t i = group.rank(); i < request.wanted.count; i += group.size()) {
    summary.wanted[i] = x[request.wanted.ids[i]];
  }
  group.Sync();
  materialized_row_internal::Exclude(group, request.wanted, x);
  group.Sync();
  materialized_row_internal::BlockMaxima(group, x, vocabulary, ws.block_best);
  const int32_t count = materialized_row_internal::TakeBest(group, x, vocabulary, ws.block_best,
                                                            request.k, summary.top);
  if (group.rank() == 0) {
    summary.count = count;
    summary.normaliser = all;
  }
  group.Sync();
}

}  // namespace dragoman::kernels
