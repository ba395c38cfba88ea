// A file read into memory, whole.
//
// It is read and not mapped: a mapped file that is truncated ends the process with a signal at the next
// access, while a short read is an error like any other. See README.md, "Memory".
//
// Immutable, so any thread may read. Owns its bytes; spans of it die with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman {

class FileBytes {
 public:
  // NOT_FOUND when there is no such file; RESOURCE_EXHAUSTED when its bytes do not fit in memory;
  // INVALID_ARGUMENT when it is not a regular file, has more than `max_bytes`, is a Git LFS pointer in
  // place of the file, or was cut short or changed while it was read. All name the path.
  static absl::StatusOr<FileBytes> Read(const std::string& path, size_t max_bytes);

  std::span<const uint8_t> bytes() const { return {data_.get(), size_}; }

 private:
  FileBytes(std::unique_ptr<uint8_t[]> data, size_t size) : data_(std::move(data)), size_(size) {}

  std::unique_ptr<uint8_t[]> data_;
  size_t size_ = 0;
};

class OpenedFile;

// The whole file as a string; errors as FileBytes::Read.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t max_bytes);
absl::StatusOr<std::string> ReadWhole(const OpenedFile& file);

}  // namespace dragoman
