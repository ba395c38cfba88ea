// A weight matrix [n, k] in the panel layout of the GEMM loop (kernel_table.h), with its bias.
//
// Immutable; owns its memory, 64-byte aligned, in large pages where the system gives them.
#pragma once

#include <cstdint>

#include "kernels/base/float_buffer.h"
#include "kernels/cpu/kernel_table.h"

namespace dragoman {
class MatrixRows;
class OpContext;
}  // namespace dragoman

namespace dragoman::cpu {

class PackedMatrix {
 public:
  // Copies, with the threads of `context`. bias may be nullptr: zeros. `bias_padding` is the bias of
  // the columns that round n up.
  PackedMatrix(OpContext& context, const MatrixRows& weight, const float* bias, int64_t n,
               int64_t k, float bias_padding);

  // Of a matrix of this shape.
  static int64_t BytesOf(int64_t n, int64_t k);

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  // n rounded up to kPanelStep.
  int64_t padded_n() const { return padded_n_; }
  int64_t panels() const { return (n_ + kPanelWidth - 1) / kPanelWidth; }
  const float* data() const { return data_.get(); }
  const float* bias() const { return bias_.get(); }
  // Row `row` of the matrix to `x` [k].
  void UnpackRow(int64_t row, float* x) const;

 private:
  int64_t n_;
  int64_t k_;
  int64_t padded_n_;
  FloatBuffer data_;
  FloatBuffer bias_;
};

}  // namespace dragoman::cpu
