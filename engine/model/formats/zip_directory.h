// Finds and reads the entries of a zip archive. Entries that are stored uncompressed, as PyTorch
// and numpy write them, can be read in place, without a check of their checksums.
//
// Thread-safety: pure functions. Immutable; the spans borrow the archive's bytes.
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
  std::span<const uint8_t> stored;  // bytes in the archive
  uint64_t size = 0;                // bytes when decompressed
  uint32_t crc = 0;                 // CRC-32 of the decompressed bytes
  uint16_t method = 0;              // method of compression: 0 none, 8 deflate
  bool is_encrypted = false;
};
using ZipEntries = std::map<std::string, ZipEntry, std::less<>>;

// Reads the directory of an archive, also of a Zip64 one. Returns INVALID_ARGUMENT naming `file`
// (and the entry) for a truncated archive, other bytes, and entries out of bounds or repeated.
absl::StatusOr<ZipEntries> ReadZipEntries(std::span<const uint8_t> bytes, std::string_view file);

using ZipDirectory = std::map<std::string, std::span<const uint8_t>, std::less<>>;

// The same for an archive of stored entries only. Other entries are INVALID_ARGUMENT.
absl::StatusOr<ZipDirectory> ReadZipDirectory(std::span<const uint8_t> bytes,
                                              std::string_view file);

// The following read the contents of an entry (zip_entry.cc). They decompress the contents if
// necessary, and verify the checksum.
//
// Receives the next bytes of the contents; an error ends the reading.
using ZipSink = std::function<absl::Status(std::span<const uint8_t> bytes)>;

// Checks what the archive states about the entry, before anything is decompressed. Errors name
// `file`. Returns INVALID_ARGUMENT if the entry is larger than `max_bytes`, or so much larger than
// its stored bytes that it cannot be a model's file. Returns UNIMPLEMENTED if the entry is
// encrypted, or compressed by a method other than deflate.
absl::Status CheckZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes);

// Passes the contents to the sink, at most entry.size bytes. They may be used only if OK is
// returned. Errors are those of CheckZipEntry and of the sink, and INVALID_ARGUMENT for an entry
// that is damaged or has another checksum.
absl::Status ReadZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes,
                          const ZipSink& sink);

}  // namespace dragoman::engine
