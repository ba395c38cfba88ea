// Text for functions of abseil: Debian's is built with a string_view of its own.
#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace dragoman::server {

inline absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace dragoman::server
