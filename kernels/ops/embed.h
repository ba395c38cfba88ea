// y[r] = scale * table[token[r]] + position_table[position[r]].
//
//   table [vocabulary, d], position_table [positions, d] (nullptr: none added), y [rows, d]; f32.
//   A token of -1 stands for a zero embedding (the position is still added).
// REQUIRES: -1 <= token < vocabulary and 0 <= position < positions; the caller checks.
#pragma once

#include <cstdint>

#include "kernels/ops/op_context.h"

namespace dragoman {

void EmbedTokens(OpContext& context, const float* table, const float* position_table, float scale,
                 const int32_t* token, const int32_t* position, int64_t rows, int d, float* y);

}  // namespace dragoman
