// Reads gzip files, such as the parity fixtures.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace dragoman::engine {

// Returns a file's decompressed bytes. NOT_FOUND: it cannot be opened. DATA_LOSS: it cannot be
// read, is not gzip (zlib alone would accept it), truncated or damaged. Messages have the path
// first.
absl::StatusOr<std::string> ReadGzipFile(const std::string& path);

}  // namespace dragoman::engine
