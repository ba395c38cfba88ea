// The output layer: logits = hidden W^T + bias, folded per row into what a beam step needs. A tile
// of a few rows and columns lives in cache and is folded at once; the logits are materialized for those
// rows only that ask for them.
//
//   hidden [rows, d], W [vocabulary, d], bias [vocabulary]; f32, dense
//
// A row may be folded over some words of the vocabulary alone, a selection: as if its request
// excluded all others. Their weights are beside each other then, in memory of the caller, which is
// read instead of all.
//
// A row's summary depends on that row, its request, its selection and the weights only: bit-equal
// whatever rows are beside it, for any number of rows and threads.
//
// Immutable after Create: any number of threads may Fold at once, each with a context of its own.
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
  // Borrowed.
  struct Selection {
    IdList words;
    const float* memory = nullptr;  // what Select made of them
  };

  // Copies weight and bias (nullptr: none), the weight as `type`, with the threads of `context`
  // (nullptr: the caller's alone). Bias may hold -inf. nullptr: the CPU has no kernel of this type.
  // REQUIRES: d, vocabulary > 0.
  static std::unique_ptr<OutputLayer> Create(const MatrixRows& weight, const float* bias, int d,
                                             int vocabulary,
                                             ComputeType type = ComputeType::kFloat32,
                                             OpContext* context = nullptr);
  // An OutputLayer of a weight in memory.
  static std::unique_ptr<OutputLayer> Create(const float* weight, const float* bias, int d,
                                             int vocabulary,
                                             ComputeType type = ComputeType::kFloat32,
                                             OpContext* context = nullptr) {
    return Create(RowsInMemory(weight, d), bias, d, vocabulary, type, context);
  }
  virtual ~OutputLayer() = default;

  // bytes() of one of this shape.
  static int64_t BytesOf(ComputeType type, int d, int vocabulary);

  // The scratch floats that a thread of a context needs for any number of rows up to max_rows: once
  // a context has Reserved them, Folds of so many rows allocate nothing.
  virtual size_t ScratchFloats(int64_t max_rows) const = 0;

  // requests, summaries [rows].
  virtual void Fold(OpContext& context, const float* hidden, int64_t rows,
                    const LogitRequest* requests, LogitSummary* summaries) const = 0;

  // Floats of memory of a selection, in proportion to its words rounded up to kSelectStep; a multiple
  // of 64 bytes.
  static constexpr int kSelectStep = 16;
  virtual size_t SelectedFloats(int64_t words) const = 0;

  // Copies the weights of the words to memory [SelectedFloats(words.count)], 64-byte aligned.
  // REQUIRES: words are of the vocabulary.
  virtual void Select(const IdList& words, float* memory) const = 0;

  // The same as Fold, each row over its selection. A logit has the bits that it has in the whole
  // vocabulary; the normaliser is the sum over the selection, in an order of its own. `wanted` is
  // -inf for other words, and so is LogitRequest::logits. Neighbouring rows of one selection are
  // computed together. selections [rows], none empty. Scratch as Fold's.
  virtual void FoldSelected(OpContext& context, const float* hidden, int64_t rows,
                            const Selection* const* selections, const LogitRequest* requests,
                            LogitSummary* summaries) const = 0;

  // Bytes of the packed weights.
  virtual int64_t bytes() const = 0;

  // W as a table to look embeddings up in, where they are one matrix: the packed weights serve both.
  // Borrowed.
  virtual const EmbeddingTable& table() const = 0;

  // The product that computes the logits, for callers that fold them in another way
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
