// Listening sockets that systemd has passed to this process (socket activation, the protocol of
// sd_listen_fds(3)). systemd keeps them open, so no connection is refused while this process starts or
// ends.
//
// For one thread.
#pragma once

#include <string>
#include <vector>

#include "server/base/address.h"

namespace dragoman::server {

class InheritedSockets {
 public:
  // Takes over the sockets that the environment announces, and takes the announcement out of the
  // environment, so that no other process believes that it is meant. REQUIRES: called before other
  // threads run.
  static InheritedSockets Take();
  // Closes what nobody has asked for.
  ~InheritedSockets();
  InheritedSockets(InheritedSockets&& other) noexcept;
  InheritedSockets(const InheritedSockets&) = delete;
  InheritedSockets& operator=(const InheritedSockets&) = delete;

  // The sockets that are bound to the address. The caller owns them. Empty: it has to bind its own.
  std::vector<int> For(const Address& address);

  // The addresses of sockets that were not asked for.
  std::vector<std::string> Unused() const;

 private:
  InheritedSockets() = default;

  std::vector<int> sockets_;  // descriptors
};

}  // namespace dragoman::server
