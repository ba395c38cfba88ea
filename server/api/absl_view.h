// Converts text for Abseil, because Debian's build of Abseil has a string_view of its own.
#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace dragoman::server {

inline absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace dragoman::server
