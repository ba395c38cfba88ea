// Functions that fold the logits of a block of the vocabulary, for the CPU's output layers of one
// model and of an ensemble. To fold logits is to reduce them to (max, sum of exp) and the best
// tokens (LogitSummary in kernels/search/row.h). Private to output_layer_cpu.cc and
// output_mean_cpu.cc.
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

namespace dragoman::kernels::output_blocks {

inline constexpr int64_t kProductBlocks = 5;
inline constexpr int64_t kBlockColumns = kProductBlocks * cpu::Product::kBlockColumns;
inline constexpr int64_t kBlockRowsMax = 128;
// The number of columns that are compared with one threshold: the score of the last entry in the
// list of best tokens. After these columns the threshold is read again. Until the list is full, the
// number is kFirstColumns.
inline constexpr int64_t kSearchColumns = 96;
inline constexpr int64_t kFirstColumns = 16;

// The state of one row's fold from one block to the next, in one thread.
struct Partial {
  TopList top;
  bool nan;
};

// Sets the partials of `rows` rows to empty lists. Each list gets memory for kMaxTopK entries in
// `entries`, which has rows * kMaxTopK entries.
inline void EmptyLists(const LogitRequest* requests, int64_t rows, TokenScore* entries,
                       Partial* partials) {
  for (int64_t r = 0; r < rows; ++r) {
    partials[r] = {{entries + r * kMaxTopK, std::min(requests[r].k, kMaxTopK), 0}, false};
  }
}

// Calls `candidate(column)` for each of the `count` values that is above the threshold of `top`.
// `candidate` may change `top`, which raises the threshold.
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

// Maps columns of the output layer to words of the vocabulary. Without a selection (output_layer.h)
// column i is word i. With a selection, column i is the word ids[i] of its list.
class ColumnWords {
 public:
  ColumnWords() = default;
  explicit ColumnWords(const IdList& selected) : selected_(selected) {}

  int32_t WordOf(int64_t column) const {
    return selected_.ids == nullptr ? static_cast<int32_t>(column) : selected_.ids[column];
  }

  // Stores the values of columns first .. first + count - 1 in `by_word`, indexed by word.
  void Store(const float* values, int64_t first, int64_t count, float* by_word) const {
    if (selected_.ids == nullptr) {
      std::copy_n(values, count, by_word + first);
      return;
    }
    for (int64_t c = 0; c < count; ++c) by_word[selected_.ids[first + c]] = values[c];
  }

  // Calls `use(i, column - first)` for each word list.ids[i] whose column is in first .. end - 1.
  // REQUIRES: first < end.
  template <class Use>
  void ForEachWithin(const IdList& list, int64_t first, int64_t end, Use use) const {
    const int32_t last = WordOf(end - 1);
    int32_t i = FirstAtLeast(list, WordOf(first));
    if (selected_.ids == nullptr) {
      for (; i < list.count && list.ids[i] <= last; ++i) use(i, list.ids[i] - first);
      return;
    }
    for (; i < list.count && list.ids[i] <= last; ++i) {
      const int32_t column = FirstAtLeast(selected_, list.ids[i]);
      if (selected_.ids[column] == list.ids[i]) use(i, column - first);
    }
  }

 private:
  IdList selected_;
};

// Calls `use(i, list.ids[i] - first)` for each id of the list in first .. end - 1.
template <class Use>
void ForIdsWithin(const IdList& list, int64_t first, int64_t end, Use use) {
  ColumnWords().ForEachWithin(list, first, end, use);
}

// Has a bit for each row and block. It says whether a list of the row's request has an id in that
// block.
class MarkedBlocks {
 public:
  static int64_t Words(int64_t blocks) { return (blocks + 63) / 64; }

  MarkedBlocks(uint64_t* words, int64_t blocks) : words_(words), per_row_(Words(blocks)) {}

  void Mark(int64_t row, const LogitRequest& request, const ColumnWords& words, int64_t columns) {
    std::fill_n(words_ + row * per_row_, per_row_, 0);
    const auto mark = [&](const IdList& list) {
      words.ForEachWithin(list, 0, columns, [&](int32_t, int64_t column) {
        const int64_t block = column / kBlockColumns;
        words_[row * per_row_ + block / 64] |= uint64_t{1} << (block % 64);
      });
    };
    mark(request.excluded);
    mark(request.wanted);
    for (const IdList& list : request.masked) mark(list);
  }

  bool Has(int64_t row, int64_t block) const {
    return (words_[row * per_row_ + block / 64] >> (block % 64) & 1U) != 0;
  }

 private:
  uint64_t* const words_;
  const int64_t per_row_;
};

// Folds the logits of one row in one block: columns `first` .. `first + count - 1`. Returns the
// block's (max, sum of exp). If the product has computed these numbers, they are in *known;
// otherwise `known` is null. Changes `logits`.
inline LogSum FoldBlock(const LogitRequest& request, const ColumnWords& words, float* logits,
                        int64_t first, int64_t count, Partial& partial, float* wanted,
                        const LogSum* known) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int64_t end = first + count;
  if (request.logits != nullptr) words.Store(logits, first, count, request.logits);
  if (request.scale != 1.0F) {
    for (int64_t c = 0; c < count; ++c) logits[c] *= request.scale;
  }
  const auto strike = [&](const IdList& list) {
    words.ForEachWithin(list, first, end,
                        [&](int32_t, int64_t column) { logits[column] = -INFINITY; });
  };
  strike(request.excluded);
  if (request.mask_first) {
    for (const IdList& list : request.masked) strike(list);
  }
  words.ForEachWithin(request.wanted, first, end,
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
  // From here on a logit is only a candidate for the best tokens. Sets ids that must not be among
  // the best to -inf.
  if (!request.mask_first) {
    for (const IdList& list : request.masked) strike(list);
  }
  strike(request.wanted);
  ForCandidates(logits, count, partial.top, [&](int64_t column) {
    Insert(partial.top, {logits[column], words.WordOf(first + column)});
  });
  return sum;
}

}  // namespace dragoman::kernels::output_blocks
