// A regular file that is open for reading, and what it was like then. Private to engine/model.
//
// Immutable, so any thread may use it; it may be moved.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman {

class OpenedFile {
 public:
  // NOT_FOUND when there is no such file; INVALID_ARGUMENT when it is no regular file or has more
  // than `max_bytes`. All messages of the class name the path.
  static absl::StatusOr<OpenedFile> Open(const std::string& path, size_t max_bytes);
  // A file of no directory, empty and open for writing too; `path` is its name in messages. What it
  // is like counts from Refresh on. RESOURCE_EXHAUSTED when there is none to be had.
  static absl::StatusOr<OpenedFile> InMemory(std::string path);
  absl::Status Refresh();

  ~OpenedFile();
  OpenedFile(OpenedFile&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), opened_(other.opened_) {}
  OpenedFile& operator=(OpenedFile&&) = delete;

  int fd() const { return fd_; }
  size_t size() const { return static_cast<size_t>(opened_.st_size); }
  const std::string& path() const { return path_; }

  // INVALID_ARGUMENT.
  absl::Status Invalid(std::string_view what) const;
  // INVALID_ARGUMENT when its size or time is not what it was.
  absl::Status CheckUnchanged() const;
  // INVALID_ARGUMENT when the bytes, its first or all, are of what a download leaves in place of
  // the file: a Git LFS pointer, a web page.
  absl::Status CheckNoPointer(std::span<const uint8_t> bytes) const;

 private:
  explicit OpenedFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  int fd_ = -1;
  struct stat opened_ {};
};

}  // namespace dragoman
