// The contents of an entry of a zip archive, decompressed where they are, with their checksum.
//
// Thread-safety: a pure function.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "engine/model/zip_directory.h"

namespace dragoman {

// Takes the next bytes of the contents; what is not OK ends the reading.
using ZipSink = std::function<absl::Status(std::span<const uint8_t> bytes)>;

// What was taken is of no use before OK is returned. INVALID_ARGUMENT, naming `file`: more than
// `max_bytes`, so much more than is stored that no model has it, damaged, or with another checksum;
// nothing is given to the sink beyond the size that the archive says, which is checked first.
// UNIMPLEMENTED: encrypted, or compressed by another method than deflate.
absl::Status ReadZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes,
                          const ZipSink& sink);

}  // namespace dragoman
