// Reduces (folds) a row of logits to two results: the pair (max, sum of exp), and the sorted list
// of the K best tokens.
//
// Pure functions over the caller's memory, for host and device, no heap. Scores are logits (natural
// log scale). Parts of a row may be folded separately and then merged. The K best tokens do not
// depend on the order in which logits are visited, because `Better` is a total order. The last bits
// of the sum depend on it, so callers merge parts in the order of the vocabulary.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman::kernels {

struct TokenScore {
  float score;
  int32_t token;
};

// The order of all selections: higher score first, then lower token. False if a score is NaN.
DRAGOMAN_HD inline bool Better(TokenScore a, TokenScore b) {
  return a.score > b.score || (a.score == b.score && a.token < b.token);
}

// A sum of exp(x), stored as two numbers. Its value is sum * exp(max). An empty sum has max = -inf,
// sum = 0.
struct LogSum {
  float max = -INFINITY;
  float sum = 0.0F;
};

// Adds `b` to `a`. A `b` with max = -inf (empty, or all its logits are -inf) adds nothing and
// produces no NaN.
DRAGOMAN_HD inline void Merge(LogSum& a, LogSum b) {
  if (b.max == -INFINITY) return;
  if (a.max == -INFINITY) {
    a = b;
    return;
  }
  // One of the two factors is exp(0) = 1, so only the other is computed.
  if (b.max <= a.max) {
    a.sum += b.sum * std::exp(b.max - a.max);
  } else {
    a.sum = a.sum * std::exp(a.max - b.max) + b.sum;
    a.max = b.max;
  }
}

// Returns log(sum of exp); -inf when empty.
DRAGOMAN_HD inline float LogSumValue(LogSum a) {
  return a.max == -INFINITY ? -INFINITY : a.max + std::log(a.sum);
}

// Returns the log of softmax(x) for a logit x of the row whose LogSum is `a`; -inf if x is -inf or
// all logits of the row are.
DRAGOMAN_HD inline float LogProb(float x, LogSum a) {
  return x == -INFINITY || a.max == -INFINITY ? -INFINITY : (x - a.max) - std::log(a.sum);
}

// A list of the best `capacity` tokens seen so far, best first, in the caller's memory.
struct TopList {
  TokenScore* entries;
  int32_t capacity;
  int32_t count;
};

// Returns the threshold of the list. A token whose score is at or below it cannot enter, provided
// that tokens come in ascending order: of equal scores the lower token, which is in the list, wins.
// +inf if the capacity is 0, -inf until the list is full.
DRAGOMAN_HD inline float Threshold(const TopList& list) {
  if (list.capacity == 0) return INFINITY;
  return list.count < list.capacity ? -INFINITY : list.entries[list.count - 1].score;
}

// Inserts `x` at its place in the order. If the list is full, the last entry is dropped. Scores of
// -inf and NaN do not enter. REQUIRES: the token is not in the list.
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

// Sets `a` to the best tokens of both lists. REQUIRES: no token is in both; the memory does not
// overlap.
DRAGOMAN_HD inline void Merge(TopList& a, const TopList& b) {
  for (int32_t i = 0; i < b.count; ++i) {
    if (a.count == a.capacity && (a.count == 0 || !Better(b.entries[i], a.entries[a.count - 1]))) {
      return;
    }
    Insert(a, b.entries[i]);
  }
}

}  // namespace dragoman::kernels
