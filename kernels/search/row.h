// LogitRequest is what the search asks of the output layer for one row (a live hypothesis in one
// step). LogitSummary is what the output layer returns. Plain data over the caller's memory, for
// host and device.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/fold.h"

namespace dragoman::kernels {

inline constexpr int kMaxTopK = 64;

// A list of token ids, ascending, without repeats; borrowed.
struct IdList {
  const int32_t* ids = nullptr;
  int32_t count = 0;
};

// Returns the index of the first id in the list that is >= `id`; list.count if there is none.
DRAGOMAN_HD inline int32_t FirstAtLeast(const IdList& list, int64_t id) {
  int32_t low = 0;
  int32_t high = list.count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (list.ids[middle] < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

DRAGOMAN_HD inline bool Contains(const IdList& list, int32_t id) {
  const int32_t at = FirstAtLeast(list, id);
  return at < list.count && list.ids[at] == id;
}

inline constexpr int kMaskLists = 2;

// A row's request. Wanted ids are tokens whose logits the search needs even if they are not among
// the best, such as EOS. The lists are borrowed for the call.
struct LogitRequest {
  int32_t k = 0;  // number of best tokens to return, 0 .. kMaxTopK
  // False: LogitSummary::normaliser stays empty, and no exp is computed.
  bool need_normaliser = false;
  // True: masked ids are -inf before the softmax, so they are not part of the normaliser.
  bool mask_first = false;
  float scale = 1.0F;         // factor of the logits: 1 / temperature
  IdList wanted;              // ids whose logits are returned; never among the best
  IdList excluded;            // -inf before the softmax: not part of the normaliser
  IdList masked[kMaskLists];  // never among the best; [0] is the segment's list, [1] the row's
  float* logits = nullptr;    // [vocabulary] or null: receives the logits of the row, unscaled and
                              // unmasked
};

DRAGOMAN_HD inline bool IsMasked(const LogitRequest& request, int32_t id) {
  for (const IdList& list : request.masked) {
    if (Contains(list, id)) return true;
  }
  return Contains(request.excluded, id);
}

// `top` and `wanted` are the caller's memory, with request.k and request.wanted.count entries. The
// log-probability of a logit x is LogProb(x, normaliser).
struct LogitSummary {
  // The sum of exp over all logits or, with mask_first, over the unmasked logits. Empty (max =
  // -inf) if it was not computed.
  LogSum normaliser;
  bool nan = false;   // a logit was NaN or +inf: the rest of this summary is undefined
  int32_t count = 0;  // number of entries in `top`: less than k if fewer logits are above -inf
  TokenScore* top = nullptr;  // scaled logits, best first, ties by the lower token
  float* wanted = nullptr;    // scaled logits in the order of request.wanted, masked ids included
};

}  // namespace dragoman::kernels
