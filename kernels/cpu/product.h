// y = x W^T + bias in one of the CPU's number types, for the operations Linear and OutputLayer. x
// and y are f32 in every type. int8 and bfloat16 first convert the rows of x to operands.
//
// A row's result depends only on that row and the weights, however rows and columns are divided.
// Immutable after Create. Thread-safe, with separate operands for each thread.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/base/compute_type.h"
#include "kernels/base/matrix_rows.h"
#include "kernels/base/op_context.h"
#include "kernels/base/op_probe.h"
#include "kernels/cpu/quantized_table.h"

namespace dragoman::kernels::cpu {

// Rows of x in the form that a product reads. Valid as long as x and the memory given to Prepare.
struct Operand {
  const void* rows = nullptr;
  const float* scales = nullptr;
};

// Selected columns of a product, in memory of the caller that Select has filled.
struct SelectedColumns {
  const float* memory = nullptr;
  int64_t n = 0;
};

struct ProductArgs {
  Operand x;
  int64_t rows;
  float* y;  // where the first column of block_begin is written; row stride ldy
  int64_t ldy;
  bool relu;
  // y has room for the last block's columns up to padded_n(): write all of them.
  bool padded;
  int64_t block_begin;  // computes the blocks block_begin .. block_end - 1
  int64_t block_end;
  // REQUIRES Folds(), `padded` and no relu. y may then be nullptr: no result is stored.
  const ResultFold* fold = nullptr;
  // Only these columns are computed and counted in blocks. nullptr: all columns.
  const SelectedColumns* selected = nullptr;
};

class Product {
 public:
  // Columns of a block, the unit of division.
  static constexpr int64_t kBlockColumns = 96;
  // The number of selected columns is rounded up to a multiple of this, also in memory.
  static constexpr int64_t kSelectStep = 16;

  // Copies W [n, k] and bias [n] (nullptr: none), with the threads of `context`. `bias_padding` is
  // the bias of the columns that round n up. Returns nullptr if the type has no kernel.
  static std::unique_ptr<const Product> Create(OpContext& context, ComputeType type,
                                               const MatrixRows& weight, const float* bias,
                                               int64_t n, int64_t k, float bias_padding);
  virtual ~Product() = default;

  // Returns bytes() of a product of this shape, 0 if the type has no kernel.
  static int64_t BytesOf(ComputeType type, int64_t n, int64_t k);

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  static int64_t BlocksOf(int64_t columns) { return (columns + kBlockColumns - 1) / kBlockColumns; }
  int64_t blocks() const { return BlocksOf(n_); }
  virtual int64_t padded_n() const = 0;
  int64_t bytes() const { return bytes_; }

  // Writes row `row` of W to `x` [k], with the values that are multiplied.
  virtual void UnpackRow(int64_t row, float* x) const = 0;

  // Returns the floats for `count` selected columns, proportional to `count` rounded up to
  // kSelectStep; a multiple of 64 bytes.
  virtual size_t SelectedFloats(int64_t count) const = 0;

  // Copies columns to `memory` [SelectedFloats(count)], aligned to 64 bytes. Their results have the
  // same bits as without a selection. REQUIRES: ids [count], from 0 to n() - 1.
  virtual void Select(const int32_t* ids, int64_t count, float* memory) const = 0;

  // Returns the floats of memory for the operands of `rows` rows; 0 if x itself is the operand.
  virtual size_t OperandFloats(int64_t rows) const = 0;

  // Prepares the operands of x [rows, k], dense, in memory [OperandFloats(rows)], aligned to 64
  // bytes. Reports the conversion, if there is one, to `probe` (may be nullptr).
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
