#include "server/transport/sockets.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

std::string TextOf(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return absl::StrCat(text.data(), ":", ntohs(v4.sin_port));
  }
  if (address.ss_family != AF_INET6) return "";
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text.data(), text.size());
    return absl::StrCat(text.data(), ":", ntohs(v6.sin6_port));
  }
  inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  return absl::StrCat("[", text.data(), "]:", ntohs(v6.sin6_port));
}

}  // namespace

std::string PeerOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  return TextOf(address);
}

std::string NetworkOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  if (address.ss_family == AF_INET6) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
    if (!IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
      constexpr size_t kNetworkBytes = 8;
      std::fill(v6.sin6_addr.s6_addr + kNetworkBytes, std::end(v6.sin6_addr.s6_addr), 0);
      std::array<char, INET6_ADDRSTRLEN> text{};
      inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
      return text.data();
    }
  }
  const std::string peer = TextOf(address);
  return peer.substr(0, peer.find_last_of(':'));
}

std::string PeerKey(std::string_view grpc_peer) {
  const size_t colon = grpc_peer.find(':');
  const std::string_view family = grpc_peer.substr(0, colon);
  if (colon == std::string_view::npos || (family != "ipv4" && family != "ipv6")) return "";
  std::string out;
  std::string_view rest = grpc_peer.substr(colon + 1);
  bool in_scope = false;
  while (!rest.empty()) {
    const std::string_view code = rest.substr(0, 3);
    if (code == "%25") in_scope = true;  // the interface of a link-local address
    if (code == "%5B") out += '[';
    if (code == "%5D") out += ']';
    if (code == "%5D") in_scope = false;
    if (rest.front() == '%') {
      rest.remove_prefix(code.size());
      continue;
    }
    if (!in_scope) out += rest.front();
    rest.remove_prefix(1);
  }
  return out;
}

int64_t ReceivedBy(int fd) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
      size < offsetof(tcp_info, tcpi_bytes_received) + sizeof(info.tcpi_bytes_received)) {
    return -1;
  }
  return static_cast<int64_t>(info.tcpi_bytes_received);
}

int64_t UnreadOf(int fd) {
  int bytes = 0;
  return ioctl(fd, FIONREAD, &bytes) == 0 ? bytes : 0;
}

void DiscardReceived(int fd) {
  constexpr size_t kAtOnce = 1 << 20;
  while (recv(fd, nullptr, kAtOnce, MSG_TRUNC | MSG_DONTWAIT) > 0) {
  }
}

void EndAtOnce(int fd) {
  shutdown(fd, SHUT_RDWR);
  DiscardReceived(fd);
}

}  // namespace dragoman::server
