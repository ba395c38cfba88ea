// The files of a model, as a checksum: those of its directory, or the one that is a package.
//
// Thread-safe. Reads the disk.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman {

// SHA-256, in hexadecimal, over the regular files of the directory in the order of their names, for
// each its name, its size and its bytes; hidden files and folders are left out, but for model/ beside
// a metadata.json (an Argos package). A package that is a file has no name there. NOT_FOUND: there is
// no such directory. INVALID_ARGUMENT: it is none, or has no file. UNAVAILABLE: a file cannot be
// read, and why.
absl::StatusOr<std::string> ChecksumOfFiles(const std::string& directory);

// Of several directories: with one as above, else SHA-256 over the checksums of each, in their order.
absl::StatusOr<std::string> ChecksumOfFiles(const std::vector<std::string>& directories);

// By a file's path, what changes when it is written or replaced, without reading it: size, times of
// change, inode.
using FileStamps = std::map<std::string, std::string>;
// Errors as above.
absl::StatusOr<FileStamps> StampsOfFiles(const std::vector<std::string>& directories);

// The first file that was written, replaced, added or taken away between the two; "" if none was.
std::string FirstChanged(const FileStamps& before, const FileStamps& after);

}  // namespace dragoman
