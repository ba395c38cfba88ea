// The fold of a row of logits: (max, sum of exp) and the sorted list of its K best tokens. Host and
// device run this code; partial folds of the same row may be merged.
//
// Pure functions over the caller's memory, no heap. Scores are logits (natural log scale). The
// K best do not depend on the order of visits, for `Better` is a total order; the sum of exp does,
// in its last bits, so partials are merged in vocabulary order.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman::kernels {

struct TokenScore {
  float score;
  int32_t token;
};

// The one order of every selection: higher score, then lower token. False whenever a score is NaN.
DRAGOMAN_HD inline bool Better(TokenScore a, TokenScore b) {
  return a.score > b.score || (a.score == b.score && a.token < b.token);
}

// Sum of exp(x) as sum * exp(max). Empty: max = -inf, sum = 0.
struct LogSum {
  float max = -INFINITY;
  float sum = 0.0F;
};

// `a` becomes the sum of both. -inf maxima (empty, or all logits -inf) add nothing, and never NaN.
DRAGOMAN_HD inline void Merge(LogSum& a, LogSum b) {
  if (b.max == -INFINITY) return;
  if (a.max == -INFINITY) {
    a = b;
    return;
  }
  // One of the two factors is exp(0) = 1: write it so, it costs half.
  if (b.max <= a.max) {
    a.sum += b.sum * std::exp(b.max - a.max);
  } else {
    a.sum = a.sum * std::exp(a.max - b.max) + b.sum;
    a.max = b.max;
  }
}

// log(sum of exp); -inf when empty.
DRAGOMAN_HD inline float LogSumValue(LogSum a) {
  return a.max == -INFINITY ? -INFINITY : a.max + std::log(a.sum);
}

// log softmax(x) of a row whose sum is `a`. -inf stays -inf; a row without a normaliser (all -inf)
// gives -inf for all.
DRAGOMAN_HD inline float LogProb(float x, LogSum a) {
  return x == -INFINITY || a.max == -INFINITY ? -INFINITY : (x - a.max) - std::log(a.sum);
}

// The best `capacity` tokens seen, best first, in memory of the caller.
struct TopList {
  TokenScore* entries;
  int32_t capacity;
  int32_t count;
};

// A score at or below this cannot enter when tokens come in ascending order (on equal scores the
// earlier, lower token wins). +inf when nothing is kept; -inf until the list is full, for a token
// at -inf never enters.
DRAGOMAN_HD inline float Threshold(const TopList& list) {
  if (list.capacity == 0) return INFINITY;
  return list.count < list.capacity ? -INFINITY : list.entries[list.count - 1].score;
}

// Inserts in order, dropping the last when full. Scores of -inf and NaN do not enter.
// REQUIRES: the token is not in the list.
DRAGOMAN_HD inline void Insert(TopList& list, TokenScore x) {
  if (list.capacity == 0 || !(x.score > -INFINITY)) return;
  int32_t at = list.count;
  if (at == list.capacity) {
    --at;
    if (!Better(x, list.entries[at])) return;
  } else {
    ++list.count;
  }
  for (; at > 0 && Better(x, list.entries[at - 1]); --at) list.entries[at] = list.entries[at - 1];
  list.entries[at] = x;
}

// `a` becomes the best of both. REQUIRES: no token is in both; the memory does not overlap.
DRAGOMAN_HD inline void Merge(TopList& a, const TopList& b) {
  for (int32_t i = 0; i < b.count; ++i) {
    if (a.count == a.capacity && (a.count == 0 || !Better(b.entries[i], a.entries[a.count - 1]))) {
      return;
    }
    Insert(a, b.entries[i]);
  }
}

}  // namespace dragoman::kernels
