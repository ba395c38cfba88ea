// A regular file that is open for reading. Keeps the size and modification time that the file had
// when it was opened. Private to engine/model.
//
// Movable. Any thread may use it, because it is immutable.
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
  // Returns NOT_FOUND if there is no such file, and INVALID_ARGUMENT if it is not a regular file,
  // cannot be opened, or has more than `max_bytes`. The messages of all errors of this class name
  // the path.
  static absl::StatusOr<OpenedFile> Open(const std::string& path, size_t max_bytes);
  // Makes an empty file in memory that is also open for writing. `path` is its name in messages.
  // Call Refresh after writing. Returns RESOURCE_EXHAUSTED if the system cannot make such a file.
  static absl::StatusOr<OpenedFile> InMemory(std::string path);
  absl::Status Refresh();

  ~OpenedFile();
  OpenedFile(OpenedFile&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), opened_(other.opened_) {}
  OpenedFile& operator=(OpenedFile&&) = delete;

  int fd() const { return fd_; }
  size_t size() const { return static_cast<size_t>(opened_.st_size); }
  const std::string& path() const { return path_; }

  // Returns INVALID_ARGUMENT with the path and `what`.
  absl::Status Invalid(std::string_view what) const;
  // Returns INVALID_ARGUMENT if the file's size or modification time has changed since it was
  // opened.
  absl::Status CheckUnchanged() const;
  // Returns all bytes. Reads the file instead of mapping it, so that a truncation is an ordinary
  // error. Returns RESOURCE_EXHAUSTED if the bytes do not fit in memory. Returns INVALID_ARGUMENT
  // if the file was truncated or changed since it was opened, or if CheckNoPointer returns an error
  // for it.
  absl::StatusOr<std::string> ReadWhole() const;
  // Returns INVALID_ARGUMENT if a wrong download has left a Git LFS pointer or a web page in place
  // of the file. `bytes` are the first bytes of the file, or all of them.
  absl::Status CheckNoPointer(std::span<const uint8_t> bytes) const;

 private:
  explicit OpenedFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  int fd_ = -1;
  struct stat opened_ {};
};

}  // namespace dragoman::engine
