// Reads the contents of an entry of a zip archive: decompresses them if they are compressed, and checks
// their checksum.
//
// Thread-safety: a pure function.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "engine/model/formats/zip_directory.h"

namespace dragoman {

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

}  // namespace dragoman
