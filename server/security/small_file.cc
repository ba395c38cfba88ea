#include "server/security/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"

namespace dragoman {
namespace {

absl::Status Wrong(const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(Quoted(path), ": ", what));
}

std::string Reason(int error) {
  char buffer[128];
  return strerror_r(error, buffer, sizeof(buffer));
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  // O_NONBLOCK, so as not to wait for the writer of a pipe.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return Wrong(path, Reason(errno));
  struct stat info {};
  absl::Status status;
  std::string bytes;
  if (fstat(fd, &info) != 0) {
    status = Wrong(path, Reason(errno));
  } else if (!S_ISREG(info.st_mode)) {
    status = Wrong(path, S_ISDIR(info.st_mode) ? "found a directory, expected a file"
                                               : "found no regular file, expected one");
  }
  while (status.ok()) {
    char buffer[16 * 1024];
    const ssize_t count = read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) status = Wrong(path, Reason(errno));
    if (count <= 0) break;
    bytes.append(buffer, static_cast<size_t>(count));
    if (bytes.size() > kMaxSmallFileBytes) {
      status = Wrong(path, absl::StrCat("found more than ", kMaxSmallFileBytes, " bytes"));
    }
  }
  close(fd);
  if (!status.ok()) return status;
  return bytes;
}

std::string FileStamp(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return "";
  return absl::StrCat(info.st_dev, ":", info.st_ino, ":", info.st_size, ":", info.st_mtim.tv_sec,
                      ".", info.st_mtim.tv_nsec, ":", info.st_ctim.tv_sec, ".",
                      info.st_ctim.tv_nsec);
}

}  // namespace dragoman
