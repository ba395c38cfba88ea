// Checks a model's path and computes the checksum of its files.
//
// Thread-safe. Reads the disk.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/load_context.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Checks that the path may lead to a model. NOT_FOUND if it does not exist. INVALID_ARGUMENT if it
// is neither a file nor a directory with files. UNAVAILABLE if the directory cannot be read.
absl::Status CheckModelPath(const std::string& path);

// Returns the SHA-256, in hexadecimal, of the files that were read for the model in `directory`, in
// the order of their names. It covers each file's name within the directory, its size and its
// bytes. The name of a package (a single file) counts as "". Reads at most the size that a file had
// when it was loaded. ABORTED if a file has another size or is no longer a regular file.
// UNAVAILABLE if a file cannot be read. CANCELLED once `load`, which may be nullptr, is given up.
absl::StatusOr<std::string> ChecksumOfModel(const engine::RecordedFiles& files,
                                            const std::string& directory,
                                            const engine::LoadContext* load);

// Returns the checksum of an ensemble: the SHA-256 of its members' checksums, in their order. With
// one directory the result is that of ChecksumOfModel.
absl::StatusOr<std::string> ChecksumOfModels(const engine::RecordedFiles& files,
                                             const std::vector<std::string>& directories,
                                             const engine::LoadContext* load);

std::vector<std::string> DirectoriesOf(const ModelSettings& settings);

// Checks the `directory` of a request. INVALID_ARGUMENT if the path is not absolute. "" means that
// the request has none, and is OK.
absl::Status CheckDirectory(const std::string& directory);

}  // namespace dragoman::server
