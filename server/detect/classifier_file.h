// A file of fastText's, checked before fastText reads it: the library trusts every length and index
// in a file, and would end the process over one that was cut off, overwritten or made to do so.
//
// Pure functions but for the reading of the file; thread-safe. Sizes are bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman {

// All of a regular file, which has at most `most` bytes. INVALID_ARGUMENT for one that cannot be
// read or is not regular, RESOURCE_EXHAUSTED for a larger one; neither names the path.
absl::StatusOr<std::string> ReadClassifierFile(const std::string& path, int64_t most);

// The most memory that fastText holds after it has loaded these bytes. INVALID_ARGUMENT, with what
// was found and expected, unless they are a whole supervised model of fastText's versions 11 or 12
// (.bin or .ftz) whose lengths and indices fit together and whose numbers are finite.
absl::StatusOr<int64_t> CheckClassifier(std::string_view bytes);

}  // namespace dragoman
