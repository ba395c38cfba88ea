#include "engine/model/families/family.h"

#include <charconv>
#include <system_error>

#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

// The activations of transformers, except those that have weights (prelu, xielu).
struct NamedActivation {
  std::string_view name;
  kernels::Activation activation;
};
constexpr NamedActivation kActivations[] = {
    {"swish", kernels::Activation::kSwish},
    {"silu", kernels::Activation::kSwish},
    {"relu", kernels::Activation::kRelu},
    {"gelu", kernels::Activation::kGelu},
    {"gelu_python", kernels::Activation::kGelu},
    {"gelu_new", kernels::Activation::kGeluTanh},
    {"gelu_fast", kernels::Activation::kGeluTanh},
    {"gelu_accurate", kernels::Activation::kGeluTanh},
    {"gelu_pytorch_tanh", kernels::Activation::kGeluTanh},
    {"gelu_python_tanh", kernels::Activation::kGeluTanh},
    {"gelu_10", kernels::Activation::kGeluClipped},
    {"quick_gelu", kernels::Activation::kQuickGelu},
    {"mish", kernels::Activation::kMish},
    {"leaky_relu", kernels::Activation::kLeakyRelu},
    {"relu6", kernels::Activation::kRelu6},
    {"relu2", kernels::Activation::kReluSquared},
    {"sigmoid", kernels::Activation::kSigmoid},
    {"tanh", kernels::Activation::kTanh},
    {"laplace", kernels::Activation::kLaplace},
    {"linear", kernels::Activation::kNone},
};

}  // namespace

// One entry for each file of a family. Error messages name the families in this order.
extern const Family kMarian, kM2m100, kMbart, kBart, kPegasus, kFsmt, kT5, kMt5, kUmt5;
constexpr const Family* kFamilies[] = {&kMarian, &kM2m100, &kMbart, &kBart, &kPegasus,
                                       &kFsmt,   &kT5,     &kMt5,   &kUmt5};

const Family* FindFamily(std::string_view model_type) {
  for (const Family* family : kFamilies) {
    if (family->model_type == model_type) return family;
  }
  return nullptr;
}

bool IsByTransformers5(const JsonFields& fields) {
  const nlohmann::json* version = fields.Find("transformers_version");
  if (version == nullptr || !version->is_string()) return false;
  const auto& text = version->get_ref<const std::string&>();
  int major = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), major);
  return error == std::errc() && major >= 5;
}

std::string FamilyNames() {
  std::string names;
  for (const Family* family : kFamilies) {
    if (!names.empty()) names += ", ";
    names += family->model_type;
  }
  return names;
}

std::optional<kernels::Activation> FindActivation(std::string_view name) {
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

}  // namespace dragoman::engine
