// The output layer: computes logits = hidden W^T + bias and folds them into the summary of each
// row. A tile of a few rows and columns is folded while it is in the cache. Logits are materialized
// only for rows that ask for them.
//
//   hidden [rows, d], W [vocabulary, d], bias [vocabulary]; f32, dense
//
// A row may be folded over a selection of the vocabulary, as if its request excluded all other
// words. The selection's weights are then read from a dense copy in the caller's memory.
//
// A row's summary depends only on that row, its request, its selection and the weights. It is
// bit-equal whatever the other rows are, for any number of rows and threads.
//
// Immutable after Create. Any number of threads may Fold at once, each with a context of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/base/compute_type.h"
#include "kernels/base/matrix_rows.h"
#include "kernels/base/op_context.h"
#include "kernels/ops/embed.h"
#include "kernels/search/row.h"

namespace dragoman::kernels {

namespace cpu {
class Product;
}  // namespace cpu

class OutputLayer {
 public:
  // The words that a row is folded over. Borrowed.
  struct Selection {
    IdList words;
    const float* memory = nullptr;  // the weights of these words, written by Select
  };

  // Copies `weight` (as `type`) and `bias` (nullptr: none; may contain -inf) with the threads of
  // `context` (nullptr: with the calling thread only). Returns nullptr if the CPU has no kernel of
  // this type. REQUIRES: d, vocabulary > 0.
  static std::unique_ptr<OutputLayer> Create(const MatrixRows& weight, const float* bias, int d,
                                             int vocabulary,
                                             ComputeType type = ComputeType::kFloat32,
                                             OpContext* context = nullptr);
  // Create for a weight [vocabulary, d] in memory.
  static std::unique_ptr<OutputLayer> Create(const float* weight, const float* bias, int d,
                                             int vocabulary,
                                             ComputeType type = ComputeType::kFloat32,
                                             OpContext* context = nullptr) {
    return Create(RowsInMemory(weight, d), bias, d, vocabulary, type, context);
  }
  virtual ~OutputLayer() = default;

  // Returns what bytes() returns for a layer of this shape.
  static int64_t BytesOf(ComputeType type, int d, int vocabulary);

  // Returns the number of floats of scratch that each thread needs for up to max_rows rows. After
  // OpContext::Reserve of that number, Folds of up to max_rows rows allocate nothing.
  virtual size_t ScratchFloats(int64_t max_rows) const = 0;

  // Computes the summaries of `rows` rows. `requests` and `summaries` have an entry for each row.
  virtual void Fold(OpContext& context, const float* hidden, int64_t rows,
                    const LogitRequest* requests, LogitSummary* summaries) const = 0;

  // SelectedFloats returns the number of floats that Select writes for `words` words. It is
  // proportional to the number of words rounded up to kSelectStep, and amounts to a multiple of 64
  // bytes.
  static constexpr int kSelectStep = 16;
  virtual size_t SelectedFloats(int64_t words) const = 0;

  // Copies the weights of the words to `memory`, which has room for SelectedFloats(words.count)
  // floats and is aligned to 64 bytes. REQUIRES: all words are in the vocabulary.
  virtual void Select(const IdList& words, float* memory) const = 0;

  // Like Fold, but folds each row over its selection. A logit has the same bits as in Fold. The
  // normaliser is the sum over the selection, in an order of its own. Words outside the selection
  // are -inf in LogitSummary::wanted and LogitRequest::logits. Adjacent rows with the same
  // selection are computed together. `selections` has an entry for each row; no selection is empty.
  // Needs as much scratch as Fold.
  virtual void FoldSelected(OpContext& context, const float* hidden, int64_t rows,
                            const Selection* const* selections, const LogitRequest* requests,
                            LogitSummary* summaries) const = 0;

  // Returns the number of bytes that the packed weights take.
  virtual int64_t bytes() const = 0;

  // Returns W as an embedding table, for models whose embeddings and output layer are one matrix.
  // The table borrows the packed weights.
  virtual const EmbeddingTable& table() const = 0;

  // Returns the product hidden W^T + bias, for callers that fold logits in another way
  // (output_mean.h).
  virtual const cpu::Product& product() const = 0;

  int d() const { return d_; }
  int vocabulary() const { return vocabulary_; }

 protected:
  OutputLayer(int d, int vocabulary) : d_(d), vocabulary_(vocabulary) {}

 private:
  const int d_;
  const int vocabulary_;
};

}  // namespace dragoman::kernels
