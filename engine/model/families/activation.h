// Activations by the names of transformers' ACT2FN. Constants and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/base/activation.h"

namespace dragoman {

// Nothing for one that is not served.
std::optional<Activation> FindActivation(std::string_view name);

// Those that are, separated by commas.
std::string ActivationNames();

}  // namespace dragoman
