// Where the entries of a zip archive lie, for archives that store them uncompressed, as PyTorch
// writes them: the bytes can then be read in place.
//
// Checksums are not verified. Immutable; the spans borrow the archive's bytes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dragoman {

using ZipDirectory = std::map<std::string, std::span<const uint8_t>, std::less<>>;

// Zip64 is understood. INVALID_ARGUMENT naming `file` (and the entry) for what is no zip archive,
// is cut short, or has an entry that is compressed, encrypted, out of bounds or there twice.
absl::StatusOr<ZipDirectory> ReadZipDirectory(std::span<const uint8_t> bytes,
                                              std::string_view file);

}  // namespace dragoman
