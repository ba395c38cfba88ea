#include "server/process/service_manager.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

constexpr int kMost = 64;
constexpr int kFirst = 3;  // SD_LISTEN_FDS_START

std::string VariableOf(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

bool IsListening(int fd) {
  int on = 0;
  socklen_t size = sizeof(on);
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) == 0 && on == 1;
}

// The address that a socket is bound to.
struct Bound {
  int family = AF_UNSPEC;
  std::string host;  // an IP address
  bool everywhere = false;
  int port = 0;
  std::string unix_path;
};

Bound BoundOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  Bound out;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return out;
  out.family = address.ss_family;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    out.everywhere = v4.sin_addr.s_addr == htonl(INADDR_ANY);
    out.port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    out.everywhere = IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr);
    out.port = ntohs(v6.sin6_port);
  } else if (address.ss_family == AF_UNIX) {
    out.unix_path = reinterpret_cast<const sockaddr_un&>(address).sun_path;
  }
  out.host = text.data();
  return out;
}

std::vector<std::string> NumbersOf(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<std::string> numbers;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return numbers;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(at->ai_addr, at->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      numbers.emplace_back(text.data());
    }
  }
  return numbers;
}

bool Fits(const Bound& bound, const Address& address) {
  if (!address.unix_path.empty() || bound.family == AF_UNIX) {
    return !bound.unix_path.empty() && bound.unix_path == address.unix_path;
  }
  if (bound.port != address.port) return false;
  if (address.host == "0.0.0.0" || address.host == "::") return bound.everywhere;
  const std::vector<std::string> numbers = NumbersOf(address.host);
  return std::find(numbers.begin(), numbers.end(), bound.host) != numbers.end();
}

}  // namespace

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

InheritedSockets InheritedSockets::Take() {
  InheritedSockets out;
  int count = 0;
  int pid = 0;
  const bool announced = absl::SimpleAtoi(VariableOf("LISTEN_FDS"), &count);
  const bool ours = absl::SimpleAtoi(VariableOf("LISTEN_PID"), &pid) && pid == getpid();
  if (announced && ours) {
    for (int i = 0; i < std::min(count, kMost); ++i) {
      const int fd = kFirst + i;
      if (!IsListening(fd)) continue;
      fcntl(fd, F_SETFD, FD_CLOEXEC);
      fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
      out.sockets_.push_back(fd);
    }
  }
  for (const char* name : {"LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"}) unsetenv(name);
  return out;
}

InheritedSockets::InheritedSockets(InheritedSockets&& other) noexcept
    : sockets_(std::exchange(other.sockets_, {})) {}

InheritedSockets::~InheritedSockets() {
  for (const int fd : sockets_) close(fd);
}

std::vector<int> InheritedSockets::For(const Address& address) {
  std::vector<int> out;
  std::erase_if(sockets_, [&](int fd) {
    if (!Fits(BoundOf(fd), address)) return false;
    out.push_back(fd);
    return true;
  });
  return out;
}

std::vector<std::string> InheritedSockets::Unused() const {
  std::vector<std::string> out;
  for (const int fd : sockets_) {
    const Bound bound = BoundOf(fd);
    out.push_back(
        AddressText({.host = bound.host, .port = bound.port, .unix_path = bound.unix_path}));
  }
  return out;
}

}  // namespace dragoman::server
