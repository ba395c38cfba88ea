// y = x W^T + bias in one of the CPU's number types: what the operations Linear and OutputLayer
// compute with. x and y are f32 in every type; a narrower type turns rows of x into operands first.
//
// A row's result depends on that row and the weights only, however rows and columns are divided.
// Immutable after Create: any number of threads at once, each with operands of its own.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/base/compute_type.h"
#include "kernels/base/matrix_rows.h"
#include "kernels/base/op_context.h"
#include "kernels/base/op_probe.h"
#include "kernels/cpu/result_fold.h"

namespace dragoman::kernels::cpu {

// Rows of x as a product reads them; valid as long as x and the memory that they were made in.
struct Operand {
  const void* rows = nullptr;
  const float* scales = nullptr;
};

// Some columns of a product side by side, in memory of the caller: what Select has written there.
struct SelectedColumns {
  const float* memory = nullptr;
  int64_t n = 0;
};

struct ProductArgs {
  Operand x;
  int64_t rows;
  float* y;  // where the first column of block_begin goes; row stride ldy
  int64_t ldy;
  bool relu;
  // y has room for the columns of the last block up to padded_n(): write all of them.
  bool padded;
  int64_t block_begin;  // computes the blocks block_begin .. block_end - 1
  int64_t block_end;
  // REQUIRES of one: Folds(), padded, no relu. With one y may be nullptr: nothing is stored then.
  const ResultFold* fold = nullptr;
  // The columns to compute in place of all, and to count blocks of. nullptr: all.
  const SelectedColumns* selected = nullptr;
};

class Product {
 public:
  // Columns of a block, which is not divided further.
  static constexpr int64_t kBlockColumns = 96;
  // The number of selected columns is rounded up to a multiple of this, in memory too.
  static constexpr int64_t kSelectStep = 16;

  // Copies W [n, k] and bias [n] (nullptr: none), with the threads of `context`. `bias_padding` is
  // the bias of the columns that round n up. nullptr: no kernel of this type.
  static std::unique_ptr<const Product> Create(OpContext& context, ComputeType type,
                                               const MatrixRows& weight, const float* bias,
                                               int64_t n, int64_t k, float bias_padding);
  virtual ~Product() = default;

  // bytes() of a product of this shape; 0: no kernel of this type.
  static int64_t BytesOf(ComputeType type, int64_t n, int64_t k);

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  static int64_t BlocksOf(int64_t columns) { return (columns + kBlockColumns - 1) / kBlockColumns; }
  int64_t blocks() const { return BlocksOf(n_); }
  virtual int64_t padded_n() const = 0;
  int64_t bytes() const { return bytes_; }

  // Row `row` of W to `x` [k], as it is multiplied with.
  virtual void UnpackRow(int64_t row, float* x) const = 0;

  // Floats of memory that `count` selected columns take, in proportion to `count` rounded up to
  // kSelectStep; a multiple of 64 bytes.
  virtual size_t SelectedFloats(int64_t count) const = 0;

  // Copies columns to `memory` [SelectedFloats(count)], 64-byte aligned: a result of theirs has the
  // bits that it has among all. REQUIRES: ids [count], from 0 to n() - 1.
  virtual void Select(const int32_t* ids, int64_t count, float* memory) const = 0;

  // Floats of memory that the operands of so many rows take; 0 where x itself is the operand.
  virtual size_t OperandFloats(int64_t rows) const = 0;

  // x [rows, k] dense; memory [OperandFloats(rows)], 64-byte aligned. `probe` (may be nullptr) is
  // told of the preparation where there is any.
  virtual Operand Prepare(const float* x, int64_t rows, float* memory, OpProbe* probe) const = 0;

  // The operands from a row on.
  virtual Operand FromRow(const Operand& x, int64_t row) const = 0;

  // The largest magnitude among the finite elements of the bias.
  float largest_bias() const { return largest_bias_; }

  // Whether Run takes a fold.
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
