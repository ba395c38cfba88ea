// The texts with which a server is loaded.
#pragma once

#include <deque>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman::client {

// The lines of a file but for empty ones. INVALID_ARGUMENT where there is none, one is too long or
// not UTF-8, or the file is larger than 1 GiB.
absl::StatusOr<std::deque<std::string>> ReadLoadTexts(const std::string& path);

// Puts the texts into an order in which any 64 that follow each other are about as long on average
// as all of them: a measurement of a large model translates no more, and in a random order their
// mean would be off by a tenth. The same lengths always come in the same order.
void SpreadLengths(std::deque<std::string>* texts);

}  // namespace dragoman::client
