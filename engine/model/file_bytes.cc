#include "engine/model/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "engine/model/concat.h"

namespace dragoman {
namespace {

// Of one read: large enough that calls cost nothing.
constexpr size_t kReadBytes = size_t{8} << 20;

constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/spec/";

// Closes on every way out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool SameContents(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

absl::StatusOr<FileBytes> FileBytes::Read(const std::string& path, size_t max_bytes) {
  const auto invalid = [&path](std::string_view what) {
    return absl::InvalidArgumentError(Concat(path, ": ", what));
  };
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) {
    const int error = errno;
    const std::string message = Concat(path, ": cannot be opened: ", std::strerror(error));
    if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(message);
    return absl::InvalidArgumentError(message);
  }
  struct stat before {};
  if (fstat(fd.get(), &before) != 0 || !S_ISREG(before.st_mode)) {
    return invalid("not a regular file");
  }
  const auto size = static_cast<size_t>(before.st_size);
  if (size > max_bytes) return invalid(Concat(size, " bytes, expected at most ", max_bytes));
  std::unique_ptr<uint8_t[]> data(new (std::nothrow) uint8_t[size]);
  if (data == nullptr) {
    return absl::ResourceExhaustedError(Concat(path, ": ", size, " bytes do not fit in memory"));
  }
  for (size_t at = 0; at < size;) {
    const ssize_t got =
        pread(fd.get(), data.get() + at, std::min(size - at, kReadBytes), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return invalid(Concat("cannot be read: ", std::strerror(errno)));
    if (got == 0) {
      return invalid(Concat("ends at byte ", at, ", expected ", size,
                            " bytes: the file was cut short while it was read"));
    }
    at += static_cast<size_t>(got);
  }
  struct stat after {};
  if (fstat(fd.get(), &after) != 0 || !SameContents(before, after)) {
    return invalid("the file was changed while it was read");
  }
  const std::string_view text(reinterpret_cast<const char*>(data.get()), size);
  if (text.starts_with(kLfsPointer)) {
    return invalid(Concat("a Git LFS pointer of ", size,
                          " bytes in place of the file, which 'git lfs pull' fetches"));
  }
  return FileBytes(std::move(data), size);
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t max_bytes) {
  const absl::StatusOr<FileBytes> file = FileBytes::Read(path, max_bytes);
  if (!file.ok()) return file.status();
  const std::span<const uint8_t> bytes = file->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace dragoman
