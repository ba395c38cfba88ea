// Accepts, counts, limits and ends the connections of a port.
//
// gRPC 1.51 has no limit on connections, it stops accepting forever when it runs out of
// descriptors, and it can end a connection only together with the server. So the listener accepts
// connections itself and hands them over as descriptors. It keeps a second descriptor of each
// connection. With this descriptor it notices that the owner has closed the connection, and it can
// end the connection itself.
//
// Thread-safe. Has one thread that accepts and watches connections.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/mutex.h"
#include "server/base/address.h"
#include "server/base/connection_stats.h"

namespace dragoman::server {

struct ListenerOptions {
  Address address;
  // Sockets that already listen on `address`. The listener owns them. If empty, the listener binds
  // its own sockets. If another process also has a socket, the socket stays open there after the
  // listener ends.
  std::vector<int> inherited;
  // The maximum number of open connections. Each takes two descriptors.
  int max_connections = 1;
  // The maximum number of open connections from one client address, or from one /64 network for
  // IPv6. 0: no limit. Does not apply to Unix sockets, which have no client addresses.
  int max_per_peer = 0;
  // If true, a new connection above a limit replaces the oldest connection, as soon as the oldest
  // one has existed for 0.1 s. If false, the new connection is closed.
  bool drop_oldest = false;
  // The time after which the listener ends a connection; 0: never.
  std::chrono::milliseconds longest{0};
  // Called on the listener's thread with the listener's own descriptor of each connection, which is
  // valid from `opened` to the end of `closed`. The destructor also calls `closed`.
  std::function<void(int fd)> opened = [](int) {};
  std::function<void(int fd)> closed = [](int) {};
};

class Listener {
 public:
  // Binds and listens, and returns UNAVAILABLE if that fails. Accepts no connection before Start.
  // The hosts 0.0.0.0 and [::] mean every IPv4 and IPv6 address of the machine. A host name with
  // several addresses means all of them.
  static absl::StatusOr<std::unique_ptr<Listener>> Listen(const ListenerOptions& options);
  // Ends the thread and closes the port. Connections stay with the owners that `take` gave them.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The address, with the port that was bound.
  const std::string& address() const { return address_; }
  int max_connections() const { return options_.max_connections; }

  // Starts accepting. Calls `take` on the listener's thread with a non-blocking descriptor of each
  // connection. `take` owns the descriptor, and must shut the connection down before it closes the
  // descriptor (gRPC does).
  void Start(std::function<void(int fd)> take);

  // Accepts no connection for the next `time`. Connections that arrive meanwhile wait. Takes no
  // lock.
  void Hold(std::chrono::milliseconds time);

  // Closes the listener's sockets. If another process also has a socket, the socket stays open
  // there.
  void StopAccepting();

  // If the sockets were inherited, stops accepting and returns true. Further connections then wait
  // for the next process that gets the sockets. Otherwise returns false and does nothing.
  bool LeaveInherited();

  // Closes the sending side of every connection. Data that was sent before still arrives.
  void EndConnections();

  // Waits until no connection is open, for at most `timeout`. Returns true if none is open then.
  bool WaitEmpty(std::chrono::nanoseconds timeout);

  ConnectionStats Stats() const;

  // Returns the last error if accepting has failed for 5 s. Returns "" while connections are
  // accepted, and after StopAccepting.
  std::string NotAccepting() const;

 private:
  struct Connection {
    uint64_t number = 0;
    std::chrono::steady_clock::time_point begin;
    bool ended = false;  // ended by the listener: sent data may still be under way
    std::string peer;    // its address, if max_per_peer is set
  };

  explicit Listener(const ListenerOptions& options) : options_(options) {}

  absl::Status Open(const Address& address);
  absl::Status OpenInternet(const std::string& host, int port);
  absl::Status OpenUnix(const std::string& path);
  absl::Status TakeInherited();
  absl::Status Prepare();
  void Run();
  void AcceptFrom(int socket);
  bool MustWait();
  // Returns false if no further connection can be accepted from `socket` now.
  bool AcceptOne(int socket);
  void HandleClosed(int fd);
  // Ends connections that have reached ListenerOptions::longest. Returns the milliseconds until the
  // next connection reaches it, or -1 if there is none.
  int EndOld();
  void EndOldest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void CloseArrived() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool HasRoomFor(const std::string& peer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Forget(int fd) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void WatchSockets(bool watch);
  void Wake() const;

  const ListenerOptions options_;
  std::string address_;
  int epoll_ = -1;
  int wake_ = -1;  // eventfd
  std::function<void(int)> take_;
  // The file to remove at the end. "" if the socket is inherited or not a Unix socket.
  std::string unix_path_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;

  // Used only by the thread.
  bool watching_ = false;
  bool paused_ = false;      // accepting pauses until the next try
  std::set<int> lingering_;  // closed by their owner; kept until the sent data has arrived

  std::atomic<std::chrono::steady_clock::time_point> hold_until_{
      std::chrono::steady_clock::time_point::min()};

  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  std::vector<int> sockets_ ABSL_GUARDED_BY(mu_);
  std::map<int, Connection> connections_ ABSL_GUARDED_BY(mu_);  // by descriptor
  std::map<std::string, int> by_peer_ ABSL_GUARDED_BY(mu_);     // count, if max_per_peer is set
  std::map<uint64_t, int> by_age_ ABSL_GUARDED_BY(mu_);         // connections that were not ended
  uint64_t last_number_ ABSL_GUARDED_BY(mu_) = 0;
  ConnectionStats stats_ ABSL_GUARDED_BY(mu_);
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  std::string failure_ ABSL_GUARDED_BY(mu_);  // why the last accept failed; "" if it succeeded
  std::chrono::steady_clock::time_point failing_since_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
