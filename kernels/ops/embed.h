// y[r] = scale * table[token[r]] + position_table[position[r]].
//
//   table [vocabulary, d], position_table [positions, d] (nullptr: none added), y [rows, d], dense;
//   f32, on a device of the compute type, but for position_table, which is f32. On the CPU the table
//   is narrow where products are, and y is f32.
//   A token of -1 stands for a zero embedding (the position is still added).
// REQUIRES: -1 <= token < vocabulary and 0 <= position < positions; the caller checks.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/float_buffer.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"

namespace dragoman {

// A table in the CPU's memory, borrowed.
struct EmbeddingTable {
  // In f32: [vocabulary, d] dense.
  explicit EmbeddingTable(const float* table, int d)
      : EmbeddingTable(ComputeType::kFloat32, table, nullptr, d, int64_t{d} * 4) {}
  EmbeddingTable(ComputeType t, const void* r, const float* s, int width, int64_t bytes)
      : type(t), rows(r), scales(s), d(width), row_bytes(bytes) {}

  ComputeType type;
  const void* rows;
  const float* scales;  // int8: [vocabulary]
  int d;
  int64_t row_bytes;
};

// One in int8 or bfloat16, which are the operand rows of kernels/cpu/narrow_table.h. Immutable.
class NarrowEmbedding {
 public:
  // Copies table [vocabulary, d], with the threads of `context`. REQUIRES: type is kInt8 or
  // kBFloat16.
  NarrowEmbedding(OpContext& context, ComputeType type, const float* table, int64_t vocabulary,
                  int d);

  EmbeddingTable view() const {
    return {type_, rows_.get(), scales_.get(), d_, groups_ * kGroupBytes};
  }
  int64_t bytes() const { return vocabulary_ * (groups_ * kGroupBytes + int64_t{4}); }

 private:
  static constexpr int64_t kGroupBytes = 4;

  ComputeType type_;
  int64_t vocabulary_;
  int d_;
  int64_t groups_;
  cpu::FloatBuffer rows_;
  cpu::FloatBuffer scales_;
};

void EmbedTokens(OpContext& context, const EmbeddingTable& table, const float* position_table,
                 float scale, const int32_t* token, const int32_t* position, int64_t rows,
                 float* y);

namespace cuda {

// `count` (nullptr: rows) says how many of the rows are there; the others of y keep what they hold.
// REQUIRES: d is a multiple of 8; the tables and y are aligned to 16 bytes.
Error EmbedTokens(Stream stream, ComputeType type, const void* table, const float* position_table,
                  float scale, const int32_t* token, const int32_t* position, int64_t rows,
                  const int32_t* count, int d, void* y);

}  // namespace cuda
}  // namespace dragoman
