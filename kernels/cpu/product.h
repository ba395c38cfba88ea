// The product y = x W^T + bias in one of the CPU's number types, for the operations Linear and
// OutputLayer. x and y are f32 in every type. In int8 and bfloat16 the rows of x are first
// converted to operands (quantized_table.h).
//
// A row's result depends only on that row and the weights, however rows and columns are divided
// among calls. Immutable after Create. Thread-safe, if each thread has operands of its own.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/base/compute_type.h"
#include "kernels/base/matrix_rows.h"
#include "kernels/base/op_context.h"
#include "kernels/base/op_probe.h"
#include "kernels/cpu/quantized_table.h"

namespace dragoman::kernels::cpu {

// Rows of x in the form that a product reads. Valid as long as x and the memory that Prepare was
// given are unchanged.
struct Operand {
  const void* rows = nullptr;
  const float* scales = nullptr;
};

// Columns that are selected from a product. `memory` is the caller's, filled by Select.
struct SelectedColumns {
  const float* memory = nullptr;
  int64_t n = 0;
};

struct ProductArgs {
  Operand x;
  int64_t rows;
  float* y;  // address of the first result of block number block_begin; row stride ldy
  int64_t ldy;
  bool relu;
  // Rows of y have room for the last block's columns up to padded_n(): write all of them.
  bool padded;
  int64_t block_begin;  // computes the blocks block_begin .. block_end - 1
  int64_t block_end;
  // Folds the results (ResultFold in quantized_table.h). y may then be nullptr, and no result is
  // stored. REQUIRES: Folds(), `padded` and not `relu`.
  const ResultFold* fold = nullptr;
  // If not nullptr, only these columns are computed, and the numbers of blocks refer to them.
  const SelectedColumns* selected = nullptr;
};

class Product {
 public:
  // The number of columns of a block. Callers divide the columns of a product into blocks.
  static constexpr int64_t kBlockColumns = 96;
  // The number of selected columns is rounded up to a multiple of this number, in memory and in y.
  static constexpr int64_t kSelectStep = 16;

  // Copies W [n, k] and bias [n] (nullptr: none) with the threads of `context`. `bias_padding` is
  // the bias of the columns that are added to round n up. Returns nullptr if the CPU has no kernel
  // of this type.
  static std::unique_ptr<const Product> Create(OpContext& context, ComputeType type,
                                               const MatrixRows& weight, const float* bias,
                                               int64_t n, int64_t k, float bias_padding);
  virtual ~Product() = default;

  // Returns what bytes() returns for a product of this shape; 0 if the CPU has no kernel of this
  // type.
  static int64_t BytesOf(ComputeType type, int64_t n, int64_t k);

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  static int64_t BlocksOf(int64_t columns) { return (columns + kBlockColumns - 1) / kBlockColumns; }
  int64_t blocks() const { return BlocksOf(n_); }
  virtual int64_t padded_n() const = 0;
  int64_t bytes() const { return bytes_; }

  // Writes row `row` of W to `x` as k f32 numbers. They are the numbers that a product multiplies,
  // so they may be rounded.
  virtual void UnpackRow(int64_t row, float* x) const = 0;

  // Returns the number of floats that `count` selected columns take. It is proportional to `count`
  // rounded up to kSelectStep, and amounts to a multiple of 64 bytes.
  virtual size_t SelectedFloats(int64_t count) const = 0;

  // Copies the `count` columns whose numbers are in `ids` to `memory`, which has room for
  // SelectedFloats(count) floats and is aligned to 64 bytes. Results of selected columns have the
  // same bits as without a selection. REQUIRES: ids are from 0 to n() - 1.
  virtual void Select(const int32_t* ids, int64_t count, float* memory) const = 0;

  // Returns the number of floats that the operands of `rows` rows take; 0 if x itself is the
  // operand.
  virtual size_t OperandFloats(int64_t rows) const = 0;

  // Converts `rows` rows of k numbers, one after the other at x, to operands in `memory`. `memory`
  // has room for OperandFloats(rows) floats and is aligned to 64 bytes. Reports the conversion to
  // `probe`, which may be nullptr.
  virtual Operand Prepare(const float* x, int64_t rows, float* memory, OpProbe* probe) const = 0;

  // Returns the operands from row `row` on.
  virtual Operand FromRow(const Operand& x, int64_t row) const = 0;

  // Returns the largest magnitude of the finite elements of the bias.
  float largest_bias() const { return largest_bias_; }

  virtual bool Folds() const = 0;

  virtual void Run(const ProductArgs& args) const = 0;

 protected:
  // bias [n], or nullptr.
  Product(ComputeType type, int64_t n, int64_t k, const float* bias);

 private:
  const int64_t n_;
  const int64_t k_;
  const int64_t bytes_;
  float largest_bias_ = 0.0F;
};

}  // namespace dragoman::kernels::cpu
