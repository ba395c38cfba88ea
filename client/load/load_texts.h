// The texts that a load run sends.
#pragma once

#include <deque>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman::client {

// Returns the non-empty lines of a file. INVALID_ARGUMENT if there are none, a line is too long or
// not UTF-8, or the file is larger than 1 GiB.
absl::StatusOr<std::deque<std::string>> ReadLoadTexts(const std::string& path);

// Orders the texts so that any 64 consecutive ones have about the average length of all. A
// measurement of a large model translates no more than 64, and in a random order their mean would
// be wrong by a tenth. The same lengths always get the same order.
void SpreadLengths(std::deque<std::string>* texts);

}  // namespace dragoman::client
