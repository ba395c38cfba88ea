// Listening sockets that this process was started with: by systemd (socket activation, the protocol
// of sd_listen_fds(3)), or by the process from which it takes over (successor.h). Whoever has them
// keeps them open while this process starts or ends, so that no connection is refused meanwhile.
//
// For one thread.
#pragma once

#include <string>
#include <vector>

#include "server/base/address.h"

namespace dragoman {

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

  // The sockets that are bound to the address of the port `name` ("grpc", "http", "metrics"), which
  // the caller owns from then on; none where it has to bind one itself. A predecessor names its
  // sockets, and then one that it was given for port 0 fits port 0.
  std::vector<int> For(const std::string& name, const Address& address);

  // The addresses of sockets that were not asked for.
  std::vector<std::string> Unused() const;

 private:
  struct Socket {
    int fd = -1;
    std::string name;  // "": of no port; the address alone decides
  };

  InheritedSockets() = default;

  std::vector<Socket> sockets_;
};

}  // namespace dragoman
