// Which activation a feed-forward layer has.
#pragma once

namespace dragoman::kernels {

enum class Activation {
  kNone,
  kRelu,
  kGelu,         // exact: x * (1 + erf(x / sqrt 2)) / 2
  kSwish,        // x * sigmoid(x)
  kGeluTanh,     // x * (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
  kGeluClipped,  // the exact GELU, between -10 and 10
  kQuickGelu,    // x * sigmoid(1.702 x)
  kMish,         // x * tanh(log(1 + exp(x)))
  kLeakyRelu,    // x, 0.01 x where x is negative
  kRelu6,        // between 0 and 6
  kReluSquared,  // relu(x)^2
  kSigmoid,      // 1 / (1 + exp(-x))
  kTanh,
  kLaplace,  // (1 + erf((x - 0.707107) / (0.282095 sqrt 2))) / 2
};

inline constexpr Activation kAllActivations[] = {
    Activation::kNone,      Activation::kRelu,        Activation::kGelu,
    Activation::kSwish,     Activation::kGeluTanh,    Activation::kGeluClipped,
    Activation::kQuickGelu, Activation::kMish,        Activation::kLeakyRelu,
    Activation::kRelu6,     Activation::kReluSquared, Activation::kSigmoid,
    Activation::kTanh,      Activation::kLaplace};

// The products compute these two themselves; the others are a pass over what they have written.
constexpr bool IsOfProduct(Activation activation) {
  return activation == Activation::kNone || activation == Activation::kRelu;
}

}  // namespace dragoman::kernels
