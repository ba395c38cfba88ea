// A fold that a product applies to its results as they come out of its sums, beside or instead of
// storing them. The output layer's fold needs no logits in memory (kernels/ops/output_layer.h).
#pragma once

#include <cstdint>

namespace dragoman::kernels::cpu {

inline constexpr int kFoldLanes = 16;

struct FoundResult {
  float value;
  int32_t column;
};

// Memory of the caller; a product adds to what is there. A row's numbers depend on the row, the
// weights and the columns only: a lane takes its columns in ascending order.
struct ResultFold {
  // [rows][kFoldLanes]: exp(result), relative error below 3e-5 for |result| <= 80, is added to the
  // lane column % kFoldLanes. Not shifted by a maximum: results above 88.8 and NaN make a lane one
  // that is not finite.
  float* sums;
  // False: no exp, whose multiplications cost a product some of its rate. A lane then stays what it
  // is, but becomes NaN by a result that is NaN or +infinity.
  bool adds_exp;
  // [rows]: a result above it is found.
  const float* thresholds;
  const float* borders;  // [rows]: ExponentBelow(threshold, ..)
  // [rows][capacity], ascending columns; what is beyond capacity is counted only.
  FoundResult* found;
  int32_t* counts;  // [rows]
  int32_t capacity;
};

// Less than log2(exp(x)) for every x above the threshold, whatever rounding does to it. No finite
// bias is larger than `largest_bias`, in magnitude.
float ExponentBelow(float threshold, float largest_bias);

}  // namespace dragoman::kernels::cpu
