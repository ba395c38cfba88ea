// A fold that a product applies to its results, in addition to storing them or instead of that. It
// takes the sum of exp(result) and finds the large results. So the output layer need not store
// logits (kernels/ops/output_layer.h).
#pragma once

#include <cstdint>

namespace dragoman::kernels::cpu {

inline constexpr int kFoldLanes = 16;

struct FoundResult {
  float value;
  int32_t column;
};

// Memory of the caller, to which a product adds. The numbers of a row depend only on the row, the
// weights and the columns. The order of a sum is fixed, because a lane takes its columns in
// ascending order.
struct ResultFold {
  // [rows][kFoldLanes]: exp(result) is added to lane column % kFoldLanes, with a relative error
  // below 3e-5 for |result| <= 80. No maximum is subtracted, so a result above 88.8 or NaN makes
  // the lane infinite or NaN.
  float* sums;
  // False: no exp is added, because the multiplications for exp slow a product down. Then a lane
  // keeps its value, but becomes NaN if a result is NaN or +infinity.
  bool adds_exp;
  // [rows]: a result above its row's threshold is written to `found`.
  const float* thresholds;
  const float* borders;  // [rows]: ExponentBelow(threshold, ..)
  // [rows][capacity], in ascending order of columns. If more results are found, they are only
  // counted.
  FoundResult* found;
  int32_t* counts;  // [rows]
  int32_t capacity;
};

// Returns a number that is below log2(exp(x)) for every x above the threshold, in spite of rounding
// errors. REQUIRES: no finite bias has a magnitude above `largest_bias`.
float ExponentBelow(float threshold, float largest_bias);

}  // namespace dragoman::kernels::cpu
