#include "engine/model/formats/file_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/opened_file.h"

namespace dragoman {
namespace {

// The bytes of one read: large enough that the calls themselves cost nothing.
constexpr size_t kReadBytes = size_t{8} << 20;

// All of the file, `to` [file.size()].
absl::Status ReadInto(const OpenedFile& file, uint8_t* to) {
  const size_t size = file.size();
  for (size_t at = 0; at < size;) {
    const ssize_t got =
        pread(file.fd(), to + at, std::min(size - at, kReadBytes), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file.Invalid(Concat("cannot be read: ", std::strerror(errno)));
    if (got == 0) {
      return file.Invalid(Concat("ends at byte ", at, ", expected ", size,
                                 " bytes: the file was cut short while it was read"));
    }
    at += static_cast<size_t>(got);
  }
  absl::Status status = file.CheckUnchanged();
  return status.ok() ? file.CheckNoPointer({to, size}) : status;
}

absl::Status TooLarge(const OpenedFile& file) {
  return absl::ResourceExhaustedError(
      Concat(file.path(), ": ", file.size(), " bytes do not fit in memory"));
}

}  // namespace

absl::StatusOr<FileBytes> FileBytes::Read(const std::string& path, size_t max_bytes) {
  const absl::StatusOr<OpenedFile> file = OpenedFile::Open(path, max_bytes);
  if (!file.ok()) return file.status();
  std::unique_ptr<uint8_t[]> data(new (std::nothrow) uint8_t[file->size()]);
  if (data == nullptr) return TooLarge(*file);
  if (absl::Status status = ReadInto(*file, data.get()); !status.ok()) return status;
  return FileBytes(std::move(data), file->size());
}

absl::StatusOr<std::string> ReadWhole(const OpenedFile& file) {
  std::string text;
  try {
    text.resize(file.size());
  } catch (const std::exception&) {
    return TooLarge(file);
  }
  if (absl::Status status = ReadInto(file, reinterpret_cast<uint8_t*>(text.data())); !status.ok()) {
    return status;
  }
  return text;
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t max_bytes) {
  const absl::StatusOr<OpenedFile> file = OpenedFile::Open(path, max_bytes);
  if (!file.ok()) return file.status();
  return ReadWhole(*file);
}

}  // namespace dragoman
