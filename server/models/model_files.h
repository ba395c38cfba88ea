// The files that a model was made of, as a checksum.
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

// Whether there is something at the path that may be a model. NOT_FOUND: nothing is there.
// INVALID_ARGUMENT: neither a file nor a directory with files.
absl::Status CheckModelPath(const std::string& path);

// SHA-256, in hexadecimal, over the files that were read for the model in `directory`, in the order
// of their names: for each its name within the directory, its size and its bytes. A package, which
// is a file, has no name there. Read in pieces, no more than the size that each file had when it
// was loaded. ABORTED: one has another size now, or is not a regular file any more. UNAVAILABLE:
// one cannot be read, and why. CANCELLED once `load`, which may be nullptr, is given up.
absl::StatusOr<std::string> ChecksumOfModel(const engine::RecordedFiles& files,
                                            const std::string& directory,
                                            const engine::LoadContext* load);

// The checksum of an ensemble: SHA-256 over the checksums of its members, in their order. With one
// directory the same as ChecksumOfModel.
absl::StatusOr<std::string> ChecksumOfModels(const engine::RecordedFiles& files,
                                             const std::vector<std::string>& directories,
                                             const engine::LoadContext* load);

// The directory of a model, or those of the members of an ensemble.
std::vector<std::string> DirectoriesOf(const ModelSettings& settings);

// INVALID_ARGUMENT: `directory` of a request ("": none) is not absolute.
absl::Status CheckDirectory(const std::string& directory);

}  // namespace dragoman::server
