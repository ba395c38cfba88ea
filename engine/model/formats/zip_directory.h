// Finds and reads the entries of a zip archive. PyTorch and numpy write entries without
// compression. Such entries can be read in place, but then their checksums are not verified.
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
  std::span<const uint8_t> stored;  // the bytes that the archive has, compressed or not
  uint64_t size = 0;                // the number of bytes after decompression
  uint32_t crc = 0;                 // CRC-32 of the decompressed bytes
  uint16_t method = 0;              // method of compression: 0 none, 8 deflate
  bool is_encrypted = false;
};
using ZipEntries = std::map<std::string, ZipEntry, std::less<>>;

// Reads the directory of an archive, which may be a Zip64 archive. Returns INVALID_ARGUMENT, which
// names `file` and the entry, if the bytes are not an archive, the archive is truncated, or an
// entry is out of bounds or repeated.
absl::StatusOr<ZipEntries> ReadZipEntries(std::span<const uint8_t> bytes, std::string_view file);

using ZipDirectory = std::map<std::string, std::span<const uint8_t>, std::less<>>;

// Like ReadZipEntries, but returns only the bytes of the entries. Returns INVALID_ARGUMENT if an
// entry is compressed or encrypted.
absl::StatusOr<ZipDirectory> ReadZipDirectory(std::span<const uint8_t> bytes,
                                              std::string_view file);

// The following functions (zip_entry.cc) read the contents of an entry. They decompress the
// contents if necessary and verify the checksum.
//
// Receives the next bytes of the contents. If it returns an error, the reading stops.
using ZipSink = std::function<absl::Status(std::span<const uint8_t> bytes)>;

// Checks what the archive states about the entry, before anything is decompressed. Errors name
// `file`. Returns INVALID_ARGUMENT if the entry is larger than `max_bytes`, or so much larger than
// its stored bytes that it cannot be a model's file. Returns UNIMPLEMENTED if the entry is
// encrypted, or compressed by a method other than deflate.
absl::Status CheckZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes);

// Passes the contents to the sink, at most entry.size bytes. The caller may use them only if OK is
// returned, because the checksum is verified at the end. Returns the errors of CheckZipEntry and of
// the sink, and INVALID_ARGUMENT if the entry is damaged or has another checksum.
absl::Status ReadZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes,
                          const ZipSink& sink);

}  // namespace dragoman::engine
