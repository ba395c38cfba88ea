// Draws a token from a row of scores, with temperature, top_k and top_p (SEARCH.md a.8,
// "Sampling").
//
// The tokens are never sorted. A token's weight is exp((score - best) / temperature). Its mass is
// the weight as a whole number of units of 2^-40. Sums of masses are exact. So they do not depend
// on the order or the group, and are the same on host and device for the same scores.
//
// Reach finds the token at which a running sum over the tokens, best first, reaches a number. It
// sums the tokens in bins by their weights, finds the bin in which the number is reached, and
// divides this bin into finer bins, on three levels. Tokens of equal weight are ordered by id. So a
// draw takes a few sweeps over the row.
//
// Runs on a ThreadGroup. No heap.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/exp.h"
#include "kernels/search/fold.h"
#include "kernels/search/options.h"
#include "kernels/search/thread_group.h"

namespace dragoman::kernels {

// A counter of Philox 4x32-10 (Salmon et al. 2011, Random123), a random number generator without
// state: Philox returns the numbers for a counter and a key.
struct PhiloxCounter {
  uint32_t word[4];
};

DRAGOMAN_HD inline PhiloxCounter Philox(PhiloxCounter c, uint64_t key) {
  auto key0 = static_cast<uint32_t>(key);
  auto key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53U} * c.word[0];
    const uint64_t b = uint64_t{0xCD9E8D57U} * c.word[2];
    c = {{static_cast<uint32_t>(b >> 32) ^ c.word[1] ^ key0, static_cast<uint32_t>(b),
          static_cast<uint32_t>(a >> 32) ^ c.word[3] ^ key1, static_cast<uint32_t>(a)}};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return c;
}

// Returns a number in [0, 1) from the upper 24 bits.
DRAGOMAN_HD inline float UnitFloat(uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1.0p-24F;
}

// Memory of one draw. The caller owns it, the group shares it.
struct DrawWorkspace {
  // Wide bins cover all weights: 64 bins for each halving of the weight, from 1 down to 2^-40, the
  // smallest weight that has a mass. Fine bins divide one bin of the level above.
  static constexpr int32_t kWideBins = 40 * 64 + 1;
  static constexpr int32_t kFineBins = 512;
  static constexpr int32_t kBins = kWideBins + kFineBins;

  float* weights = nullptr;  // [vocabulary]
  uint64_t* bins = nullptr;  // [kBins]
};

namespace draw_internal {

// The mass of the weight 1, which the best token has. The sum of 2^22 such masses fits 64 bits.
constexpr float kMassUnits = 0x1p40F;
constexpr uint32_t kHighestKey = 0x3F800000U;               // key of the weight 1
constexpr uint32_t kLowestKey = kHighestKey - (40U << 23);  // key of the weight 2^-40

// Returns the bits of a weight. A larger weight has larger bits. 0 means that the token has no
// mass.
DRAGOMAN_HD inline uint32_t KeyOf(float weight) { return FloatWord(weight); }

struct CountMeasure {
  DRAGOMAN_HD uint64_t operator()(float) const { return 1; }
};
struct MassMeasure {
  DRAGOMAN_HD uint64_t operator()(float weight) const {
    return static_cast<uint64_t>(static_cast<int64_t>(weight * kMassUnits));
  }
};

// Calls `use(weight)` for each token whose key is in low .. low + range.
template <class ThreadGroup, class Use>
DRAGOMAN_HD void ForKeysWithin(const ThreadGroup& group, const float* weights, int32_t vocabulary,
                               uint32_t low, uint32_t range, Use use) {
  constexpr int32_t kAhead = 32;  // number of tokens that are tested together
  const int32_t step = group.size();
  const auto within = [&](int32_t i) { return KeyOf(weights[i]) - low <= range; };
  int32_t first = group.rank();
  for (; first + (kAhead - 1) * step < vocabulary; first += kAhead * step) {
    uint32_t any = 0;
    for (int32_t j = 0; j < kAhead; ++j) any |= within(first + j * step) ? 1U : 0U;
    if (any == 0) continue;
    for (int32_t j = 0; j < kAhead; ++j) {
      if (within(first + j * step)) use(weights[first + j * step]);
    }
  }
  for (; first < vocabulary; first += step) {
    if (within(first)) use(weights[first]);
  }
}

// The token at which a running sum reaches `wanted`. It is identified by its key (the bits of its
// weight, KeyOf) and by its number among the tokens with this key.
struct Reached {
  uint32_t key = 0;
  uint64_t before = 0;  // the sum of all tokens whose keys are greater
  uint64_t each = 0;    // the measure (count or mass) of one token of this key
  uint64_t wanted = 0;
  bool found = false;

  // Returns how many tokens of this key the sum needs to reach `wanted`. The last of them is the
  // token.
  DRAGOMAN_HD uint64_t number() const { return (wanted - before + each - 1) / each; }
  DRAGOMAN_HD uint64_t sum() const { return before + number() * each; }
};

struct FoundBin {
  int32_t bin;
  int32_t unused;
  uint64_t before;  // the sum of all bins before it
  uint64_t wanted;
};
struct LowerBin {
  DRAGOMAN_HD bool operator()(const FoundBin& a, const FoundBin& b) const { return a.bin < b.bin; }
};

// Sums `measure` of the tokens with keys low .. high into the `count` bins. A bin covers 2^shift
// keys. The first bin covers the highest keys.
template <class ThreadGroup, class Measure>
DRAGOMAN_HD void FillBins(const ThreadGroup& group, const float* weights, int32_t vocabulary,
                          uint32_t low, uint32_t high, int shift, Measure measure, uint64_t* bins,
                          int32_t count) {
  for (int32_t b = group.rank(); b < count; b += group.size()) bins[b] = 0;
  group.Sync();
  ForKeysWithin(group, weights, vocabulary, low, high - low, [&](float weight) {
    group.Add(bins[(high - KeyOf(weight)) >> shift], measure(weight));
  });
  group.Sync();
}

constexpr int kWideShift = 17;
constexpr int kFineShift = 8;  // the second level; the third level has shift 0
static_assert(((kHighestKey - kLowestKey) >> kWideShift) + 1 == DrawWorkspace::kWideBins);
static_assert(1 << (kWideShift - kFineShift) <= DrawWorkspace::kFineBins);
static_assert(1 << kFineShift <= DrawWorkspace::kFineBins);

template <class ThreadGroup, class Measure>
DRAGOMAN_HD void FillWideBins(const ThreadGroup& group, const DrawWorkspace& ws, int32_t vocabulary,
                              Measure measure) {
  FillBins(group, ws.weights, vocabulary, kLowestKey, kHighestKey, kWideShift, measure, ws.bins,
           DrawWorkspace::kWideBins);
}

// Finds the bin, among the first `count` bins, in which the running sum reaches the number
// `wanted(all)` > 0, where `all` is the sum of all bins. The running sum begins with `before`.
// Returns bin INT32_MAX if no bin reaches it.
template <class ThreadGroup, class Wanted>
DRAGOMAN_HD FoundBin FindBin(const ThreadGroup& group, const uint64_t* bins, int32_t count,
                             uint64_t before, Wanted wanted) {
  const Share mine = ShareOf(group, count);
  uint64_t sum = 0;
  for (int32_t b = mine.begin; b < mine.end; ++b) sum += bins[b];
  uint64_t all = 0;
  before += group.ExclusiveSum(sum, &all);
  const uint64_t target = wanted(all);
  FoundBin found{INT32_MAX, 0, 0, target};
  if (before < target && target <= before + sum) {
    int32_t b = mine.begin;
    while (before + bins[b] < target) before += bins[b++];
    found = {b, 0, before, target};
  }
  return group.Reduce(found, LowerBin());
}

// Returns the token at which the running sum of `measure` over the tokens, best first, reaches the
// number `wanted(all)`, where `all` is the sum of all tokens. REQUIRES: FillWideBins was called
// with this measure.
template <class ThreadGroup, class Measure, class Wanted>
DRAGOMAN_HD Reached Reach(const ThreadGroup& group, const DrawWorkspace& ws, int32_t vocabulary,
                          Measure measure, Wanted wanted) {
  FoundBin found = FindBin(group, ws.bins, DrawWorkspace::kWideBins, 0, wanted);
  if (found.bin == INT32_MAX) return {};
  uint32_t high = kHighestKey;
  int shift = kWideShift;
  uint64_t* const fine = ws.bins + DrawWorkspace::kWideBins;
  while (shift > 0) {
    const int next = shift > kFineShift ? kFineShift : 0;
    high -= static_cast<uint32_t>(found.bin) << shift;
    const int32_t count = 1 << (shift - next);
    const uint32_t low = high - ((1U << shift) - 1);
    FillBins(group, ws.weights, vocabulary, low, high, next, measure, fine, count);
    found = FindBin(group, fine, count, found.before, [&](uint64_t) { return found.wanted; });
    shift = next;
  }
  high -= static_cast<uint32_t>(found.bin);
  return {high, found.before, measure(__builtin_bit_cast(float, high)), found.wanted, true};
}

// Returns the token that is number `number`, from 1, among the tokens with this key in ascending
// order of ids. REQUIRES: it exists.
template <class ThreadGroup>
DRAGOMAN_HD int32_t TokenOfKey(const ThreadGroup& group, const float* weights, int32_t vocabulary,
                               uint32_t key, uint64_t number) {
  const auto count_of = [&](int32_t begin, int32_t end) {
    int32_t count = 0;
    for (int32_t i = begin; i < end; ++i) count += KeyOf(weights[i]) == key ? 1 : 0;
    return count;
  };
  const Share mine = ShareOf(group, vocabulary);
  const int32_t count = count_of(mine.begin, mine.end);
  int32_t all = 0;
  int32_t left = static_cast<int32_t>(number) - group.ExclusiveSum(count, &all);
  int32_t token = INT32_MAX;
  if (left > 0 && left <= count) {
    constexpr int32_t kRun = 64;
    token = mine.begin;
    for (int32_t run = 0; token + kRun <= mine.end; token += kRun, left -= run) {
      run = count_of(token, token + kRun);
      if (run >= left) break;
    }
    for (;; ++token) {
      if (KeyOf(weights[token]) == key && --left == 0) break;
    }
  }
  return group.Reduce(token, [](int32_t a, int32_t b) { return a < b; });
}

}  // namespace draw_internal

// Draws a token from softmax(x / temperature), restricted to the top_k best tokens and, among
// these, to the fewest best tokens whose probabilities reach top_p. The tokens are ordered by
// descending probability, then id. The drawn token is the first whose running sum exceeds `unit`
// times the total. Returns -1 if all x are -inf. `max` is the largest of the `vocabulary` scores in
// x. `unit` is a random multiple of 2^-24 in [0, 1).
template <class ThreadGroup>
DRAGOMAN_HD int32_t Draw(const ThreadGroup& group, const SearchOptions& o, const float* x,
                         int32_t vocabulary, float max, float unit, const DrawWorkspace& ws) {
  using namespace draw_internal;  // NOLINT(google-build-using-namespace)
  if (max == -INFINITY) return -1;
  const SamplingOptions& sampling = o.sampling;
  const float scale = 1.0F / o.temperature;
  for (int32_t i = group.rank(); i < vocabulary; i += group.size()) {
    const float weight = ExpNonPositive((x[i] - max) * scale);
    ws.weights[i] = weight < 1.0F / draw_internal::kMassUnits ? 0.0F : weight;
  }
  group.Sync();
  if (sampling.top_k > 0 && sampling.top_k < vocabulary) {
    const auto k = static_cast<uint64_t>(sampling.top_k);
    draw_internal::FillWideBins(group, ws, vocabulary, draw_internal::CountMeasure());
    const draw_internal::Reached last = draw_internal::Reach(
        group, ws, vocabulary, draw_internal::CountMeasure(), [k](uint64_t) { return k; });
    if (last.found) {  // otherwise fewer than k tokens have a mass, and all are kept
      const int32_t id =
          draw_internal::TokenOfKey(group, ws.weights, vocabulary, last.key, last.number());
      for (int32_t i = group.rank(); i < vocabulary; i += group.size()) {
        const uint32_t least = last.key + (i > id ? 1U : 0U);
        ws.weights[i] = draw_internal::KeyOf(ws.weights[i]) < least ? 0.0F : ws.weights[i];
      }
      group.Sync();
    }
  }
  const draw_internal::MassMeasure mass;
  draw_internal::FillWideBins(group, ws, vocabulary, mass);
  uint64_t kept = 0;  // the mass that top_p keeps; 0: all
  if (sampling.top_p < 1.0F) {
    const auto enough = [&](uint64_t all) {
      const double share =
          std::ceil(static_cast<double>(sampling.top_p) * static_cast<double>(all));
      const auto sum = static_cast<uint64_t>(share);
      return sum < 1 ? 1 : (sum > all ? all : sum);
    };
    kept = draw_internal::Reach(group, ws, vocabulary, mass, enough).sum();
  }
  // The running sum must reach the smallest whole number above unit * mass, where unit is `part` *
  // 2^-24.
  const auto part = static_cast<uint64_t>(unit * 0x1p24F);
  const draw_internal::Reached drawn =
      draw_internal::Reach(group, ws, vocabulary, mass, [&](uint64_t all) {
        const uint64_t of = kept > 0 ? kept : all;
        return (of >> 24) * part + (((of & 0xFFFFFFU) * part) >> 24) + 1;
      });
  return draw_internal::TokenOfKey(group, ws.weights, vocabulary, drawn.key, drawn.number());
}

}  // namespace dragoman::kernels
