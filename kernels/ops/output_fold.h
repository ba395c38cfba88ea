// Folds a row of logits for the device's output layer (output_layer_cuda.h). A group of threads
// reduces the row to (max, sum of exp), the K best tokens and the logits of wanted ids
// (kernels/search/row.h). Tests run this on the host.
//
// A ThreadGroup has
//   int rank() const, int size() const    number of this member, 0..size-1; number of members
//   void Sync() const                     no member goes on before all have arrived; each member
//                                         then sees what the others wrote before
//   bool Any(bool mine) const             whether any member passed true; also a Sync
//   int Claim(int32_t* counter) const     adds one to a counter of the group, returns its old value
//   void SetBit(uint32_t* word, int bit) const
// Every member runs the same code with the same arguments. `shared` is memory that all members see.
// The order in which members call Claim and SetBit does not affect a result. The best tokens are a
// set under a total order, and the order of sums depends on the sizes of the group and of the row
// only.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "kernels/base/exponent.h"
#include "kernels/base/host_device.h"
#include "kernels/search/fold.h"
#include "kernels/search/row.h"

namespace dragoman::kernels {

// Returns 2^x for x <= 0; exactly 0 for -inf. On a device one instruction.
DRAGOMAN_HD inline float FoldExp2(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::exp2(x);
#endif
}

// Returns exp(x) for x <= 0; exactly 0 for -inf. On a device the product x * log2(e) has a relative
// error of 2^-24, so exp(x) has a relative error of |x| 2^-24. That matters little, because terms
// with a large |x| are small.
DRAGOMAN_HD inline float FoldExp(float x) {
#ifdef __CUDA_ARCH__
  return FoldExp2(x * kLog2OfE);
#else
  return std::exp(x);
#endif
}

// Reports whether x is NaN or +inf, which no logit may be.
DRAGOMAN_HD inline bool IsBadLogit(float x) { return !(x < INFINITY); }

// Returns the maximum of the values and, if `with_sum`, the sum of exp(x - max), added from the
// first value to the last.
template <int n>
DRAGOMAN_HD LogSum SumOf(const float (&x)[n], bool with_sum) {
  LogSum sum;
  for (int i = 0; i < n; ++i) sum.max = x[i] > sum.max ? x[i] : sum.max;
  if (!with_sum || sum.max == -INFINITY) return sum;
  for (int i = 0; i < n; ++i) sum.sum += FoldExp(x[i] - sum.max);
  return sum;
}

// The shared memory of a group of at most kThreads threads that folds one row. Threads offer tokens
// for the list of the best tokens (TakeBest).
template <int kThreads>
struct FoldShared {
  LogSum sums[kThreads];
  TokenScore pool[kMaxTopK + kThreads];  // the best tokens so far, then the threads' offers
  TokenScore next[kMaxTopK];
  float maxima[kThreads];
  int32_t count;    // number of the best tokens so far
  int32_t offered;  // number of offers in this round
};

// Each thread passes a sum, `mine`. Returns the merged sum to every thread. Merges by a tree over
// the threads' ranks. REQUIRES: the size of the group is a power of two.
template <class ThreadGroup, int kThreads>
DRAGOMAN_HD LogSum SumOfGroup(const ThreadGroup& group, FoldShared<kThreads>& shared, LogSum mine) {
  shared.sums[group.rank()] = mine;
  group.Sync();
  for (int reach = group.size() / 2; reach > 0; reach /= 2) {
    if (group.rank() < reach) Merge(shared.sums[group.rank()], shared.sums[group.rank() + reach]);
    group.Sync();
  }
  const LogSum all = shared.sums[0];
  group.Sync();
  return all;
}

template <class ThreadGroup, int kThreads>
DRAGOMAN_HD void StartBest(const ThreadGroup& group, FoldShared<kThreads>& shared) {
  if (group.rank() == 0) {
    shared.count = 0;
    shared.offered = 0;
  }
  group.Sync();
}

// Each thread passes a score, `mine`. Returns a lower bound of the k-th best of these scores, so a
// score below it is not among the k best. The threads are divided into at most kMaxTopK bins. The
// result is the k-th best of the bins' maxima; -inf if there are fewer than k bins.
template <class ThreadGroup, int kThreads>
DRAGOMAN_HD float FloorOfGroup(const ThreadGroup& group, FoldShared<kThreads>& shared, int k,
                               float mine) {
  const int bins = group.size() < kMaxTopK ? group.size() : kMaxTopK;
  shared.maxima[group.rank()] = mine;
  if (group.rank() == 0) shared.next[0].score = -INFINITY;
  group.Sync();
  if (group.rank() < bins) {
    for (int i = group.rank() + bins; i < group.size(); i += bins) {
      mine = shared.maxima[i] > mine ? shared.maxima[i] : mine;
    }
    shared.maxima[group.rank()] = mine;  // no other member reads this entry before the Sync
  }
  group.Sync();
  if (group.rank() < bins) {
    // `rank` counts the better maxima. Of equal maxima the one of the lower bin is better, so every
    // rank occurs once.
    int rank = 0;
    for (int i = 0; i < bins; ++i) {
      rank += shared.maxima[i] > mine || (shared.maxima[i] == mine && i < group.rank());
    }
    if (rank == k - 1) shared.next[0].score = mine;
  }
  group.Sync();
  const float floor = shared.next[0].score;
  group.Sync();
  return floor;
}

// Merges the candidates of all threads into the k best tokens, k > 0. x[i] is the score of this
// thread's candidate token(i); -inf means no candidate. No token occurs twice. Overwrites x.
//
// In each round every thread offers its best remaining candidate if that can still enter the list.
// The entries of the list and the offers are ranked: an entry's rank is the number of better
// entries. While the list is not full, the lower bound of FloorOfGroup rejects most offers. Later
// the list's last entry does.
template <class ThreadGroup, int kThreads, int n, class TokenOf>
DRAGOMAN_HD void TakeBest(const ThreadGroup& group, FoldShared<kThreads>& shared, int k,
                          float (&x)[n], TokenOf token) {
  for (;;) {
    float top = -INFINITY;
    for (int i = 0; i < n; ++i) top = x[i] > top ? x[i] : top;
    const int count = shared.count;
    const bool full = count == k;
    const bool may = top > -INFINITY && (!full || top >= shared.pool[count - 1].score);
    if (!group.Any(may)) return;
    TokenScore mine{-INFINITY, 0};
    for (int i = 0; i < n; ++i) {
      if (may && Better({x[i], token(i)}, mine)) mine = {x[i], token(i)};
    }
    const bool enters = may && (!full || Better(mine, shared.pool[count - 1]));
    const float floor = full ? -INFINITY : FloorOfGroup(group, shared, k, mine.score);
    const bool offers = enters && mine.score >= floor;
    if (offers) shared.pool[count + group.Claim(&shared.offered)] = mine;
    for (int i = 0; i < n; ++i) {
      // If this thread's best candidate cannot enter, none of its candidates can.
      if (!enters || (offers && token(i) == mine.token)) x[i] = -INFINITY;
    }
    group.Sync();
    const int all = count + shared.offered;
    for (int i = group.rank(); i < all; i += group.size()) {
      const TokenScore candidate = shared.pool[i];
      int rank = 0;
      for (int j = 0; j < all; ++j) rank += Better(shared.pool[j], candidate);
      if (rank < k) shared.next[rank] = candidate;
    }
    group.Sync();
    const int kept = all < k ? all : k;
    for (int i = group.rank(); i < kept; i += group.size()) shared.pool[i] = shared.next[i];
    if (group.rank() == 0) {
      shared.count = kept;
      shared.offered = 0;
    }
    group.Sync();
  }
}

template <class ThreadGroup, int kThreads>
DRAGOMAN_HD void GiveBest(const ThreadGroup& group, const FoldShared<kThreads>& shared,
                          LogitSummary& summary) {
  for (int i = group.rank(); i < shared.count; i += group.size()) summary.top[i] = shared.pool[i];
  if (group.rank() == 0) summary.count = shared.count;
}

// Reports whether the logit of `id` is struck: set to -inf before the softmax.
DRAGOMAN_HD inline bool IsStruck(const LogitRequest& request, int32_t id) {
  if (Contains(request.excluded, id)) return true;
  if (!request.mask_first) return false;
  for (const IdList& list : request.masked) {
    if (Contains(list, id)) return true;
  }
  return false;
}

// Reports whether the token may be among the best tokens: it is not wanted, because wanted tokens
// are returned by themselves, and no mask has it. REQUIRES: the token is not struck (above).
DRAGOMAN_HD inline bool MayBeBest(const LogitRequest& request, int32_t id) {
  if (Contains(request.wanted, id)) return false;
  for (const IdList& list : request.masked) {
    if (Contains(list, id)) return false;
  }
  return true;
}

// FoldLogits walks over a row of materialized logits in stretches. In each stretch every thread
// takes kMaterializedPerThread columns. Threads of adjacent ranks take adjacent columns.
inline constexpr int kMaterializedThreads = 512;
inline constexpr int kMaterializedPerThread = 8;

// Marks the ids of the request's lists within one stretch of the vocabulary, with one bit for each
// column.
template <int kColumns>
struct Marks {
  static constexpr int kWords = (kColumns + 31) / 32;
  uint32_t struck[kWords];  // -inf before the softmax
  uint32_t barred[kWords];  // never among the best

  DRAGOMAN_HD static bool Has(const uint32_t* bits, int column) {
    return (bits[column / 32] >> (column % 32) & 1U) != 0;
  }
};

template <int kThreads, int kPerThread>
struct MaterializedShared {
  FoldShared<kThreads> fold;
  Marks<kThreads * kPerThread> marks;
  LogitRequest request;
  int32_t next_listed;  // the smallest id of the request's lists that is not marked yet
};

namespace output_fold_internal {

// Returns the smallest id of the request's lists that is at least `first`, or INT32_MAX.
DRAGOMAN_HD inline int32_t NextListed(const LogitRequest& request, int64_t first) {
  int32_t next = INT32_MAX;
  const auto look = [&](const IdList& list) {
    const int32_t at = FirstAtLeast(list, first);
    if (at < list.count && list.ids[at] < next) next = list.ids[at];
  };
  look(request.excluded);
  look(request.wanted);
  for (const IdList& list : request.masked) look(list);
  return next;
}

template <class ThreadGroup>
DRAGOMAN_HD void Mark(const ThreadGroup& group, uint32_t* bits, const IdList& list, int64_t first,
                      int64_t end) {
  for (int32_t i = FirstAtLeast(list, first) + group.rank(); i < list.count && list.ids[i] < end;
       i += group.size()) {
    const auto column = static_cast<int>(list.ids[i] - first);
    group.SetBit(&bits[column / 32], column % 32);
  }
}

// Sets the marks for the columns first .. end - 1 of the vocabulary: those of `excluded`, `wanted`
// and `masked` ids of the request.
template <class ThreadGroup, int kColumns>
DRAGOMAN_HD void MarkStretch(const ThreadGroup& group, Marks<kColumns>& marks,
                             const LogitRequest& request, int64_t first, int64_t end) {
  group.Sync();  // all members have read the marks of the previous stretch
  for (int i = group.rank(); i < marks.kWords; i += group.size()) {
    marks.struck[i] = 0;
    marks.barred[i] = 0;
  }
  group.Sync();
  Mark(group, marks.struck, request.excluded, first, end);
  Mark(group, marks.barred, request.wanted, first, end);
  for (const IdList& list : request.masked) {
    Mark(group, request.mask_first ? marks.struck : marks.barred, list, first, end);
  }
  group.Sync();
}

}  // namespace output_fold_internal

// Folds the materialized logits of one row. With `keep`, adds the bias to `logits` in memory, and
// the copy of the request in `shared` points to them. Without `keep`, `logits` does not change.
// REQUIRES: bias is not null if kBiased.
template <bool kBiased, class ThreadGroup, int kThreads, int kPerThread>
DRAGOMAN_HD void FoldLogits(const ThreadGroup& group,
                            MaterializedShared<kThreads, kPerThread>& shared, float* logits,
                            const float* bias, int vocabulary, const LogitRequest& asked, bool keep,
                            LogitSummary& summary) {
  using namespace output_fold_internal;  // NOLINT(google-build-using-namespace)
  const auto biased = [&](int column) {
    return kBiased ? logits[column] + bias[column] : logits[column];
  };
  for (int32_t i = group.rank(); i < asked.wanted.count; i += group.size()) {
    const int32_t id = asked.wanted.ids[i];
    summary.wanted[i] = IsStruck(asked, id) ? -INFINITY : biased(id) * asked.scale;
  }
  // The request is copied to shared memory. If each stretch read it from global memory, the read
  // would wait behind the loads of the next stretch. In registers it would spill to local memory.
  if (group.rank() == 0) {
    shared.request = asked;
    if (asked.k > kMaxTopK) shared.request.k = kMaxTopK;
    shared.request.logits = keep ? logits : nullptr;
    shared.next_listed = output_fold_internal::NextListed(asked, 0);
  }
  // StartBest ends with a Sync. After it all members have read the wanted logits, so the logits
  // may change.
  StartBest(group, shared.fold);
  const LogitRequest& request = shared.request;
  LogSum sum;
  bool bad = false;
  const int stretch = kPerThread * group.size();
  // The next stretch is loaded while this one is folded. Nothing waits for the loaded values until
  // the next stretch is folded.
  float ahead[kPerThread];
  float bias_ahead[kBiased ? kPerThread : 1];
  const auto load = [&](int first) {
    for (int i = 0; i < kPerThread; ++i) {
      const int column = first + i * group.size() + group.rank();
      ahead[i] = column < vocabulary ? logits[column] : -INFINITY;
      if (kBiased) bias_ahead[i] = column < vocabulary ? bias[column] : 0;
    }
  };
  load(0);
  for (int first = 0; first < vocabulary; first += stretch) {
    float x[kPerThread];
    float* const kept = request.logits;
    for (int i = 0; i < kPerThread; ++i) {
      const int column = first + i * group.size() + group.rank();
      x[i] = kBiased ? ahead[i] + bias_ahead[i] : ahead[i];
      if (kept != nullptr && column < vocabulary) kept[column] = x[i];
    }
    load(first + stretch);
    const int end = first + stretch < vocabulary ? first + stretch : vocabulary;
    const bool marked = shared.next_listed < end;
    if (marked) {
      output_fold_internal::MarkStretch(group, shared.marks, request, first, end);
      if (group.rank() == 0) shared.next_listed = output_fold_internal::NextListed(request, end);
      group.Sync();
    }
    uint32_t unfit = 0;  // bit i: x[i] may not be among the best
    for (int i = 0; i < kPerThread; ++i) {
      const int column = i * group.size() + group.rank();
      x[i] *= request.scale;
      if (marked && shared.marks.Has(shared.marks.struck, column)) x[i] = -INFINITY;
      if (marked && shared.marks.Has(shared.marks.barred, column)) unfit |= 1U << i;
      bad = bad || IsBadLogit(x[i]);
    }
    Merge(sum, SumOf(x, request.need_normaliser));
    if (request.k == 0) continue;
    for (int i = 0; i < kPerThread; ++i) {
      if ((unfit >> i & 1U) != 0 || IsBadLogit(x[i])) x[i] = -INFINITY;
    }
    TakeBest(group, shared.fold, request.k, x,
             [&](int i) { return first + i * group.size() + group.rank(); });
  }
  bad = group.Any(bad);
  const LogSum all = SumOfGroup(group, shared.fold, sum);
  GiveBest(group, shared.fold, summary);
  if (group.rank() == 0) {
    summary.normaliser = request.need_normaliser && !bad ? all : LogSum{};
    summary.nan = bad;
  }
}

}  // namespace dragoman::kernels
