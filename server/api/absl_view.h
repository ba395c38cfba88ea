// Converts text for Abseil: Debian's build has its own string_view.
#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace dragoman::server {

inline absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace dragoman::server
