#include "server/transport/intake.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/transport/sockets.h"

namespace dragoman::server {
namespace {

// The maximum number of bytes of a call's frames and headers, in addition to its message.
constexpr int64_t kCallSlack = 64 * 1024;
// The largest send buffer of a socket in Linux (tcp_wmem). A client may have sent this much of a
// refused request before it sees the refusal.
constexpr int64_t kSentBytes = int64_t{4} * 1024 * 1024;
// The framing of a request is estimated as one byte for this many bytes of the request. Each 16 KiB
// have 9 bytes of HTTP/2 framing and, with TLS, at least 22 bytes of TLS records.
constexpr int64_t kBytesPerFramingByte = 256;
// Limits on bytes that gRPC has read from a connection and that belong to no known call, such as
// health checks, pings and window updates. A connection may send kForeignBytes at once and
// kForeignBytesPerSecond all the time. The bytes may also be a header field that is split into
// frames of one byte (CVE-2023-33953). For each such frame gRPC 1.51 copies all previous ones, and
// it may read no other connection during that time. Measured duration of this copying: a third of a
// second with 512 KiB, seconds with 2 MiB, and no end if 256 KiB a second arrive.
constexpr int64_t kForeignBytesPerSecond = 32 * 1024;
constexpr int64_t kForeignBytes = 512 * 1024;
// On a connection with waiting calls, such a header field may be as long as the requests of all
// these calls. gRPC reads requests as fast as they arrive: at least 74 MB a second, measured in 60
// runs next to builds. It reads such a field more slowly the longer the field is. While it does so,
// it reads nothing from other connections. Afterwards it reads all that has arrived on each of
// them. So a connection is slow only if gRPC has read something from it, but less than
// kSlowBytesPerSecond, for kSlowTime.
constexpr int64_t kSlowBytesPerSecond = 1024 * 1024;
constexpr engine::Nanos kSlowTime = 200'000'000;
// During a flood, a connection without known calls is ended if it has more unread bytes than this.
// gRPC reads this many bytes from a connection at once. They may contain 140 streams.
constexpr int64_t kFloodUnread = 4 * 1024;
// Connections without waiting calls are checked only in every kIdleLooks-th check.
constexpr uint64_t kIdleLooks = 5;

}  // namespace

Intake::Sockets Intake::RealSockets() { return {PeerOf, ReceivedBy, UnreadOf, EndAtOnce}; }

Intake::Intake(const IntakeLimits& limits, Sockets sockets, ResetWatch::Counts counts,
               const engine::Clock* clock, DeadlineTimer* timer, engine::WorkerPool* enders)
    : limits_(limits),
      sockets_(std::move(sockets)),
      clock_(clock),
      timer_(timer),
      enders_(enders),
      resets_(limits.resets, std::move(counts)) {}

void Intake::Open(int fd) {
  std::string peer = sockets_.peer(fd);
  if (peer.empty()) return;
  engine::MutexLock lock(&mu_);
  resets_.Open(fd, peer, clock_->Now());
  Connection& connection = connections_[fd];
  connection.fd = fd;
  connection.peer = peer;
  by_peer_[std::move(peer)] = fd;
  ArmLocked();
}

void Intake::Close(int fd) {
  engine::MutexLock lock(&mu_);
  const auto at = connections_.find(fd);
  if (at == connections_.end()) return;
  // The entry may belong to a newer connection from the same address and port.
  const auto name = by_peer_.find(at->second.peer);
  if (name != by_peer_.end() && name->second == fd) by_peer_.erase(name);
  for (const auto& [call, end] : at->second.calls) calls_.erase(call);
  resets_.Close(fd);
  connections_.erase(at);
}

uint64_t Intake::Enter(const std::string& grpc_peer, EndCall end) {
  const std::string peer = PeerKey(grpc_peer);
  engine::MutexLock lock(&mu_);
  const uint64_t call = ++last_call_;
  const auto name = by_peer_.find(peer);
  const int fd = name == by_peer_.end() ? -1 : name->second;
  resets_.Begin(call, fd);
  if (fd < 0) return call;
  Connection& connection = connections_[fd];
  connection.moved = true;
  connection.calls.emplace(call, std::move(end));
  calls_[call] = fd;
  return call;
}

void Intake::Done(uint64_t call, bool cancelled) {
  engine::MutexLock lock(&mu_);
  resets_.Done(call, cancelled);
}

Intake::Connection* Intake::Remove(uint64_t call) {
  const auto at = calls_.find(call);
  if (at == calls_.end()) return nullptr;
  Connection* const connection = &connections_[at->second];
  connection->calls.erase(call);
  calls_.erase(at);
  return connection;
}

void Intake::LeaveComplete(uint64_t call, int64_t bytes) {
  engine::MutexLock lock(&mu_);
  resets_.Completed(call);
  Connection* const connection = Remove(call);
  if (connection == nullptr) return;
  connection->arrived += bytes + bytes / kBytesPerFramingByte;
  connection->moved = true;
}

void Intake::LeaveAborted(uint64_t call) {
  engine::MutexLock lock(&mu_);
  resets_.Aborted(call);
  Connection* const connection = Remove(call);
  if (connection == nullptr) return;
  // gRPC has dropped the call's bytes. Their number is unknown, so each of the connection's calls
  // is taken to have had the same number of bytes.
  Refresh(connection);
  connection->held -= connection->held / static_cast<int64_t>(connection->calls.size() + 1);
  AllowLate(connection, 1);
}

void Intake::AllowLate(Connection* connection, size_t calls) {
  const int64_t bytes =
      static_cast<int64_t>(calls) * (limits_.message_bytes + kCallSlack + kSentBytes);
  connection->late = std::min(connection->late + bytes, limits_.receive_bytes);
}

void Intake::EndFloods() {
  const ResetWatch::Floods floods = resets_.Look(clock_->Now());
  for (const int fd : floods.connections) {
    EndConnection(&connections_[fd], "it resets too many calls");
  }
  if (floods.many) EndUnread();
  if (floods.many || !floods.connections.empty()) hold_();
}

void Intake::EndUnread() {
  for (auto& [fd, connection] : connections_) {
    if (!connection.calls.empty() || sockets_.unread(fd) <= kFloodUnread) continue;
    resets_.Close(fd);
    EndConnection(&connection, "it sends much of no known call beside a flood of resets");
  }
}

int64_t Intake::waiting() const {
  engine::MutexLock lock(&mu_);
  return static_cast<int64_t>(calls_.size());
}

void Intake::Refresh(Connection* connection) {
  const int64_t received = sockets_.received(connection->fd);
  if (received < 0) return;
  const int64_t rest = received - connection->seen - connection->arrived;
  connection->quiet = connection->moved ? 0 : connection->quiet + received - connection->seen;
  connection->moved = false;
  connection->seen = received;
  connection->arrived = 0;
  connection->held = std::max<int64_t>(0, connection->held + rest);
}

bool Intake::IsSlow(Connection* connection, int64_t unread, engine::Nanos now) {
  if (unread == 0 || connection->quiet <= kForeignBytes) {
    connection->slow_from.reset();
    return false;
  }
  const Progress here = {now, connection->seen - unread};
  const Progress from = connection->slow_from.value_or(here);
  if (connection->slow_from.has_value() && now - from.at < kSlowTime) return false;
  connection->slow_from = here;
  const int64_t read = here.read - from.read;
  return read > 0 && read < (now - from.at) / 1'000'000 * kSlowBytesPerSecond / 1000;
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
  AllowLate(connection, connection->calls.size());
  connection->calls.clear();
  connection->held = 0;
  endings->push_back(std::move(ending));
}

void Intake::EndConnection(Connection* connection, const char* why) {
  connection->held = 0;
  connection->quiet = 0;
  sockets_.end(connection->fd);
  Log(LogLevel::kWarn, "connection ended", {{"peer", connection->peer}, {"why", why}});
}

void Intake::EndGreediest(int64_t total, std::vector<Ending>* endings) {
  // Ends calls until the total is well below the limit, so that the next bytes do not exceed it
  // again.
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
      EndConnection(connection, "it holds the most memory for requests");
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
    engine::MutexLock lock(&mu_);
    EndFloods();
    const bool all = ++looks_ % kIdleLooks == 0;
    const int64_t leak = kForeignBytesPerSecond * kPeriod * kIdleLooks / 1'000'000'000;
    int64_t total = 0;
    const engine::Nanos now = clock_->Now();
    for (auto& [fd, connection] : connections_) {
      const bool idle = connection.calls.empty();
      if (idle && !all) continue;
      Refresh(&connection);
      if (idle) {
        // gRPC has dropped the bytes of calls that have ended.
        const int64_t gone = std::min(connection.held, connection.late);
        connection.held -= gone;
        connection.late -= gone;
        connection.held = std::max<int64_t>(0, connection.held - leak);
        connection.quiet = std::max<int64_t>(0, connection.quiet - leak);
      }
      const int64_t allowed =
          static_cast<int64_t>(connection.calls.size()) * (limits_.message_bytes + kCallSlack) +
          (idle ? kForeignBytes : connection.late);
      // Unread bytes may be a request whose call gRPC has not seen yet, so an idle connection is
      // not charged for them.
      const bool suspect = connection.quiet > kForeignBytes;
      const int64_t unread = idle || suspect ? sockets_.unread(fd) : 0;
      if (IsSlow(&connection, unread, now)) {
        EndConnection(&connection, "its data takes gRPC too long to read");
      } else if (connection.held - (idle ? unread : 0) <= allowed) {
        total += ChargeOf(connection);
      } else if (idle) {
        EndConnection(&connection, "it sends data that belongs to no call");
      } else {
        EndCalls(&connection,
                 absl::InvalidArgumentError(absl::StrCat("the request has more than the ",
                                                         limits_.message_bytes, " bytes allowed")),
                 &endings);
      }
    }
    if (total > limits_.receive_bytes) EndGreediest(total, &endings);
  }
  if (endings.empty()) return;
  enders_->Post([endings = std::move(endings)] {
    for (const Ending& ending : endings) {
      for (const EndCall& end : ending.calls) end(ending.status);
    }
  });
}

void Intake::ArmLocked() {
  if (armed_) return;
  armed_ = true;
  timer_->Arm(clock_->Now() + kPeriod, [this] { OnTimer(); });
}

void Intake::OnTimer() {
  Look();
  engine::MutexLock lock(&mu_);
  armed_ = false;
  if (!connections_.empty()) ArmLocked();
}

}  // namespace dragoman::server
