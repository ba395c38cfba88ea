// The texts with which a server is loaded.
#pragma once

#include <deque>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman {

// The lines of a file but for empty ones. INVALID_ARGUMENT where there is none, one is too long or
// not UTF-8, or the file is larger than 1 GiB.
absl::StatusOr<std::deque<std::string>> ReadLoadTexts(const std::string& path);

}  // namespace dragoman
