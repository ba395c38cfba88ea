// Activations by the names of transformers' ACT2FN. Constants and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/base/activation.h"

namespace dragoman {

// Nothing for an activation that is not supported.
std::optional<Activation> FindActivation(std::string_view name);

// The names of the supported activations, separated by commas.
std::string ActivationNames();

}  // namespace dragoman
