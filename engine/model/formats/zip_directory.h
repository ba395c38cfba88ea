// Finds the entries of a zip archive. Those that are stored uncompressed, as PyTorch and numpy write
// them, can be read in place; zip_entry.h decompresses the others.
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
  uint64_t size = 0;                // bytes when decompressed
  uint32_t crc = 0;                 // the CRC-32 of the decompressed bytes
  uint16_t method = 0;              // the method of compression: 0 none, 8 deflate
  bool is_encrypted = false;
};
using ZipEntries = std::map<std::string, ZipEntry, std::less<>>;

// Zip64 is understood. INVALID_ARGUMENT names `file` (and the entry) for bytes that are not a zip
// archive, are cut short, or have an entry that is out of bounds or there twice.
absl::StatusOr<ZipEntries> ReadZipEntries(std::span<const uint8_t> bytes, std::string_view file);

using ZipDirectory = std::map<std::string, std::span<const uint8_t>, std::less<>>;

// The same for an archive whose entries must all be stored: INVALID_ARGUMENT for an entry that is
// compressed or encrypted.
absl::StatusOr<ZipDirectory> ReadZipDirectory(std::span<const uint8_t> bytes,
                                              std::string_view file);

}  // namespace dragoman
