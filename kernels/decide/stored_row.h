// Rows whose logits are needed whole: repetition penalty and sampling (decoding.md a.8).
//
// The row's fold is made again from its stored logits, with the changes of a.8 in their order; with
// sampling it is the one token that was drawn. Runs on a Team; sums are made per block of ids and
// added in the order of blocks, so that they do not depend on the team. No heap.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/decide/philox.h"
#include "kernels/decide/row.h"
#include "kernels/decide/slot.h"
#include "kernels/decide/team.h"

namespace dragoman {

// Memory of one call, owned by the caller, shared by the team.
struct StoredRowWorkspace {
  static constexpr int32_t kBlock = 256;

  DRAGOMAN_HD static constexpr int64_t Blocks(int64_t vocabulary) {
    return (vocabulary + kBlock - 1) / kBlock;
  }

  float* scores = nullptr;      // [vocabulary]
  TokenScore* drawn = nullptr;  // [vocabulary] best first, as far as they were needed
  TokenScore* best = nullptr;   // [Blocks] of each block
  float* sums = nullptr;        // [Blocks]
};

namespace stored_row_internal {

struct BetterToken {
  DRAGOMAN_HD bool operator()(TokenScore a, TokenScore b) const { return Better(a, b); }
};

// Sum of exp((x - max) * scale).
template <class Team>
DRAGOMAN_HD float ExpSum(const Team& team, const float* x, int32_t vocabulary, float max,
                         float scale, StoredRowWorkspace& ws) {
  const auto blocks = static_cast<int32_t>(StoredRowWorkspace::Blocks(vocabulary));
  for (int32_t b = team.rank(); b < blocks; b += team.size()) {
    float sum = 0;
    for (int32_t i = b * StoredRowWorkspace::kBlock;
         i < (b + 1) * StoredRowWorkspace::kBlock && i < vocabulary; ++i) {
      if (x[i] > -INFINITY) sum += std::exp((x[i] - max) * scale);
    }
    ws.sums[b] = sum;
  }
  team.Sync();
  float sum = 0;
  for (int32_t b = 0; b < blocks; ++b) sum += ws.sums[b];
  team.Sync();
  return sum;
}

template <class Team>
DRAGOMAN_HD float Max(const Team& team, const float* x, int32_t vocabulary) {
  TokenScore best{-INFINITY, vocabulary};
  for (int32_t i = team.rank(); i < vocabulary; i += team.size()) {
    if (Better({x[i], i}, best)) best = {x[i], i};
  }
  return team.Reduce(best, BetterToken()).score;
}

// Whether token number `index` of the history (-1: the start token) comes there for the first time.
template <class View>
DRAGOMAN_HD bool IsFirstUse(const View& slot, int lane, int32_t from, int32_t index) {
  const auto at = [&](int32_t i) {
    return i < 0 ? slot.arrays.tokens[slot.At(slot.Writer(lane, 0), 0)] : slot.Token(lane, i);
  };
  for (int32_t i = from; i < index; ++i) {
    if (at(i) == at(index)) return false;
  }
  return true;
}

// Once for every distinct token of the hypothesis.
template <class Team, class View>
DRAGOMAN_HD void Penalise(const Team& team, const View& slot, int lane, float* x) {
  const SlotState& s = *slot.state;
  const float r = s.options.repetition_penalty;
  if (r == 1.0F) return;
  const int32_t from = s.options.penalise_start ? -1 : 0;
  for (int32_t i = from + team.rank(); i < s.length; i += team.size()) {
    if (!IsFirstUse(slot, lane, from, i)) continue;
    const int32_t token =
        i < 0 ? slot.arrays.tokens[slot.At(slot.Writer(lane, 0), 0)] : slot.Token(lane, i);
    x[token] = x[token] < 0.0F ? x[token] * r : x[token] / r;
  }
  team.Sync();
}

// The tokens of a row in descending order, one at a time; what was handed out is at -inf after.
template <class Team>
class Descending {
 public:
  DRAGOMAN_HD Descending(const Team& team, float* x, int32_t vocabulary, TokenScore* best)
      : team_(team),
        x_(x),
        vocabulary_(vocabulary),
        blocks_(static_cast<int32_t>(StoredRowWorkspace::Blocks(vocabulary))),
        best_(best) {
    for (int32_t b = team.rank(); b < blocks_; b += team.size()) Refresh(b);
    team.Sync();
  }

  // A score of -inf: none is left.
  DRAGOMAN_HD TokenScore Next() {
    TokenScore best{-INFINITY, vocabulary_};
    for (int32_t b = team_.rank(); b < blocks_; b += team_.size()) {
      if (Better(best_[b], best)) best = best_[b];
    }
    best = team_.Reduce(best, BetterToken());
    if (best.score > -INFINITY && team_.rank() == 0) {
      x_[best.token] = -INFINITY;
      Refresh(best.token / StoredRowWorkspace::kBlock);
    }
    team_.Sync();
    return best;
  }

 private:
  DRAGOMAN_HD void Refresh(int32_t block) {
    TokenScore best{-INFINITY, vocabulary_};
    for (int32_t i = block * StoredRowWorkspace::kBlock;
         i < (block + 1) * StoredRowWorkspace::kBlock && i < vocabulary_; ++i) {
      if (Better({x_[i], i}, best)) best = {x_[i], i};
    }
    best_[block] = best;
  }

  const Team& team_;
  float* const x_;
  const int32_t vocabulary_;
  const int32_t blocks_;
  TokenScore* const best_;
};

// Draws from softmax(x / temperature) of the top_k best, of which the fewest whose probabilities
// reach top_p. The token; -1 when there is none.
template <class Team>
DRAGOMAN_HD int32_t Draw(const Team& team, const SearchOptions& o, float* x, int32_t vocabulary,
                         float unit, StoredRowWorkspace& ws) {
  const SamplingOptions& sampling = o.sampling;
  const float max = Max(team, x, vocabulary);
  if (max == -INFINITY) return -1;
  const float scale = 1.0F / o.temperature;
  // The mass of all; with top_k, of the top_k best.
  float mass = sampling.top_k > 0 ? 0.0F : ExpSum(team, x, vocabulary, max, scale, ws);
  Descending<Team> descending(team, x, vocabulary, ws.best);
  int32_t count = 0;
  const auto take = [&] {
    const TokenScore next = descending.Next();
    if (next.score == -INFINITY) return false;
    if (team.rank() == 0) ws.drawn[count] = {std::exp((next.score - max) * scale), next.token};
    ++count;
    team.Sync();
    return true;
  };
  if (sampling.top_k > 0) {
    while (count < sampling.top_k && take()) mass += ws.drawn[count - 1].score;
  }
  // With neither limit the set is everything, and is gone through only as far as the draw goes.
  const bool whole = sampling.top_k <= 0 && sampling.top_p >= 1.0F;
  int32_t kept = count;
  if (sampling.top_p < 1.0F) {
    const float reach = sampling.top_p * mass;
    mass = 0.0F;
    for (kept = 0; kept == 0 || mass < reach; ++kept) {
      if (kept == count && (sampling.top_k > 0 || !take())) break;
      mass += ws.drawn[kept].score;
    }
  }
  const float threshold = unit * mass;
  float sum = 0.0F;
  for (int32_t i = 0; whole ? (i < count || take()) : i < kept; ++i) {
    sum += ws.drawn[i].score;
    if (sum > threshold) return ws.drawn[i].token;
  }
  return ws.drawn[(whole ? count : kept) - 1].token;  // rounding kept the sum below
}

}  // namespace stored_row_internal

// Makes the fold of the row of `lane` again from query.logits, `vocabulary` of them. On entry
// `fold` is that of the output layer; fold.top needs room for max(query.k, 1) entries.
template <class Team, class View>
DRAGOMAN_HD void FoldStoredRow(const Team& team, const View& slot, int lane, const RowQuery& query,
                               int32_t vocabulary, StoredRowWorkspace& ws, RowFold& fold) {
  using namespace stored_row_internal;  // NOLINT(google-build-using-namespace)
  if (fold.nan) return;
  const SlotState& s = *slot.state;
  const SearchOptions& o = s.options;
  float* const x = ws.scores;
  const bool forced = IsEosOnly(s) || s.length < s.rules.prefix_length;
  const bool penalise_logits = o.penalise_logits && !forced;
  const LogSum model = fold.normaliser;

  for (int32_t i = team.rank(); i < vocabulary; i += team.size()) x[i] = query.logits[i];
  team.Sync();
  for (int32_t i = team.rank(); i < query.excluded.count; i += team.size()) {
    x[query.excluded.ids[i]] = -INFINITY;
  }
  team.Sync();
  LogSum normaliser = model;
  if (penalise_logits && o.repetition_penalty != 1.0F) {
    Penalise(team, slot, lane, x);
    const float max = Max(team, x, vocabulary);
    normaliser = {max * query.scale,
                  max == -INFINITY ? 0.0F : ExpSum(team, x, vocabulary, max, query.scale, ws)};
  }
  for (int32_t i = team.rank(); i < vocabulary; i += team.size()) {
    x[i] = LogProb(x[i] * query.scale, normaliser);
  }
  team.Sync();
  if (team.rank() == 0 && o.eos_penalty != 1.0F) {
    x[o.eos] *= o.eos_penalty;
    for (int32_t i = 0; i < o.more_eos_count; ++i) x[o.more_eos[i]] *= o.eos_penalty;
  }
  team.Sync();
  if (!penalise_logits && !forced) Penalise(team, slot, lane, x);
  for (const IdList& list : query.masked) {
    for (int32_t i = team.rank(); i < list.count; i += team.size()) x[list.ids[i]] = -INFINITY;
  }
  team.Sync();

  if (o.sampling.enabled && !forced) {
    const PhiloxCounter place{{static_cast<uint32_t>(o.sampling.ordinal),
                               static_cast<uint32_t>(slot.RankOf(lane)),
                               static_cast<uint32_t>(s.length), 0}};
    const float unit = UnitFloat(Philox(place, o.sampling.seed).word[0]);
    const int32_t token = Draw(team, o, x, vocabulary, unit, ws);
    // The token is drawn: EOS, which is wanted in every row, offers itself no more.
    for (int32_t i = team.rank(); i < query.wanted.count; i += team.size()) {
      fold.wanted[i] = -INFINITY;
    }
    if (team.rank() == 0) {
      // The score is the model's, before all changes.
      fold.count = token < 0 ? 0 : 1;
      if (token >= 0) fold.top[0] = {LogProb(query.logits[token], model), token};
      fold.normaliser = {0.0F, 1.0F};
    }
    team.Sync();
    return;
  }

  LogSum all{0.0F, 1.0F};
  if (o.renormalize) {
    const float max = Max(team, x, vocabulary);
    all = {max, max == -INFINITY ? 0.0F : ExpSum(team, x, vocabulary, max, 1.0F, ws)};
  }
  for (int32_t i = team.rank(); i < query.wanted.count; i += team.size()) {
    fold.wanted[i] = x[query.wanted.ids[i]];
  }
  team.Sync();
  for (int32_t i = team.rank(); i < query.wanted.count; i += team.size()) {
    x[query.wanted.ids[i]] = -INFINITY;
  }
  team.Sync();
  Descending<Team> descending(team, x, vocabulary, ws.best);
  int32_t count = 0;
  for (; count < query.k; ++count) {
    const TokenScore next = descending.Next();
    if (next.score == -INFINITY) break;
    if (team.rank() == 0) fold.top[count] = next;
  }
  if (team.rank() == 0) {
    fold.count = count;
    fold.normaliser = all;
  }
  team.Sync();
}

}  // namespace dragoman
