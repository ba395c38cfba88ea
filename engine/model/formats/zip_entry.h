// The contents of an entry of a zip archive, decompressed where they are, with their checksum.
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

// Takes the next bytes of the contents; what is not OK ends the reading.
using ZipSink = std::function<absl::Status(std::span<const uint8_t> bytes)>;

// By what the archive says of it, before a byte is decompressed. INVALID_ARGUMENT, naming `file`: more
// than `max_bytes`, or so much more than is stored that no model has it. UNIMPLEMENTED: encrypted, or
// compressed by another method than deflate.
absl::Status CheckZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes);

// What was taken is of no use before OK is returned. As CheckZipEntry, and INVALID_ARGUMENT for what
// is damaged or has another checksum. Never is more given to the sink than entry.size.
absl::Status ReadZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes,
                          const ZipSink& sink);

}  // namespace dragoman
