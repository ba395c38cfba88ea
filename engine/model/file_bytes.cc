#include "engine/model/file_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/opened_file.h"

namespace dragoman {
namespace {

// Of one read: large enough that calls cost nothing.
constexpr size_t kReadBytes = size_t{8} << 20;

}  // namespace

absl::StatusOr<FileBytes> FileBytes::Read(const std::string& path, size_t max_bytes) {
  const absl::StatusOr<OpenedFile> file = OpenedFile::Open(path, max_bytes);
  if (!file.ok()) return file.status();
  const size_t size = file->size();
  std::unique_ptr<uint8_t[]> data(new (std::nothrow) uint8_t[size]);
  if (data == nullptr) {
    return absl::ResourceExhaustedError(Concat(path, ": ", size, " bytes do not fit in memory"));
  }
  for (size_t at = 0; at < size;) {
    const ssize_t got =
        pread(file->fd(), data.get() + at, std::min(size - at, kReadBytes), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file->Invalid(Concat("cannot be read: ", std::strerror(errno)));
    if (got == 0) {
      return file->Invalid(Concat("ends at byte ", at, ", expected ", size,
                                  " bytes: the file was cut short while it was read"));
    }
    at += static_cast<size_t>(got);
  }
  absl::Status status = file->CheckUnchanged();
  if (status.ok()) status = file->CheckNoPointer({data.get(), size});
  if (!status.ok()) return status;
  return FileBytes(std::move(data), size);
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t max_bytes) {
  const absl::StatusOr<FileBytes> file = FileBytes::Read(path, max_bytes);
  if (!file.ok()) return file.status();
  const std::span<const uint8_t> bytes = file->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace dragoman
