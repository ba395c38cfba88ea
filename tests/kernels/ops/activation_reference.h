// The activations in double: what the operations are held against.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/ops/activation.h"

namespace dragoman {

inline double ActivationReference(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return std::max(x, 0.0);
    case Activation::kGelu:
      return x * (1.0 + std::erf(x / std::sqrt(2.0))) / 2.0;
    case Activation::kSwish:
      return x / (1.0 + std::exp(-x));
  }
  return NAN;
}

}  // namespace dragoman
