// Reads what is stored compressed: the parity fixtures.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace dragoman::engine {

// The decompressed bytes of a file. NOT_FOUND if it cannot be opened; DATA_LOSS if it cannot be
// read, is not gzip (which zlib by itself would take as it is), is cut short or damaged. The message
// begins with the path.
absl::StatusOr<std::string> ReadGzipFile(const std::string& path);

}  // namespace dragoman::engine
