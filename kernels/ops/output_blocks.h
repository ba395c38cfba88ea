// A block of the vocabulary as the output layers of the CPU fold it: one model's, and those of
// several together (output_layer_cpu.cc, output_mean_cpu.cc; private to them).
//
// Pure functions over the caller's memory, no heap.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/product.h"
#include "kernels/search/fold.h"
#include "kernels/search/row.h"

namespace dragoman::output_blocks {

inline constexpr int64_t kProductBlocks = 5;
inline constexpr int64_t kBlockColumns = kProductBlocks * cpu::Product::kBlockColumns;
inline constexpr int64_t kBlockRowsMax = 128;
// Columns that are searched for candidates before the list's threshold is looked at again; fewer
// while the list is not full.
inline constexpr int64_t kSearchColumns = 96;
inline constexpr int64_t kFirstColumns = 16;

// What a thread keeps of a row between its blocks.
struct Partial {
  TopList top;
  bool nan;
};

// An empty list for each of `rows`, in `entries` [rows, kMaxTopK].
inline void EmptyLists(const LogitRequest* requests, int64_t rows, TokenScore* entries,
                       Partial* partials) {
  for (int64_t r = 0; r < rows; ++r) {
    partials[r] = {{entries + r * kMaxTopK, std::min(requests[r].k, kMaxTopK), 0}, false};
  }
}

// Calls `candidate(column)` for the values [count] that are above what the list asks for, which it
// may change.
template <class Candidate>
void ForCandidates(const float* values, int64_t count, const TopList& top, Candidate candidate) {
  for (int64_t c = 0, columns = 0; c < count; c += columns) {
    const float threshold = Threshold(top);
    columns = std::min(threshold == -INFINITY ? kFirstColumns : kSearchColumns, count - c);
    int32_t found[kSearchColumns];
    const int n = cpu::Kernels().find_above(values + c, columns, threshold, found);
    for (int i = 0; i < n; ++i) candidate(c + found[i]);
  }
}

// Calls `use(id)` for the ids of the list within first .. end - 1.
template <class Use>
void ForIdsWithin(const IdList& list, int64_t first, int64_t end, Use use) {
  for (int32_t i = FirstAtLeast(list, first); i < list.count && list.ids[i] < end; ++i) {
    use(i, list.ids[i] - first);
  }
}

// One bit for each block of a row: whether one of its lists has an id there.
class MarkedBlocks {
 public:
  static int64_t Words(int64_t blocks) { return (blocks + 63) / 64; }

  MarkedBlocks(uint64_t* words, int64_t blocks) : words_(words), per_row_(Words(blocks)) {}

  void Mark(int64_t row, const LogitRequest& request) {
    std::fill_n(words_ + row * per_row_, per_row_, 0);
    MarkIds(row, request.excluded);
    MarkIds(row, request.wanted);
    for (const IdList& list : request.masked) MarkIds(row, list);
  }

  bool Has(int64_t row, int64_t block) const {
    return (words_[row * per_row_ + block / 64] >> (block % 64) & 1U) != 0;
  }

 private:
  void MarkIds(int64_t row, const IdList& list) {
    for (int32_t i = 0; i < list.count; ++i) {
      const int64_t block = list.ids[i] / kBlockColumns;
      words_[row * per_row_ + block / 64] |= uint64_t{1} << (block % 64);
    }
  }

  uint64_t* const words_;
  const int64_t per_row_;
};

// Folds the logits of one row in one block: columns `first` .. `first + count - 1`. Returns the
// block's (max, sum of exp), which is `known` where that is not null.
inline LogSum FoldBlock(const LogitRequest& request, float* logits, int64_t first, int64_t count,
                        Partial& partial, float* wanted, const LogSum* known) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int64_t end = first + count;
  if (request.logits != nullptr) std::copy_n(logits, count, request.logits + first);
  if (request.scale != 1.0F) {
    for (int64_t c = 0; c < count; ++c) logits[c] *= request.scale;
  }
  const auto strike = [&](const IdList& list) {
    ForIdsWithin(list, first, end, [&](int32_t, int64_t column) { logits[column] = -INFINITY; });
  };
  strike(request.excluded);
  if (request.mask_first) {
    for (const IdList& list : request.masked) strike(list);
  }
  ForIdsWithin(request.wanted, first, end,
               [&](int32_t i, int64_t column) { wanted[i] = logits[column]; });
  LogSum sum;
  if (known != nullptr) {
    sum = *known;
  } else {
    sum.max = kernels.row_max(logits, count, &partial.nan);
    if (sum.max == INFINITY) partial.nan = true;
    if (request.need_normaliser && std::isfinite(sum.max)) {
      sum.sum = kernels.exp_sum(logits, count, sum.max);
    }
    if (!(sum.max > Threshold(partial.top))) return sum;
  }
  // From here on a logit is only a candidate: what may not be among the best is struck out.
  if (!request.mask_first) {
    for (const IdList& list : request.masked) strike(list);
  }
  strike(request.wanted);
  ForCandidates(logits, count, partial.top, [&](int64_t column) {
    Insert(partial.top, {logits[column], static_cast<int32_t>(first + column)});
  });
  return sum;
}

}  // namespace dragoman::output_blocks
