// y[r] = scale * table[token[r]] + position_table[position[r]].
//
//   table [vocabulary, d], position_table [positions, d] (nullptr: none added), y [rows, d], dense;
//   f32, on a device of the compute type, but for position_table, which is f32.
//   A token of -1 stands for a zero embedding (the position is still added).
// REQUIRES: -1 <= token < vocabulary and 0 <= position < positions; the caller checks.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/op_context.h"
#include "kernels/cuda/launch.h"

namespace dragoman {

void EmbedTokens(OpContext& context, const float* table, const float* position_table, float scale,
                 const int32_t* token, const int32_t* position, int64_t rows, int d, float* y);

namespace cuda {

// `count` (nullptr: rows) says how many of the rows are there; the others of y keep what they hold.
// REQUIRES: d is a multiple of 8; the tables and y are aligned to 16 bytes.
Error EmbedTokens(Stream stream, ComputeType type, const void* table, const float* position_table,
                  float scale, const int32_t* token, const int32_t* position, int64_t rows,
                  const int32_t* count, int d, void* y);

}  // namespace cuda
}  // namespace dragoman
