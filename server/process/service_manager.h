// Talks to the service manager that started the daemon. systemd passes listening sockets to the
// daemon (socket activation, sd_listen_fds(3)). The daemon tells systemd, or another manager with
// the protocol of sd_notify(3), its state.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/base/address.h"

namespace dragoman::server {

// Sends `state`, which is lines such as "READY=1", to the socket that NOTIFY_SOCKET names: a path,
// or '@' and an abstract name. Returns OK without sending if NOTIFY_SOCKET is not set. UNAVAILABLE
// if the state cannot be sent. Thread-safe.
absl::Status NotifyServiceManager(const std::string& state);

// Listening sockets that systemd has passed to this process. systemd keeps them open, so no
// connection is refused while this process starts or ends. Not thread-safe.
class InheritedSockets {
 public:
  // Takes ownership of the sockets that the environment announces. Removes the announcement from
  // the environment, so that child processes do not see it. REQUIRES: called before other threads
  // run.
  static InheritedSockets Take();
  // Closes the sockets that For did not return.
  ~InheritedSockets();
  InheritedSockets(InheritedSockets&& other) noexcept;
  InheritedSockets(const InheritedSockets&) = delete;
  InheritedSockets& operator=(const InheritedSockets&) = delete;

  // Returns the sockets that are bound to the address, if any. The caller owns them.
  std::vector<int> For(const Address& address);

  // Returns the addresses of the sockets that For did not return.
  std::vector<std::string> Unused() const;

 private:
  InheritedSockets() = default;

  std::vector<int> sockets_;  // descriptors
};

}  // namespace dragoman::server
