// The texts that a load run sends.
#pragma once

#include <deque>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman::client {

// Returns the non-empty lines of a file. Returns INVALID_ARGUMENT if there are none, a line is too
// long or not UTF-8, or the file is larger than 1 GiB.
absl::StatusOr<std::deque<std::string>> ReadLoadTexts(const std::string& path);

// Orders the texts so that any 64 consecutive texts have about the mean length of all texts. The
// measurement of a large model may translate only 64 texts. In a random order, their mean length
// would be wrong by a tenth. The order depends only on the lengths.
void SpreadLengths(std::deque<std::string>* texts);

}  // namespace dragoman::client
