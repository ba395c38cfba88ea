// Files of keys and certificates: small, read whole, and watched for changes.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman {

inline constexpr size_t kMaxSmallFileBytes = size_t{1} << 20;

// The contents of a regular file. INVALID_ARGUMENT names the path and what it is instead, or why it
// cannot be read.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// A stamp that changes when a file is written, replaced, or reached through another link, as
// Kubernetes does with mounted secrets; "" while the file does not exist.
std::string FileStamp(const std::string& path);

}  // namespace dragoman
