// Reads and verifies the file of a language classifier by its SHA-256.
//
// fastText trusts every length and index in a file, and a truncated or overwritten file would end
// the process. So the bytes that are loaded must be exactly those that were checked. Thread-safe.
// Sizes are bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman::server {

// Reads a regular file of at most `most` bytes. INVALID_ARGUMENT if the file cannot be read or is
// not regular, RESOURCE_EXHAUSTED if it is larger. Errors do not name the path.
absl::StatusOr<std::string> ReadClassifierFile(const std::string& path, int64_t most);

// Checks that the bytes have the SHA-256 `sha256` (lower-case hexadecimal). If `sha256` is "", they
// must have that of fastText's lid.176.ftz or lid.176.bin. INVALID_ARGUMENT has the expected and
// the found SHA-256.
absl::Status CheckClassifier(std::string_view bytes, const std::string& sha256);

}  // namespace dragoman::server
