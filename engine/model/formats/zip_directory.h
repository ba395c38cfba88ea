// Finds the entries of a zip archive, and reads them. Those that are stored uncompressed, as PyTorch and
// numpy write them, can be read in place, where their checksums are not verified.
//
// Pure functions. Immutable; the spans borrow the archive's bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman::engine {

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

// The following read the contents of an entry (zip_entry.cc): they decompress them if they are
// compressed, and check their checksum.
//
// Takes the next bytes of the contents; an error ends the reading.
using ZipSink = std::function<absl::Status(std::span<const uint8_t> bytes)>;

// Checks what the archive says of the entry, before a byte is decompressed. INVALID_ARGUMENT, naming
// `file`: it is larger than `max_bytes`, or so much larger than its stored bytes as no model's file is.
// UNIMPLEMENTED: it is encrypted, or compressed by another method than deflate.
absl::Status CheckZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes);

// Passes the contents to the sink, never more than entry.size bytes; they may be used only if OK is
// returned. Errors as CheckZipEntry, and INVALID_ARGUMENT for an entry that is damaged or has another
// checksum.
absl::Status ReadZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes,
                          const ZipSink& sink);

}  // namespace dragoman::engine
