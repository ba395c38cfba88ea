// A weight matrix [n, k] in the panel layout of the GEMM loop (kernel_table.h), with its bias.
//
// Immutable. Owns its memory, aligned to 64 bytes, in large pages if the system provides them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/float_buffer.h"
#include "kernels/cpu/kernel_table.h"

namespace dragoman::kernels {
class MatrixRows;
class OpContext;
}  // namespace dragoman::kernels

namespace dragoman::kernels::cpu {

class PackedMatrix {
 public:
  // Copies `weight` and `bias` (nullptr: zeros) with the threads of `context`. `bias_padding` is
  // the bias of the columns that are added to round n up.
  PackedMatrix(OpContext& context, const MatrixRows& weight, const float* bias, int64_t n,
               int64_t k, float bias_padding);

  // Returns the number of bytes of one packed matrix of this shape.
  static int64_t BytesOf(int64_t n, int64_t k);

  // The arrays that a product reads, for all columns or for selected ones.
  struct View {
    const float* panels;
    const float* bias;
    int64_t n;
  };
  View all() const { return {data_.get(), bias_.get(), n_}; }

  // Like Product::SelectedFloats and Product::Select (product.h).
  size_t SelectedFloats(int64_t count) const;
  void Select(const int32_t* ids, int64_t count, float* memory) const;
  // Returns the view of `count` selected columns in `memory`. REQUIRES: Select has filled `memory`.
  View Selected(const float* memory, int64_t count) const;

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  // Returns n rounded up to kPanelStep.
  int64_t padded_n() const { return padded_n_; }
  int64_t panels() const { return (n_ + kPanelWidth - 1) / kPanelWidth; }
  // Writes row `row` of the matrix to `x`, as k numbers.
  void UnpackRow(int64_t row, float* x) const;

 private:
  int64_t n_;
  int64_t k_;
  int64_t padded_n_;
  float bias_padding_;
  FloatBuffer data_;
  FloatBuffer bias_;
};

}  // namespace dragoman::kernels::cpu
