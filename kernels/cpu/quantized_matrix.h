// A weight matrix [n, k] in int8 or bfloat16, in the strips of quantized_table.h, with its bias. In
// int8 it also has the scale and the start of each column, which turn the column's exact sum into a
// result (QuantizedGemmArgs).
//
// Immutable. Owns its memory, aligned to 64 bytes, in large pages if the system provides them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/float_buffer.h"
#include "kernels/cpu/quantized_table.h"

namespace dragoman::kernels {
class MatrixRows;
class OpContext;
}  // namespace dragoman::kernels

namespace dragoman::kernels::cpu {

// Returns the number of 4-byte groups (quantized_table.h) of an operand row of k numbers. REQUIRES:
// type is kInt8 or kBFloat16.
int64_t GroupsOf(ComputeType type, int64_t k);

// The largest magnitude of int8 numbers in operand rows. The weights of a product have a limit of
// their own (WeightLimit).
inline constexpr int kRowLimit = 127;

// Returns the largest int8 magnitude for a column of k weights, with the instruction set in use. It
// is QuantizedTable::weight_limit. It is less if with that limit two neighbouring weights would add
// up to more than pair_limit.
int WeightLimit(const float* column, int64_t k);

enum class OperandUse { kRows, kWeights };

// Converts rows first .. first + count - 1 of a matrix with k columns to operands: `rows` gets
// `groups` groups for each row and, in int8, `scales` gets one scale for each row. Numbers that are
// stored as int8 are kept, except weights if weight_limit is below kRowLimit. `memory` is scratch
// for count * k floats. REQUIRES: type is kInt8 or kBFloat16.
void ReadOperandRows(ComputeType type, const MatrixRows& matrix, int64_t first, int64_t count,
                     int64_t k, int64_t groups, OperandUse use, float* memory, uint8_t* rows,
                     float* scales);

class QuantizedMatrix {
 public:
  // Copies `weight` and `bias` (nullptr: zeros) with the threads of `context`. `bias_padding` is
  // the bias of the columns that are added to round n up. REQUIRES: type is kInt8 or kBFloat16.
  QuantizedMatrix(OpContext& context, ComputeType type, const MatrixRows& weight, const float* bias,
                  int64_t n, int64_t k, float bias_padding);

  // Returns the number of bytes of one packed matrix of this shape.
  static int64_t BytesOf(ComputeType type, int64_t n, int64_t k);

  // The arrays that a product reads, for all columns or for selected ones.
  struct View {
    const uint8_t* strips;
    const float* bias;
    const float* scale;     // int8 only
    const int32_t* start;   // int8 only
    const uint16_t* order;  // QuantizedGemmArgs::order
    int64_t n;
  };
  View all() const {
    return {data(),  bias_.get(), scale_.get(), reinterpret_cast<const int32_t*>(start_.get()),
            order(), n_};
  }

  // Like Product::SelectedFloats and Product::Select (product.h).
  size_t SelectedFloats(int64_t count) const;
  void Select(const int32_t* ids, int64_t count, float* memory) const;
  // Returns the view of `count` selected columns in `memory`. REQUIRES: Select has filled `memory`.
  View Selected(const float* memory, int64_t count) const;

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  int64_t groups() const { return groups_; }
  int64_t order_stride() const;
  int64_t strips() const { return padded_n_ / kStripWidth; }

  // Writes row `row` of the matrix to `x`, as k f32 numbers.
  void UnpackRow(int64_t row, float* x) const;

 private:
  const uint8_t* data() const { return reinterpret_cast<const uint8_t*>(data_.get()); }
  const uint16_t* order() const { return reinterpret_cast<const uint16_t*>(order_.get()); }

  ComputeType type_;
  int64_t n_;
  int64_t k_;
  int64_t groups_;
  int64_t padded_n_;
  float bias_padding_;
  FloatBuffer data_;
  FloatBuffer bias_;
  FloatBuffer scale_;
  FloatBuffer start_;  // of int32_t
  FloatBuffer order_;  // of uint16_t
};

}  // namespace dragoman::kernels::cpu
