#include "engine/model/formats/opened_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>

#include "absl/strings/match.h"
#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

// The number of bytes for each call of read. It is large, so that the overhead of the calls is
// small.
constexpr size_t kReadBytes = size_t{8} << 20;

}  // namespace

absl::StatusOr<OpenedFile> OpenedFile::Open(const std::string& path, size_t max_bytes) {
  OpenedFile file(path);
  // Uses O_NONBLOCK, because opening a pipe must not wait for its writer.
  file.fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.fd_ < 0) {
    const int error = errno;
    const std::string message = Concat(path, ": cannot be opened: ", std::strerror(error));
    if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(message);
    return absl::InvalidArgumentError(message);
  }
  if (fstat(file.fd_, &file.opened_) != 0 || !S_ISREG(file.opened_.st_mode)) {
    return file.Invalid("not a regular file");
  }
  if (file.size() > max_bytes) {
    return file.Invalid(Concat(file.size(), " bytes, expected at most ", max_bytes));
  }
  return file;
}

absl::StatusOr<OpenedFile> OpenedFile::InMemory(std::string path) {
  OpenedFile file(std::move(path));
  file.fd_ = memfd_create("model", MFD_CLOEXEC);
  if (file.fd_ < 0) {
    return absl::ResourceExhaustedError(
        Concat(file.path_, ": no memory for it: ", std::strerror(errno)));
  }
  if (absl::Status status = file.Refresh(); !status.ok()) return status;
  return file;
}

absl::Status OpenedFile::Refresh() {
  if (fstat(fd_, &opened_) == 0) return absl::OkStatus();
  return Invalid(Concat("cannot be read: ", std::strerror(errno)));
}

OpenedFile::~OpenedFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status OpenedFile::Invalid(std::string_view what) const {
  return absl::InvalidArgumentError(Concat(path_, ": ", what));
}

absl::Status OpenedFile::CheckUnchanged() const {
  struct stat now {};
  if (fstat(fd_, &now) != 0) return Invalid("cannot be read any more");
  if (now.st_size < opened_.st_size) {
    return Invalid(Concat("ends at byte ", now.st_size, ", expected ", size(),
                          " bytes: the file was cut short while it was read"));
  }
  const bool is_same = now.st_size == opened_.st_size &&
                       now.st_mtim.tv_sec == opened_.st_mtim.tv_sec &&
                       now.st_mtim.tv_nsec == opened_.st_mtim.tv_nsec;
  return is_same ? absl::OkStatus() : Invalid("the file was changed while it was read");
}

absl::StatusOr<std::string> OpenedFile::ReadWhole() const {
  std::string text;
  try {
    text.resize(size());
  } catch (const std::exception&) {
    return absl::ResourceExhaustedError(Concat(path_, ": ", size(), " bytes do not fit in memory"));
  }
  for (size_t at = 0; at < text.size();) {
    const ssize_t got = pread(fd_, text.data() + at, std::min(text.size() - at, kReadBytes),
                              static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Invalid(Concat("cannot be read: ", std::strerror(errno)));
    if (got == 0) {
      return Invalid(Concat("ends at byte ", at, ", expected ", text.size(),
                            " bytes: the file was cut short while it was read"));
    }
    at += static_cast<size_t>(got);
  }
  absl::Status status = CheckUnchanged();
  if (status.ok()) {
    status = CheckNoPointer({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  if (!status.ok()) return status;
  return text;
}

absl::Status OpenedFile::CheckNoPointer(std::span<const uint8_t> bytes) const {
  constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/spec/";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(kLfsPointer)) {
    return Invalid(Concat("a Git LFS pointer of ", size(),
                          " bytes in place of the file, which 'git lfs pull' fetches"));
  }
  // absl::string_view is not std::string_view in all builds.
  const absl::string_view page(text.data(), text.size());
  if (absl::StartsWithIgnoreCase(page, "<!doctype html") ||
      absl::StartsWithIgnoreCase(page, "<html")) {
    return Invalid(Concat("a web page of ", size(),
                          " bytes in place of the file, as a download without access leaves it"));
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
