// The output layer: logits = hidden W^T + bias, folded per row into what a beam step needs. The
// logits are never stored: a tile of a few rows and columns lives in cache and is folded at once.
//
//   hidden [rows, d], W [vocabulary, d], bias [vocabulary]; f32, dense
//
// A row's fold depends on that row, its query and the weights only: bit-equal whatever rows are
// beside it, for any number of rows and threads.
//
// Immutable after Create: any number of threads may Fold at once, each with a context of its own.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/decide/fold.h"
#include "kernels/ops/op_context.h"

namespace dragoman {

inline constexpr int kMaxTopK = 64;

// What is asked of a row. The lists are sorted, ascending, without repeats, and borrowed for the
// call. An id may be in several of them: a banned wanted id is looked up all the same.
struct RowQuery {
  int32_t k = 0;  // best tokens wanted, 0 .. kMaxTopK
  bool need_normaliser =
      false;  // without it RowFold::normaliser is left empty, and exp is not paid
  const int32_t* wanted = nullptr;  // ids whose logits are handed back
  int32_t wanted_count = 0;
  const int32_t* banned = nullptr;  // never among the best; part of the normaliser
  int32_t banned_count = 0;
  const int32_t* excluded = nullptr;  // logit -inf before the softmax: in neither
  int32_t excluded_count = 0;
};

// What a row gives. `top` and `wanted` are the caller's memory: query.k and query.wanted_count
// entries. Log-probability of a logit x: LogProb(x, normaliser).
struct RowFold {
  LogSum normaliser;          // of all logits but the excluded; max = -inf when there is none
  bool nan = false;           // a logit was NaN or +inf: the rest of this fold means nothing
  int32_t count = 0;          // entries of `top`: fewer than k when fewer are above -inf
  TokenScore* top = nullptr;  // logits, best first, ties by the lower token
  float* wanted = nullptr;    // logits in the order of query.wanted; -inf when excluded
};

class OutputLayer {
 public:
  // Copies weight and bias (nullptr: none). Bias may hold -inf. REQUIRES: d, vocabulary > 0.
  static std::unique_ptr<OutputLayer> Create(const float* weight, const float* bias, int d,
                                             int vocabulary);
  virtual ~OutputLayer() = default;

  // Prepares `context` for every number of rows up to max_rows: later Folds allocate nothing.
  virtual void Warm(OpContext& context, int64_t max_rows) const = 0;

  // queries, folds [rows].
  virtual void Fold(OpContext& context, const float* hidden, int64_t rows, const RowQuery* queries,
                    RowFold* folds) const = 0;

  int d() const { return d_; }
  int vocabulary() const { return vocabulary_; }

 protected:
  OutputLayer(int d, int vocabulary) : d_(d), vocabulary_(vocabulary) {}

 private:
  const int d_;
  const int vocabulary_;
};

}  // namespace dragoman
