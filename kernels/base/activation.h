// The activations of a feed-forward layer.
#pragma once

namespace dragoman::kernels {

enum class Activation {
  kNone,
  kRelu,
  kGelu,         // exact: x * (1 + erf(x / sqrt 2)) / 2
  kSwish,        // x * sigmoid(x)
  kGeluTanh,     // x * (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
  kGeluClipped,  // exact GELU, clipped to [-10, 10]
  kQuickGelu,    // x * sigmoid(1.702 x)
  kMish,         // x * tanh(log(1 + exp(x)))
  kLeakyRelu,    // x; 0.01 x if x is negative
  kRelu6,        // x clipped to [0, 6]
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

// Reports whether the kernels of matrix products also compute this activation. All other
// activations take a separate pass over the product's results.
constexpr bool IsOfProduct(Activation activation) {
  return activation == Activation::kNone || activation == Activation::kRelu;
}

}  // namespace dragoman::kernels
