// How many HTTP/2 streams gRPC has accepted, by its own count (channelz).
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dragoman {

// Counts since the start of the process or connection.
struct StreamCount {
  int64_t started = 0;
  int64_t succeeded = 0;  // answered to the end, with whatever status
  int64_t failed = 0;     // over, and not answered to the end
};

class AcceptedStreams {
 public:
  // All streams of this process's servers. Costs some 20 us.
  StreamCount All() const;

  // Takes note of the connections that gRPC has got since the last time.
  void Update();

  // The streams of the connection from `peer`, as PeerOf writes it; nullopt where gRPC does not
  // know the connection any more, or did not at the last Update. Costs some 20 us.
  std::optional<StreamCount> Of(const std::string& peer) const;

  // The connection is closed.
  void Forget(const std::string& peer) { sockets_.erase(peer); }

 private:
  std::map<std::string, int64_t> sockets_;  // channelz's numbers, which ascend, by peer
  int64_t last_ = 0;
};

}  // namespace dragoman
