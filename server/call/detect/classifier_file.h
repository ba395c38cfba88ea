// The file of a classifier of languages, which is known by its SHA-256.
//
// fastText trusts every length and index in a file, and would end the process over one that was cut off or
// overwritten. The bytes that are checked are the bytes that it loads. Thread-safe. Sizes are bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman::server {

// Reads a regular file of at most `most` bytes. INVALID_ARGUMENT for one that cannot be read or is not
// regular, RESOURCE_EXHAUSTED for a larger one; neither names the path.
absl::StatusOr<std::string> ReadClassifierFile(const std::string& path, int64_t most);

// Checks that the bytes have this SHA-256, in lower hexadecimal digits; "": that they are fastText's lid.176,
// the file .ftz or .bin. INVALID_ARGUMENT says which SHA-256 was found and what was expected.
absl::Status CheckClassifier(std::string_view bytes, const std::string& sha256);

}  // namespace dragoman::server
