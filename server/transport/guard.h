// The layer between the network and gRPC: limits on connections, on requests that are on their way
// in, and on streams that are reset. The rest of the server includes this header alone.
//
// Two parts are general, and every port may use them: Listener (connections) and TransportLimits
// (what the settings allow). The others make up for what gRPC 1.51 lacks; README.md of this folder
// says for each of them which versions need it, and what is left of Guard without them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "engine/base/worker_pool.h"
#include "server/base/address.h"
#include "server/base/deadline_timer.h"
#include "server/transport/listener.h"
#include "server/transport/transport_limits.h"

namespace dragoman::server {

class Intake;

// The guard of one gRPC port. It is told of connections and calls, and ends those that cost too
// much.
//
// Thread-safe. Calls over sockets that are not TCP are counted, but not bounded.
class Guard {
 public:
  // Ends a call whose request is not whole yet: INVALID_ARGUMENT for one that is too large,
  // RESOURCE_EXHAUSTED where all requests together are. Called without locks by a thread of the guard's;
  // may come late.
  using EndCall = std::function<void(const absl::Status& status)>;

  // `clock` outlives it.
  Guard(const TransportLimits& limits, const engine::Clock* clock);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Opens the port, which takes at most as many connections as the limits say, and at most
  // `max_per_peer` of one address (0: no limit per address). To be called once, before calls come;
  // the listener ends before the guard does. `inherited`: as ListenerOptions'. UNAVAILABLE if it
  // cannot listen.
  absl::StatusOr<std::unique_ptr<Listener>> Listen(const Address& address, int max_per_peer,
                                                   std::vector<int> inherited = {});

  // A call from `grpc_peer` (as gRPC writes it) waits for its request, until LeaveWhole or
  // LeaveCut. Returns the call's number, which is not 0.
  uint64_t Enter(const std::string& grpc_peer, EndCall end);
  // The call's request is here; `bytes` includes its headers.
  void LeaveWhole(uint64_t call, int64_t bytes);
  // The call ended before its request was here.
  void LeaveCut(uint64_t call);
  // gRPC is done with the call; its number must not be used later. `cancelled`: its request was
  // whole, and gRPC did not answer it to the end.
  void Done(uint64_t call, bool cancelled);

 private:
  const int max_connections_;
  engine::WorkerPool enders_{"call end", 1};
  std::unique_ptr<Intake> intake_;
  DeadlineTimer watch_;  // calls intake_
};

// The client's address of a connection, as gRPC writes it: "ipv4:192.0.2.7:4711",
// "ipv6:%5B::1%5D:4711", "unix:" for others.
std::string PeerName(int fd);

}  // namespace dragoman::server
