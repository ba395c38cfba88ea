// Device code for the activation functions that kernels/base/activation.h defines.
#pragma once

#include "kernels/base/activation.h"
#include "kernels/base/exponent.h"
#include "kernels/cuda/approximate.cuh"

namespace dragoman::kernels::cuda {

__device__ inline float ExactGelu(float x) { return 0.5F * x * (1.0F + erff(x * 0.707106781F)); }

// Exp returns exp(x), Ratio returns x / y, for a result that is rounded to T afterwards. For a
// 16-bit T both are approximations, which take a fifth of the instructions. The error after
// rounding is then at most 0.503 ulp; exact functions would give 0.5 ulp.
template <class T>
__device__ float Exp(float x) {
  if constexpr (sizeof(T) == 2) {
    return PowerOfTwo(kLog2OfE * x);
  } else {
    return expf(x);
  }
}
template <class T>
__device__ float Ratio(float x, float y) {
  if constexpr (sizeof(T) == 2) {
    return x * Reciprocal(y);
  } else {
    return x / y;
  }
}

// Applies the activation to a number that is rounded to T afterwards. Keeps NaN: the code compares
// instead of calling fminf and fmaxf, which would drop a NaN.
template <Activation kActivation, class T>
__device__ float Apply(float x) {
  if constexpr (kActivation == Activation::kNone) {
    return x;
  } else if constexpr (kActivation == Activation::kRelu) {
    return x < 0.0F ? 0.0F : x;
  } else if constexpr (kActivation == Activation::kGelu) {
    return ExactGelu(x);
  } else if constexpr (kActivation == Activation::kGeluTanh) {
    // x (1 + tanh(u)) / 2 is x sigmoid(2 u), with u = 0.798 (x + 0.0447 x^3).
    return Ratio<T>(x, 1.0F + Exp<T>(-2.0F * 0.7978845608F * x * (1.0F + 0.044715F * x * x)));
  } else if constexpr (kActivation == Activation::kGeluClipped) {
    const float y = ExactGelu(x);
    return y < -10.0F ? -10.0F : (y > 10.0F ? 10.0F : y);
  } else if constexpr (kActivation == Activation::kQuickGelu) {
    return Ratio<T>(x, 1.0F + Exp<T>(-1.702F * x));
  } else if constexpr (kActivation == Activation::kMish) {
    // With e = exp(x): tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2). From x = 20 on this is 1 in
    // f32.
    const float e = Exp<T>(x > 20.0F ? 20.0F : x);
    const float n = e * (e + 2.0F);
    return x * Ratio<T>(n, n + 2.0F);
  } else if constexpr (kActivation == Activation::kLeakyRelu) {
    return x < 0.0F ? 0.01F * x : x;
  } else if constexpr (kActivation == Activation::kRelu6) {
    return x < 0.0F ? 0.0F : (x > 6.0F ? 6.0F : x);
  } else if constexpr (kActivation == Activation::kReluSquared) {
    return x < 0.0F ? 0.0F : x * x;
  } else if constexpr (kActivation == Activation::kSigmoid) {
    return Ratio<T>(1.0F, 1.0F + Exp<T>(-x));
  } else if constexpr (kActivation == Activation::kTanh) {
    return tanhf(x);
  } else if constexpr (kActivation == Activation::kLaplace) {
    return 0.5F * (1.0F + erff((x - 0.707107F) * 2.50663092F));  // 2.5066 = 1 / (0.282095 sqrt 2)
  } else {
    static_assert(kActivation == Activation::kSwish);
    return Ratio<T>(x, 1.0F + Exp<T>(-x));
  }
}

template <Activation kActivation>
struct ActivationIs {
  static constexpr Activation kValue = kActivation;
};

// Calls run(ActivationIs<activation>{}).
template <class Run>
auto ForActivation(Activation activation, Run run) {
  switch (activation) {
    case Activation::kRelu:
      return run(ActivationIs<Activation::kRelu>{});
    case Activation::kGelu:
      return run(ActivationIs<Activation::kGelu>{});
    case Activation::kSwish:
      return run(ActivationIs<Activation::kSwish>{});
    case Activation::kGeluTanh:
      return run(ActivationIs<Activation::kGeluTanh>{});
    case Activation::kGeluClipped:
      return run(ActivationIs<Activation::kGeluClipped>{});
    case Activation::kQuickGelu:
      return run(ActivationIs<Activation::kQuickGelu>{});
    case Activation::kMish:
      return run(ActivationIs<Activation::kMish>{});
    case Activation::kLeakyRelu:
      return run(ActivationIs<Activation::kLeakyRelu>{});
    case Activation::kRelu6:
      return run(ActivationIs<Activation::kRelu6>{});
    case Activation::kReluSquared:
      return run(ActivationIs<Activation::kReluSquared>{});
    case Activation::kSigmoid:
      return run(ActivationIs<Activation::kSigmoid>{});
    case Activation::kTanh:
      return run(ActivationIs<Activation::kTanh>{});
    case Activation::kLaplace:
      return run(ActivationIs<Activation::kLaplace>{});
    case Activation::kNone:
      break;
  }
  return run(ActivationIs<Activation::kNone>{});
}

}  // namespace dragoman::kernels::cuda
