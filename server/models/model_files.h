// The files of a model's directory, as a checksum.
//
// Thread-safe. Reads the disk.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman {

// SHA-256, in hexadecimal, over the regular files of the directory in the order of their names, for
// each its name, its size and its bytes; hidden files and folders are left out. NOT_FOUND: there is
// no such directory. INVALID_ARGUMENT: it is none, or has no file. UNAVAILABLE: a file cannot be
// read, and why.
absl::StatusOr<std::string> ChecksumOfFiles(const std::string& directory);

// By a file's name, what changes when it is written or replaced, without reading it: size, times of
// change, inode.
using FileStamps = std::map<std::string, std::string>;
// Errors as above.
absl::StatusOr<FileStamps> StampsOfFiles(const std::string& directory);

// The first file that was written, replaced, added or taken away between the two; "" if none was.
std::string FirstChanged(const FileStamps& before, const FileStamps& after);

}  // namespace dragoman
