#include "server/settings/config_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"

namespace dragoman {
namespace {

constexpr int kLongestWaitMillis = 5000;

absl::Status Refuse(const std::string& path, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("--config: found ", Quoted(path), ", ", what, ", expected a JSON file"));
}

absl::StatusOr<std::string> ReadAll(const std::string& path, int fd) {
  struct stat info {};
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) return Refuse(path, "a directory");
  std::string text;
  std::array<char, 16 << 10> block{};
  while (text.size() <= kMaxConfigBytes) {
    const ssize_t got = read(fd, block.data(), block.size());
    if (got > 0) {
      text.append(block.data(), static_cast<size_t>(got));
    } else if (got == 0) {
      return text;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{fd, POLLIN, 0};
      if (poll(&ready, 1, kLongestWaitMillis) == 0) {
        return Refuse(path, "a pipe that brought nothing for five seconds");
      }
    } else if (errno != EINTR) {
      return Refuse(path, absl::StrCat("which cannot be read (", std::strerror(errno), ")"));
    }
  }
  return Refuse(path, absl::StrCat("which has more than the ", kMaxConfigBytes, " bytes allowed"));
}

}  // namespace

absl::StatusOr<std::string> ReadConfigFile(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return Refuse(path, absl::StrCat("which cannot be opened (", std::strerror(errno), ")"));
  }
  absl::StatusOr<std::string> text = ReadAll(path, fd);
  close(fd);
  return text;
}

}  // namespace dragoman
