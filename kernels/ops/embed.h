// Embeds tokens: y[r] = scale * table[token[r]] + positions[position[r]].
//
//   table [vocabulary, d], positions [positions, d] (nullptr: none added), y [rows, d], dense; f32.
//   On a device table and y are of the compute type. On the CPU the table is quantized if the
//   model's products are. The token -1 has an embedding of zeros, to which the position is added.
//   No position is added to the token PositionTable::unplaced.
//
// REQUIRES: -1 <= token < vocabulary and 0 <= position < positions. The operation does not check
// this.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/float_buffer.h"
#include "kernels/base/matrix_rows.h"
#include "kernels/base/no_token.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

// The position embeddings; borrowed. A pointer converts to a PositionTable that adds a position to
// every token.
struct PositionTable {
  PositionTable(const float* table, int32_t unplaced_token = kNoToken)  // NOLINT: as a pointer
      : rows(table), unplaced(unplaced_token) {}

  const float* rows;  // [positions, d]; nullptr: none
  int32_t unplaced;   // the token without a position
};

// A table [vocabulary, d] in the CPU's memory. Immutable; any thread may call Row.
class EmbeddingTable {
 public:
  explicit EmbeddingTable(int d) : d_(d) {}
  virtual ~EmbeddingTable() = default;
  EmbeddingTable(const EmbeddingTable&) = delete;
  EmbeddingTable& operator=(const EmbeddingTable&) = delete;

  // Returns the row of a token as d f32 numbers. If the table does not contain them in this form,
  // writes them to `memory` and returns `memory`.
  virtual const float* Row(int32_t token, float* memory) const = 0;
  int d() const { return d_; }

 private:
  const int d_;
};

// A table in f32, dense and borrowed.
class FloatEmbedding final : public EmbeddingTable {
 public:
  FloatEmbedding(const float* table, int d) : EmbeddingTable(d), table_(table) {}
  const float* Row(int32_t token, float* /*memory*/) const override {
    return table_ + int64_t{token} * d();
  }

 private:
  const float* const table_;
};

// A table in int8 or bfloat16, as operand rows of kernels/cpu/quantized_table.h.
class QuantizedEmbedding final : public EmbeddingTable {
 public:
  // Copies table [vocabulary, d] with `context`'s threads. REQUIRES: type is kInt8 or kBFloat16.
  QuantizedEmbedding(OpContext& context, ComputeType type, const MatrixRows& table,
                     int64_t vocabulary, int d);

  const float* Row(int32_t token, float* memory) const override;
  // Returns the number of bytes that a table of this shape takes.
  static int64_t BytesOf(ComputeType type, int64_t vocabulary, int d);

 private:
  const ComputeType type_;
  const int64_t groups_;
  const cpu::FloatBuffer rows_;
  const cpu::FloatBuffer scales_;  // int8: [vocabulary]
};

void EmbedTokens(OpContext& context, const EmbeddingTable& table, PositionTable positions,
                 float scale, const int32_t* token, const int32_t* position, int64_t rows,
                 float* y);

namespace cuda {

// EmbedTokens on a device, for rows [0, *count), or for all rows if count is nullptr. Other rows of
// y do not change. REQUIRES: d is a multiple of 8; the tables and y are aligned to 16 bytes.
Error EmbedTokens(Stream stream, ComputeType type, const void* table, PositionTable positions,
                  float scale, const int32_t* token, const int32_t* position, int64_t rows,
                  const int32_t* count, int d, void* y);

}  // namespace cuda
}  // namespace dragoman::kernels
