// Listening sockets that systemd has passed to this process (socket activation, the protocol of
// sd_listen_fds(3)). systemd keeps them open, so no connection is refused while this process starts
// or ends.
//
// Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "server/base/address.h"

namespace dragoman::server {

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
