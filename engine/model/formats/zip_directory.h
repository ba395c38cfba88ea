// Where the entries of a zip archive lie. Those that are stored uncompressed, as PyTorch and numpy
// write them, can be read in place; for others see zip_entry.h.
//
// Checksums are not verified here. Immutable; the spans borrow the archive's bytes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dragoman {

struct ZipEntry {
  std::span<const uint8_t> stored;  // its bytes in the archive
  uint64_t size = 0;                // what they are when they are decompressed
  uint32_t crc = 0;                 // of those
  uint16_t method = 0;              // of compression: 0 none, 8 deflate
  bool is_encrypted = false;
};
using ZipEntries = std::map<std::string, ZipEntry, std::less<>>;

// Zip64 is understood. INVALID_ARGUMENT naming `file` (and the entry) for what is no zip archive,
// is cut short, or has an entry that is out of bounds or there twice.
absl::StatusOr<ZipEntries> ReadZipEntries(std::span<const uint8_t> bytes, std::string_view file);

using ZipDirectory = std::map<std::string, std::span<const uint8_t>, std::less<>>;

// The same of an archive that stores all of them: INVALID_ARGUMENT for one that is compressed or
// encrypted.
absl::StatusOr<ZipDirectory> ReadZipDirectory(std::span<const uint8_t> bytes,
                                              std::string_view file);

}  // namespace dragoman
