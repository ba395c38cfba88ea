// The layer between the network and gRPC. It limits connections, incoming requests and streams that
// clients reset.
//
// Every port may use Listener and TransportLimits. The other classes do what gRPC 1.51 lacks.
// README.md says which gRPC versions need each of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "engine/base/worker_pool.h"
#include "server/base/address.h"
#include "server/base/deadline_timer.h"
#include "server/transport/listener.h"
#include "server/transport/transport_limits.h"

namespace dragoman::server {

class Intake;

// Guards one gRPC port. Ends connections and calls that cost too much.
//
// Thread-safe. Calls over sockets other than TCP (Unix sockets) are counted, but not bounded.
class Guard {
 public:
  // `clock` must outlive the guard.
  Guard(const TransportLimits& limits, const engine::Clock* clock);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Opens the port. TransportLimits bound its connections. `max_per_peer` bounds the connections
  // from one client address (0: no limit). `inherited` is ListenerOptions::inherited. Returns
  // UNAVAILABLE if the guard cannot listen. REQUIRES: called once, before any call comes. The guard
  // outlives the listener.
  absl::StatusOr<std::unique_ptr<Listener>> Listen(const Address& address, int max_per_peer,
                                                   std::vector<int> inherited = {});

  // Watches the calls. Each call enters before its request is complete.
  Intake& intake() { return *intake_; }

 private:
  const int max_connections_;
  engine::WorkerPool enders_{"call end", 1};
  std::unique_ptr<Intake> intake_;
  DeadlineTimer watch_;  // calls intake_
};

// Returns the address of a connection's client in gRPC's notation: "ipv4:192.0.2.7:4711",
// "ipv6:%5B::1%5D:4711", or "unix:" for other families.
std::string PeerName(int fd);

}  // namespace dragoman::server
