// The text of a configuration file, wherever it comes from: a regular file, or a pipe as the shell
// makes one of `<(...)`.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman {

inline constexpr size_t kMaxConfigBytes = size_t{1} << 20;

// INVALID_ARGUMENT names the path and what it is instead: not there, a directory, larger than
// kMaxConfigBytes, a pipe without a writer. Never waits longer than five seconds for bytes.
absl::StatusOr<std::string> ReadConfigFile(const std::string& path);

}  // namespace dragoman
