#include "server/intake.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/log.h"
#include "server/request_error.h"

namespace dragoman {
namespace {

// Frames and headers of a call beside its message.
constexpr int64_t kCallSlack = 64 * 1024;
// Of a connection that no call of ours accounts for: health checks, pings, windows. A second's
// worth passes; the rest may come at once.
constexpr int64_t kForeignBytesPerSecond = 256 * 1024;
constexpr int64_t kForeignBytes = 2 * 1024 * 1024;
// Connections without waiting calls are looked at this much less often.
constexpr uint64_t kIdleLooks = 5;

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

std::string PeerOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  return TextOf(address);
}

// And throws away what was received and not read yet, which gRPC would read and serve first.
void EndAtOnce(int fd) {
  shutdown(fd, SHUT_RDWR);
  constexpr size_t kAtOnce = 1 << 20;
  while (recv(fd, nullptr, kAtOnce, MSG_TRUNC | MSG_DONTWAIT) > 0) {
  }
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

}  // namespace

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

Intake::Sockets Intake::RealSockets() { return {PeerOf, ReceivedBy, EndAtOnce}; }

Intake::Intake(const IntakeLimits& limits, Sockets sockets, const Clock* clock,
               DeadlineTimer* timer)
    : limits_(limits), sockets_(std::move(sockets)), clock_(clock), timer_(timer) {}

void Intake::Open(int fd) {
  std::string peer = sockets_.peer(fd);
  if (peer.empty()) return;
  MutexLock lock(&mu_);
  Connection& connection = connections_[fd];
  connection.fd = fd;
  connection.peer = peer;
  by_peer_[std::move(peer)] = fd;
  ArmLocked();
}

void Intake::Close(int fd) {
  MutexLock lock(&mu_);
  const auto at = connections_.find(fd);
  if (at == connections_.end()) return;
  // Another connection may have come from the same address and port.
  const auto name = by_peer_.find(at->second.peer);
  if (name != by_peer_.end() && name->second == fd) by_peer_.erase(name);
  for (const auto& [call, end] : at->second.calls) calls_.erase(call);
  connections_.erase(at);
}

uint64_t Intake::Enter(const std::string& grpc_peer, EndCall end) {
  const std::string peer = PeerKey(grpc_peer);
  MutexLock lock(&mu_);
  const auto name = by_peer_.find(peer);
  if (name == by_peer_.end()) return 0;
  const uint64_t call = ++last_call_;
  Connection& connection = connections_[name->second];
  connection.calls.emplace(call, std::move(end));
  calls_[call] = name->second;
  // Long before their ends are seen: those wait behind the beginnings of further ones.
  if (connection.calls.size() == limits_.max_streams + 1) EndFlood(&connection);
  return call;
}

Intake::Connection* Intake::Remove(uint64_t call) {
  const auto at = calls_.find(call);
  if (at == calls_.end()) return nullptr;
  Connection* const connection = &connections_[at->second];
  connection->calls.erase(call);
  calls_.erase(at);
  return connection;
}

void Intake::LeaveWhole(uint64_t call, int64_t bytes) {
  MutexLock lock(&mu_);
  Connection* const connection = Remove(call);
  if (connection != nullptr) connection->arrived += bytes;
}

void Intake::LeaveCut(uint64_t call) {
  MutexLock lock(&mu_);
  Connection* const connection = Remove(call);
  if (connection == nullptr) return;
  // Its bytes are gone with it; which they were, nobody knows: its share.
  Refresh(connection);
  connection->held -= connection->held / static_cast<int64_t>(connection->calls.size() + 1);
  ++connection->cut;
  EndIfCutting(connection);
}

// Each costs us much more than its client.
void Intake::EndIfCutting(Connection* connection) {
  if (connection->cut < kCutCalls || connection->cut_bytes < kCutBytes) return;
  EndFlood(connection);
}

void Intake::EndFlood(Connection* connection) {
  connection->cut = 0;
  connection->cut_bytes = 0;
  EndConnection(connection, "it resets its calls");
  hold_();
}

int64_t Intake::waiting() const {
  MutexLock lock(&mu_);
  return static_cast<int64_t>(calls_.size());
}

void Intake::Refresh(Connection* connection) {
  const int64_t received = sockets_.received(connection->fd);
  if (received < 0) return;
  const int64_t rest = received - connection->seen - connection->arrived;
  connection->seen = received;
  connection->arrived = 0;
  connection->held = std::max<int64_t>(0, connection->held + rest);
  if (connection->cut > 0) connection->cut_bytes += std::max<int64_t>(0, rest);
}

int64_t Intake::ChargeOf(const Connection& connection) const {
  return connection.held + kCallBytes * static_cast<int64_t>(connection.calls.size());
}

void Intake::EndCalls(Connection* connection, absl::Status status, std::vector<Ending>* endings) {
  Ending ending;
  ending.status = std::move(status);
  for (auto& [call, end] : connection->calls) {
    calls_.erase(call);
    ending.calls.push_back(std::move(end));
  }
  connection->calls.clear();
  connection->held = 0;
  endings->push_back(std::move(ending));
}

void Intake::EndConnection(Connection* connection, const char* why) {
  connection->held = 0;
  sockets_.end(connection->fd);
  Log(LogLevel::kWarn, "connection ended", {{"peer", connection->peer}, {"why", why}});
}

void Intake::EndGreediest(int64_t total, std::vector<Ending>* endings) {
  // Well below, so that the next ones do not meet the limit at once.
  const int64_t wanted = limits_.receive_bytes / 4 * 3;
  std::vector<std::pair<int64_t, Connection*>> by_charge;
  for (auto& [fd, connection] : connections_) {
    by_charge.emplace_back(ChargeOf(connection), &connection);
  }
  std::sort(by_charge.begin(), by_charge.end(), std::greater<>());
  for (const auto& [charge, connection] : by_charge) {
    if (total <= wanted) return;
    total -= charge;
    if (connection->calls.empty()) {
      EndConnection(connection, "it holds most of the memory for requests");
      continue;
    }
    EndCalls(connection,
             absl::ResourceExhaustedError(
                 absl::StrCat("requests on their way in hold more than ", limits_.receive_bytes,
                              " bytes, this connection's calls most of them")),
             endings);
  }
}

void Intake::Look() {
  std::vector<Ending> endings;
  {
    MutexLock lock(&mu_);
    const bool all = ++looks_ % kIdleLooks == 0;
    const int64_t leak = kForeignBytesPerSecond * kPeriod * kIdleLooks / 1'000'000'000;
    const int64_t forgotten = kCutCallsPerSecond * kPeriod * kIdleLooks / 1'000'000'000;
    int64_t total = 0;
    for (auto& [fd, connection] : connections_) {
      const bool idle = connection.calls.empty();
      if (all) connection.cut = std::max<int64_t>(0, connection.cut - forgotten);
      if (connection.cut == 0) connection.cut_bytes = 0;
      if (idle && !all) continue;
      Refresh(&connection);
      EndIfCutting(&connection);
      if (idle) connection.held = std::max<int64_t>(0, connection.held - leak);
      const int64_t allowed =
          static_cast<int64_t>(connection.calls.size()) * (limits_.message_bytes + kCallSlack) +
          (idle ? kForeignBytes : 0);
      if (connection.held <= allowed) {
        total += ChargeOf(connection);
      } else if (idle) {
        EndConnection(&connection, "it sends what belongs to no call");
      } else {
        EndCalls(&connection,
                 InvalidField("", absl::StrCat("the request has more than the ",
                                               limits_.message_bytes, " bytes it may have")),
                 &endings);
      }
    }
    if (total > limits_.receive_bytes) EndGreediest(total, &endings);
  }
  for (const Ending& ending : endings) {
    for (const EndCall& end : ending.calls) end(ending.status);
  }
}

void Intake::ArmLocked() {
  if (armed_) return;
  armed_ = true;
  timer_->Arm(clock_->Now() + kPeriod, [this] { OnTimer(); });
}

void Intake::OnTimer() {
  Look();
  MutexLock lock(&mu_);
  armed_ = false;
  if (!connections_.empty()) ArmLocked();
}

}  // namespace dragoman
