#include "server/transport/guard.h"

#include <chrono>
#include <utility>

#include "server/transport/intake.h"
#include "server/transport/reset_watch.h"
#include "server/transport/sockets.h"

namespace dragoman::server {
namespace {

// How long new connections wait after a flood. In this time, gRPC finishes the reset calls before
// their client connects again.
constexpr std::chrono::milliseconds kFloodHold{1000};

IntakeLimits LimitsOf(const TransportLimits& limits) {
  return {.message_bytes = limits.message_bytes,
          .receive_bytes = limits.receive_bytes,
          .resets = {.each = 2 * int64_t{limits.max_streams}, .all = limits.wasted_streams}};
}

}  // namespace

Guard::Guard(const TransportLimits& limits, const engine::Clock* clock)
    : max_connections_(limits.max_connections), watch_(clock) {
  intake_ = std::make_unique<Intake>(LimitsOf(limits), Intake::RealSockets(),
                                     ResetWatch::RealCounts(), clock, &watch_, &enders_);
  watch_.Start();
}

Guard::~Guard() = default;

absl::StatusOr<std::unique_ptr<Listener>> Guard::Listen(const Address& address, int max_per_peer,
                                                        std::vector<int> inherited) {
  ListenerOptions options;
  options.address = address;
  options.inherited = std::move(inherited);
  options.max_connections = max_connections_;
  options.max_per_peer = max_per_peer;
  options.opened = [intake = intake_.get()](int fd) { intake->Open(fd); };
  options.closed = [intake = intake_.get()](int fd) { intake->Close(fd); };
  absl::StatusOr<std::unique_ptr<Listener>> listener = Listener::Listen(options);
  if (listener.ok()) {
    intake_->OnFlood([held = listener->get()] { held->Hold(kFloodHold); });
  }
  return listener;
}

std::string PeerName(int fd) {
  const std::string peer = PeerOf(fd);
  if (peer.empty()) return "unix:";
  if (peer.front() != '[') return "ipv4:" + peer;
  const size_t end = peer.find(']');
  return "ipv6:%5B" + peer.substr(1, end - 1) + "%5D" + peer.substr(end + 1);
}

}  // namespace dragoman::server
