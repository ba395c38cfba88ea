// The activations in double, as the reference for the operations.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/base/activation.h"

namespace dragoman::kernels {

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
    case Activation::kGeluTanh:
      // (1 + tanh(u)) / 2 = sigmoid(2 u), which stays accurate far below 0.
      return x / (1.0 + std::exp(-2.0 * std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::kGeluClipped:
      return std::clamp(ActivationReference(Activation::kGelu, x), -10.0, 10.0);
    case Activation::kQuickGelu:
      return x / (1.0 + std::exp(-1.702 * x));
    case Activation::kMish:
      return x * std::tanh(std::log1p(std::exp(x)));
    case Activation::kLeakyRelu:
      return x < 0.0 ? 0.01 * x : x;
    case Activation::kRelu6:
      return std::clamp(x, 0.0, 6.0);
    case Activation::kReluSquared:
      return x < 0.0 ? 0.0 : x * x;
    case Activation::kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kLaplace:
      return (1.0 + std::erf((x - 0.707107) / (0.282095 * std::sqrt(2.0)))) / 2.0;
  }
  return NAN;
}

}  // namespace dragoman::kernels
