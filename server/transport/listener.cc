#include "server/transport/listener.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/thread_name.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/transport/sockets.h"

namespace dragoman::server {
namespace {

// The pause after a failed accept. The cause (no descriptors, no memory) usually lasts for some
// time.
constexpr int kPauseMs = 50;
// How often the listener checks whether the data of ended connections has arrived.
constexpr int kEndingMs = 5;
// NotAccepting reports failures that have lasted this long.
constexpr std::chrono::seconds kStopped{5};
// A connection has this time to send its request before a new one may replace it.
constexpr std::chrono::milliseconds kYoung{100};
// SO_RCVBUF of each connection. Linux reserves twice as much.
constexpr int kReceiveBuffer = 64 * 1024;
// At most this many connections are accepted from one socket before the other sockets get their
// turn.
constexpr int kAcceptsAtOnce = 64;

int BoundPort(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return -1;
  return bound.ss_family == AF_INET6
             ? ntohs(reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port)
             : ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

void SetPort(sockaddr* address, int port) {
  if (address->sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = htons(static_cast<uint16_t>(port));
  } else {
    reinterpret_cast<sockaddr_in*>(address)->sin_port = htons(static_cast<uint16_t>(port));
  }
}

void Enable(int socket, int level, int option, int value = 1) {
  setsockopt(socket, level, option, &value, sizeof(value));
}

// Sets options that accepted sockets inherit. Without SO_RCVBUF, the kernel would let the receive
// buffer grow to megabytes, enough for 100,000 calls.
void SetForConnections(int socket) {
  Enable(socket, IPPROTO_TCP, TCP_NODELAY);
  Enable(socket, SOL_SOCKET, SO_RCVBUF, kReceiveBuffer);
}

// Returns a listening socket, or -1 with errno set.
int ListenOn(const sockaddr* address, socklen_t size) {
  const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (address->sa_family != AF_UNIX) {
    // SO_REUSEPORT is not set, because a second server on the same port would silently take half of
    // the calls.
    Enable(fd, SOL_SOCKET, SO_REUSEADDR);
    SetForConnections(fd);
    if (address->sa_family == AF_INET6) Enable(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  }
  if (bind(fd, address, size) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::Listen(const ListenerOptions& options) {
  std::unique_ptr<Listener> listener(new Listener(options));
  absl::Status status =
      options.inherited.empty() ? listener->Open(options.address) : listener->TakeInherited();
  if (status.ok()) status = listener->Prepare();
  if (status.ok()) return listener;
  return absl::UnavailableError(absl::StrCat("cannot listen on ", AddressText(options.address),
                                             ": ", std::string(status.message())));
}

Listener::~Listener() {
  StopAccepting();
  {
    engine::MutexLock lock(&mu_);
    stop_ = true;
  }
  if (thread_.joinable()) {
    Wake();
    thread_.join();
  }
  engine::MutexLock lock(&mu_);
  for (const auto& [fd, connection] : connections_) {
    options_.closed(fd);
    close(fd);
  }
  if (epoll_ >= 0) close(epoll_);
  if (wake_ >= 0) close(wake_);
}

absl::Status Listener::Open(const Address& address) {
  Address bound = address;
  absl::Status status;
  if (address.unix_path.empty()) {
    status = OpenInternet(address.host, address.port);
    if (!status.ok()) return status;
    engine::MutexLock lock(&mu_);
    bound.port = BoundPort(sockets_.front());
  } else {
    status = OpenUnix(address.unix_path);
  }
  address_ = AddressText(bound);
  return status;
}

absl::Status Listener::OpenInternet(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const bool everywhere = host == "0.0.0.0" || host == "::";
  int error =
      getaddrinfo(everywhere ? "::" : host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return absl::UnavailableError(gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  engine::MutexLock lock(&mu_);
  error = 0;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    // Every address of a host gets the port that its first address got.
    if (!sockets_.empty()) SetPort(at->ai_addr, BoundPort(sockets_.front()));
    const int fd = ListenOn(at->ai_addr, at->ai_addrlen);
    if (fd >= 0) {
      sockets_.push_back(fd);
    } else {
      error = errno;
      if (error == EADDRINUSE) return absl::UnavailableError("the port is taken");
    }
  }
  if (sockets_.empty() && everywhere) {  // a machine without IPv6
    sockaddr_in any{};
    any.sin_family = AF_INET;
    SetPort(reinterpret_cast<sockaddr*>(&any), port);
    const int fd = ListenOn(reinterpret_cast<const sockaddr*>(&any), sizeof(any));
    if (fd >= 0) sockets_.push_back(fd);
    error = errno;
  }
  if (sockets_.empty()) return absl::UnavailableError(ErrorText(error));
  return absl::OkStatus();
}

absl::Status Listener::OpenUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::UnavailableError(absl::StrCat(
        "the path has ", path.size(), " bytes, expected at most ", sizeof(address.sun_path) - 1));
  }
  path.copy(address.sun_path, path.size());
  // A server that was killed may have left its socket file.
  struct stat old {};
  if (stat(path.c_str(), &old) == 0 && S_ISSOCK(old.st_mode)) unlink(path.c_str());
  const int fd = ListenOn(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  if (fd < 0) return absl::UnavailableError(ErrorText(errno));
  engine::MutexLock lock(&mu_);
  unix_path_ = path;
  sockets_.push_back(fd);
  return absl::OkStatus();
}

absl::Status Listener::TakeInherited() {
  Address bound = options_.address;
  engine::MutexLock lock(&mu_);
  sockets_ = options_.inherited;
  if (bound.unix_path.empty()) {
    bound.port = BoundPort(sockets_.front());
    for (const int fd : sockets_) SetForConnections(fd);
  }
  address_ = AddressText(bound);
  return absl::OkStatus();
}

absl::Status Listener::Prepare() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_;
  if (epoll_ < 0 || wake_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0) {
    return absl::UnavailableError(ErrorText(errno));
  }
  return absl::OkStatus();
}

void Listener::Start(std::function<void(int fd)> take) {
  take_ = std::move(take);
  thread_ = std::thread([this] { Run(); });
}

void Listener::Hold(std::chrono::milliseconds time) {
  hold_until_ = std::chrono::steady_clock::now() + time;
}

void Listener::StopAccepting() {
  std::vector<int> sockets;
  std::string unix_path;
  {
    engine::MutexLock lock(&mu_);
    sockets = std::exchange(sockets_, {});
    unix_path = unix_path_;
    failure_.clear();
  }
  for (const int fd : sockets) {
    // Closing the socket would not remove it from epoll if another process also has the socket.
    if (epoll_ >= 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
    close(fd);
  }
  if (!sockets.empty() && !unix_path.empty()) unlink(unix_path.c_str());
}

bool Listener::LeaveInherited() {
  if (options_.inherited.empty()) return false;
  StopAccepting();
  return true;
}

void Listener::EndConnections() {
  engine::MutexLock lock(&mu_);
  for (const auto& [number, fd] : by_age_) {
    shutdown(fd, SHUT_WR);
    connections_[fd].ended = true;
  }
  by_age_.clear();
  Wake();
}

bool Listener::WaitEmpty(std::chrono::nanoseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  engine::MutexLock lock(&mu_);
  while (!connections_.empty()) {
    if (!changed_.WaitUntil(&mu_, end)) return false;
  }
  return true;
}

ConnectionStats Listener::Stats() const {
  engine::MutexLock lock(&mu_);
  ConnectionStats stats = stats_;
  stats.capacity = options_.max_connections;
  stats.open = static_cast<int64_t>(connections_.size());
  return stats;
}

std::string Listener::NotAccepting() const {
  engine::MutexLock lock(&mu_);
  if (failure_.empty() || std::chrono::steady_clock::now() - failing_since_ < kStopped) return "";
  return absl::StrCat("no connection could be accepted for ", kStopped.count(), " s: ", failure_);
}

void Listener::Wake() const {
  const uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
}

// Makes epoll watch the listening sockets, or no longer watch them. StopAccepting itself removes
// the sockets that it closes from epoll.
void Listener::WatchSockets(bool watch) {
  if (watching_ == watch) return;
  watching_ = watch;
  engine::MutexLock lock(&mu_);
  for (const int fd : sockets_) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll_, watch ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &event);
  }
}

void Listener::Run() {
  engine::NameThisThread("accept");
  constexpr int kEvents = 128;
  epoll_event events[kEvents];
  while (true) {
    WatchSockets(!paused_);
    {
      engine::MutexLock lock(&mu_);
      if (stop_) return;
      CloseArrived();
    }
    const int next_old = EndOld();
    int timeout = !lingering_.empty() ? kEndingMs : paused_ ? kPauseMs : -1;
    if (timeout < 0 || (next_old >= 0 && next_old < timeout)) timeout = next_old;
    const int count = epoll_wait(epoll_, events, kEvents, timeout);
    paused_ = false;
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == wake_) {
        uint64_t ignored = 0;
        (void)!read(wake_, &ignored, sizeof(ignored));
        continue;
      }
      bool is_connection = false;
      {
        engine::MutexLock lock(&mu_);
        is_connection = connections_.count(fd) > 0;
      }
      if (is_connection) {
        HandleClosed(fd);
      } else {
        AcceptFrom(fd);
      }
    }
  }
}

void Listener::AcceptFrom(int socket) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    if (!AcceptOne(socket)) return;
  }
}

bool Listener::MustWait() {
  if (std::chrono::steady_clock::now() < hold_until_.load()) return true;
  if (!options_.drop_oldest) return false;
  engine::MutexLock lock(&mu_);
  if (static_cast<int>(connections_.size()) < options_.max_connections) return false;
  return by_age_.empty() ||
         std::chrono::steady_clock::now() - connections_[by_age_.begin()->second].begin < kYoung;
}

bool Listener::AcceptOne(int socket) {
  if (MustWait()) {
    paused_ = true;
    return false;
  }
  const int fd = accept4(socket, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  int error = fd < 0 ? errno : 0;
  const int ours = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (fd >= 0 && ours < 0) error = errno;
  // EAGAIN: no connection waits. The other errors: the port was closed meanwhile.
  if (error == EAGAIN || error == EBADF || error == EINVAL || error == ENOTSOCK ||
      error == EOPNOTSUPP) {
    return false;
  }
  // The client is gone, or a signal interrupted the call: the caller tries again.
  if (error == ECONNABORTED || error == EINTR || error == EPROTO) return true;
  if (error != 0) {
    if (fd >= 0) close(fd);
    bool first = false;
    {
      engine::MutexLock lock(&mu_);
      first = failure_.empty();
      if (first) failing_since_ = std::chrono::steady_clock::now();
      failure_ = ErrorText(error);
    }
    if (first) Log(LogLevel::kError, "cannot accept", {{"error", ErrorText(error)}});
    paused_ = true;
    return false;
  }
  bool taken = false;
  // An IPv6 client has a network of addresses, at least a /64, so max_per_peer applies to the
  // network.
  const std::string peer = options_.max_per_peer > 0 ? NetworkOf(ours) : "";
  {
    engine::MutexLock lock(&mu_);
    failure_.clear();
    taken = static_cast<int>(connections_.size()) < options_.max_connections && HasRoomFor(peer);
    if (!taken) ++stats_.refused;
    if (!taken && options_.drop_oldest) {
      EndOldest();
      taken = true;
    }
    if (taken) {
      ++stats_.accepted;
      connections_[ours] = {++last_number_, std::chrono::steady_clock::now(), false, peer};
      if (!peer.empty()) ++by_peer_[peer];
      by_age_[last_number_] = ours;
    }
  }
  if (!taken) {
    close(ours);
    close(fd);
    return true;
  }
  epoll_event event{};  // epoll always reports hang-ups and errors
  event.data.fd = ours;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, ours, &event);
  options_.opened(ours);
  take_(fd);
  return true;
}

void Listener::HandleClosed(int fd) {
  engine::MutexLock lock(&mu_);
  const auto at = connections_.find(fd);
  // Closing the descriptor would not remove it from epoll if the owner still has its own descriptor
  // of the connection.
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  // The client can no longer be answered. If the received data were not discarded, gRPC would serve
  // it before it notices that the connection has ended.
  DiscardReceived(fd);
  if (at->second.ended) {
    lingering_.insert(fd);
    CloseArrived();
  } else {
    Forget(fd);
  }
}

int Listener::EndOld() {
  if (options_.longest.count() == 0) return -1;
  const auto now = std::chrono::steady_clock::now();
  engine::MutexLock lock(&mu_);
  while (!by_age_.empty()) {
    const auto left = connections_[by_age_.begin()->second].begin + options_.longest - now;
    if (left > std::chrono::nanoseconds::zero()) {
      return 1 +
             static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count());
    }
    EndOldest();
  }
  return -1;
}

// Shuts down the oldest connection. Its owner reads the end of the stream and closes the
// connection.
void Listener::EndOldest() {
  const int fd = by_age_.begin()->second;
  by_age_.erase(by_age_.begin());
  connections_[fd].ended = true;
  shutdown(fd, SHUT_RDWR);
}

// Forgets ended connections once the client has received all sent data. Closing a socket with
// unread data earlier would discard the sent data.
void Listener::CloseArrived() {
  for (auto at = lingering_.begin(); at != lingering_.end();) {
    int unsent = 0;
    const int fd = *at;
    if (ioctl(fd, SIOCOUTQ, &unsent) == 0 && unsent > 0) {
      ++at;
    } else {
      at = lingering_.erase(at);
      Forget(fd);
    }
  }
}

bool Listener::HasRoomFor(const std::string& peer) {
  const auto at = by_peer_.find(peer);
  return at == by_peer_.end() || at->second < options_.max_per_peer;
}

void Listener::Forget(int fd) {
  options_.closed(fd);
  close(fd);
  const auto at = connections_.find(fd);
  by_age_.erase(at->second.number);
  const auto peer = by_peer_.find(at->second.peer);
  if (peer != by_peer_.end() && --peer->second == 0) by_peer_.erase(peer);
  connections_.erase(at);
  if (connections_.empty()) changed_.NotifyAll();
}

}  // namespace dragoman::server
