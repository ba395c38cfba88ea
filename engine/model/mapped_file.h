// A file mapped read-only into memory.
//
// Immutable, so any thread may read. Owns the mapping; spans of it die with it. The file must not
// be truncated by others while it is mapped: replace model files by renaming, never in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman {

class MappedFile {
 public:
  // NOT_FOUND when there is no such file, INVALID_ARGUMENT when it is no regular file; both name
  // the path. An empty file gives an empty span.
  static absl::StatusOr<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const uint8_t> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  void Unmap();

  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// The whole file as a string. INVALID_ARGUMENT when it is larger than `max_bytes`; else as
// MappedFile::Open.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t max_bytes);

}  // namespace dragoman
