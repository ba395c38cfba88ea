// Finds and reads the entries of a zip archive. PyTorch and numpy write entries without
// compression. Callers can use the bytes of such entries without copying them, but then nothing
// verifies their checksums.
//
// Thread-safety: pure functions. The spans borrow the archive's bytes.
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

inline constexpr uint16_t kStored = 0;  // the method of entries that are not compressed

struct ZipEntry {
  std::span<const uint8_t> stored;  // the entry's bytes in the archive, compressed or not
  uint64_t size = 0;                // the number of bytes after decompression
  uint32_t crc = 0;                 // CRC-32 of the decompressed bytes
  uint16_t method = 0;              // method of compression: 0 none, 8 deflate
  bool is_encrypted = false;
  std::span<const uint8_t> record;  // the entry in the archive's directory
  uint64_t local_offset = 0;        // the position of its local header
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

// The maximum ratio of an entry's size to its stored size, for entries above 1 MiB. Compression makes
// weights at best three times smaller, but makes zeros, which an attacker may send, a thousand times
// smaller.
inline constexpr uint64_t kMaxExpansion = 100;

// Checks the facts that the archive states about the entry, before anything is decompressed. Errors
// name `file`. Returns INVALID_ARGUMENT if the entry's size is above `max_bytes`, or more than
// `max_expansion` times its stored size and above 1 MiB. Returns UNIMPLEMENTED if the entry is
// encrypted, or compressed by a method other than deflate.
absl::Status CheckZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes,
                           uint64_t max_expansion = kMaxExpansion);

// Passes the contents, at most entry.size bytes, to the sink. The caller may use them only if this
// returns OK, because the checksum is verified at the end. Returns the errors of CheckZipEntry and
// of the sink, and INVALID_ARGUMENT if the entry is damaged or its checksum is wrong.
absl::Status ReadZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes,
                          const ZipSink& sink, uint64_t max_expansion = kMaxExpansion);

}  // namespace dragoman::engine
