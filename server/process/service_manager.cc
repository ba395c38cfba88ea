#include "server/process/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace dragoman::server {

absl::Status NotifyServiceManager(const std::string& state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || *path == '\0') return absl::OkStatus();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t length = std::strlen(path);
  if ((path[0] != '/' && path[0] != '@') || length > sizeof(address.sun_path)) {
    return absl::UnavailableError(
        absl::StrCat("NOTIFY_SOCKET: found '", path, "', expected a path or @name"));
  }
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  const bool sent = fd >= 0 && sendto(fd, state.data(), state.size(), MSG_NOSIGNAL,
                                      reinterpret_cast<const sockaddr*>(&address), size) >= 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (sent) return absl::OkStatus();
  char reason[128];
  return absl::UnavailableError(
      absl::StrCat("NOTIFY_SOCKET=", path, ": ", strerror_r(error, reason, sizeof(reason))));
}

}  // namespace dragoman::server
