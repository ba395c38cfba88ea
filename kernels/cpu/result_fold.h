// A fold that a product applies to its sums, in addition to storing results or instead. With it the
// output layer needs no materialized logits (kernels/ops/output_layer.h).
#pragma once

#include <cstdint>

namespace dragoman::kernels::cpu {

inline constexpr int kFoldLanes = 16;

struct FoundResult {
  float value;
  int32_t column;
};

// Memory of the caller, to which a product adds. A row's numbers depend only on the row, the
// weights and the columns: a lane takes its columns in ascending order.
struct ResultFold {
  // [rows][kFoldLanes]: exp(result) is added to lane column % kFoldLanes, with a relative error
  // below 3e-5 for |result| <= 80. Results above 88.8 (no maximum is subtracted) and NaN make it
  // not finite.
  float* sums;
  // False: adds no exp, whose multiplications slow a product down. A lane then keeps its value, but
  // becomes NaN if a result is NaN or +infinity.
  bool adds_exp;
  // [rows]: results above it are found.
  const float* thresholds;
  const float* borders;  // [rows]: ExponentBelow(threshold, ..)
  // [rows][capacity], in ascending columns. Results beyond the capacity are only counted.
  FoundResult* found;
  int32_t* counts;  // [rows]
  int32_t capacity;
};

// Returns a number below log2(exp(x)) for every x above the threshold, whatever rounding does. No
// finite bias has a magnitude above `largest_bias`.
float ExponentBelow(float threshold, float largest_bias);

}  // namespace dragoman::kernels::cpu
