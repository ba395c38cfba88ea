// The listening sockets of the gRPC port, and every connection that came in through them.
//
// gRPC 1.51 has no limit on connections, stops accepting for good when it runs out of descriptors,
// and can end a connection only together with the server. So connections are accepted here,
// counted, and handed over as descriptors; this keeps a second descriptor of each, by which it
// learns that gRPC has closed it, and can end it.
//
// Thread-safe. One thread of its own accepts and watches.
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
  // Sockets that listen on that address already, which the listener owns from now on; empty: it binds
  // its own. Others may have them, too: they stay open beyond the end of this listener.
  std::vector<int> inherited;
  // The most connections at once; each takes two descriptors.
  int max_connections = 1;
  // The most connections at once of one address, whatever the port; 0: no limit per address. Unix
  // sockets have no addresses.
  int max_per_peer = 0;
  // True: a connection above a limit replaces the oldest, once that is 0.1 s old. False: it
  // is closed itself.
  bool drop_oldest = false;
  // A connection is ended after so long; 0: never.
  std::chrono::milliseconds longest{0};
  // Called with the listener's own descriptor of each connection, which is valid in between. They
  // are called on the listener's thread, and `closed` also when the listener is destroyed.
  std::function<void(int fd)> opened = [](int) {};
  std::function<void(int fd)> closed = [](int) {};
};

class Listener {
 public:
  // Binds and listens; accepts no connection before Start. A host of 0.0.0.0 or [::] is every
  // address of the machine, of both families; one that has several addresses gets them all.
  // UNAVAILABLE if that fails.
  static absl::StatusOr<std::unique_ptr<Listener>> Listen(const ListenerOptions& options);
  // Ends the thread, closes the port. Connections stay with the owners that `take` gave them.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The text of the address, with the port that was bound.
  const std::string& address() const { return address_; }
  int max_connections() const { return options_.max_connections; }

  // Accepts from now on. `take` gets each connection, non-blocking, and owns it; it is called on
  // the listener's thread and must shut the connection down before it closes it (gRPC does).
  void Start(std::function<void(int fd)> take);

  // Lets connections that come within `time` from now wait until then. Takes no lock.
  void Hold(std::chrono::milliseconds time);

  // Closes the port, or its own part in one that others have, too.
  void StopAccepting();

  // Stops accepting if the sockets were inherited: connections to come wait for the next process that
  // gets the sockets. False, without effect: they were not.
  bool LeaveInherited();

  // Ends every connection after what was sent on it: its peer sees the end, and nothing that is
  // written later.
  void EndConnections();

  // Waits until no connection is open, or for `timeout`. True: none is.
  bool WaitEmpty(std::chrono::nanoseconds timeout);

  ConnectionStats Stats() const;

  // "" while new connections are accepted, or were stopped; else why they have not been for some
  // seconds.
  std::string NotAccepting() const;

 private:
  // A second descriptor of what `take` got.
  struct Connection {
    uint64_t number = 0;
    std::chrono::steady_clock::time_point begin;
    bool ended = false;  // by us: what was sent may still be under way
    std::string peer;    // its address, where max_per_peer is set
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
  // False: stop accepting for now.
  bool AcceptOne(int socket);
  void HandleClosed(int fd);
  // Ends connections that are too old; returns the time until the next one is, in milliseconds, or
  // -1.
  int EndOld();
  void EndOldest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void CloseArrived() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Whether one more connection of the address is allowed.
  bool HasRoomFor(const std::string& peer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Forget(int fd) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void WatchSockets(bool watch);
  void Wake() const;

  const ListenerOptions options_;
  std::string address_;
  int epoll_ = -1;
  int wake_ = -1;  // eventfd
  std::function<void(int)> take_;
  // Removed at the end. Empty for an inherited socket.
  std::string unix_path_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;

  // Used by the thread alone.
  bool watching_ = false;
  bool paused_ = false;      // accepting fails: the next try is in a moment
  std::set<int> lingering_;  // closed by their owner; kept until what was sent has arrived

  std::atomic<std::chrono::steady_clock::time_point> hold_until_{
      std::chrono::steady_clock::time_point::min()};

  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  std::vector<int> sockets_ ABSL_GUARDED_BY(mu_);
  std::map<int, Connection> connections_ ABSL_GUARDED_BY(mu_);  // by descriptor
  std::map<std::string, int> by_peer_ ABSL_GUARDED_BY(mu_);     // how many, if max_per_peer is set
  std::map<uint64_t, int> by_age_ ABSL_GUARDED_BY(mu_);         // those that were not ended
  uint64_t last_number_ ABSL_GUARDED_BY(mu_) = 0;
  ConnectionStats stats_ ABSL_GUARDED_BY(mu_);
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  std::string failure_ ABSL_GUARDED_BY(mu_);  // of the last accept
  std::chrono::steady_clock::time_point failing_since_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
