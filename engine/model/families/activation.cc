#include "engine/model/families/activation.h"

#include "engine/base/concat.h"

namespace dragoman {
namespace {

// Without those that have weights of their own (prelu, xielu).
struct NamedActivation {
  std::string_view name;
  Activation activation;
};
constexpr NamedActivation kActivations[] = {
    {"swish", Activation::kSwish},
    {"silu", Activation::kSwish},
    {"relu", Activation::kRelu},
    {"gelu", Activation::kGelu},
    {"gelu_python", Activation::kGelu},
    {"gelu_new", Activation::kGeluTanh},
    {"gelu_fast", Activation::kGeluTanh},
    {"gelu_accurate", Activation::kGeluTanh},
    {"gelu_pytorch_tanh", Activation::kGeluTanh},
    {"gelu_python_tanh", Activation::kGeluTanh},
    {"gelu_10", Activation::kGeluClipped},
    {"quick_gelu", Activation::kQuickGelu},
    {"mish", Activation::kMish},
    {"leaky_relu", Activation::kLeakyRelu},
    {"relu6", Activation::kRelu6},
    {"relu2", Activation::kReluSquared},
    {"sigmoid", Activation::kSigmoid},
    {"tanh", Activation::kTanh},
    {"laplace", Activation::kLaplace},
    {"linear", Activation::kNone},
};

}  // namespace

std::optional<Activation> FindActivation(std::string_view name) {
  for (const NamedActivation& candidate : kActivations) {
    if (name == candidate.name) return candidate.activation;
  }
  return std::nullopt;
}

std::string ActivationNames() {
  std::string names;
  for (const NamedActivation& one : kActivations) {
    names += Concat(names.empty() ? "" : ", ", one.name);
  }
  return names;
}

}  // namespace dragoman
