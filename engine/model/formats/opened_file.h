// A regular file that is open for reading, and its size and time at that moment. Private to
// engine/model.
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

namespace dragoman::engine {

class OpenedFile {
 public:
  // NOT_FOUND when there is no such file; INVALID_ARGUMENT when it is not a regular file or has more
  // than `max_bytes`. All messages of the class name the path.
  static absl::StatusOr<OpenedFile> Open(const std::string& path, size_t max_bytes);
  // An empty file in memory that is open for writing too; `path` is its name in messages. Its size and
  // time are taken by Refresh. RESOURCE_EXHAUSTED when the system gives no such file.
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
  // INVALID_ARGUMENT when its size or time has changed.
  absl::Status CheckUnchanged() const;
  // All of its bytes. It is read and not mapped, so that a file that is truncated meanwhile is an error
  // like any other. RESOURCE_EXHAUSTED when they do not fit in memory; INVALID_ARGUMENT when the file is
  // cut short or changed while it is read, or a pointer as below.
  absl::StatusOr<std::string> ReadWhole() const;
  // INVALID_ARGUMENT when the bytes, the first or all of the file, are those of something that a
  // download leaves in place of the file: a Git LFS pointer, a web page.
  absl::Status CheckNoPointer(std::span<const uint8_t> bytes) const;

 private:
  explicit OpenedFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  int fd_ = -1;
  struct stat opened_ {};
};

}  // namespace dragoman::engine
