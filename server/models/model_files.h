// The files of a model's directory, as a checksum.
//
// Thread-safe. Reads the disk.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace dragoman {

// SHA-256, in hexadecimal, over the regular files of the directory in the order of their names, for
// each its name, its size and its bytes; hidden files and folders are left out. NOT_FOUND: there is
// no such directory. INVALID_ARGUMENT: it is none, or has no file. UNAVAILABLE: a file cannot be
// read, and why.
absl::StatusOr<std::string> ChecksumOfFiles(const std::string& directory);

// What changes when a file of it is written, replaced or taken away, without reading it: names,
// sizes, times of change, inodes. Errors as above.
absl::StatusOr<std::string> StampOfFiles(const std::string& directory);

}  // namespace dragoman
