#include "tests/gpu/ptx/approximations.h"

#include <cmath>

namespace dragoman::ptx {

float FlushSubnormal(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}

float PowerOfTwo(float x) { return static_cast<float>(std::exp2(static_cast<double>(x))); }

float Reciprocal(float x) { return 1.0F / x; }

}  // namespace dragoman::ptx
