// Finds connections that reset streams before they are requests (rapid resets, CVE-2023-44487).
//
// gRPC 1.51 accepts streams as fast as it reads them and hands them over as calls when it comes to
// it, if they were not reset before; an accepted stream costs it some 15 KiB until it is done with,
// and no limit of its bounds how many there are. So they are counted where gRPC counts them, ahead
// of the calls: of the streams accepted, those are *wasted* that were neither answered to the end
// nor brought a request. Some are in honest use, and some only wait for their turn or their
// request: what counts of one connection is what its limit on streams and a rate do not explain. Of
// many connections together it counts only while streams end by the hundred a second without an
// answer, for there may be many clients at once.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/clock.h"

namespace dragoman::server {

// Counts of streams since the start of the process or connection.
struct StreamCount {
  int64_t started = 0;
  int64_t succeeded = 0;  // answered to the end, with whatever status
  int64_t failed = 0;     // over, and not answered to the end
};

// How many HTTP/2 streams gRPC has accepted, by its own count (channelz).
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

struct ResetLimits {
  int64_t each = 2048;  // wasted streams of one connection
  // Streams without a request that are not done with, of all connections, before those that have a
  // part in it are closed.
  int64_t all = 10'240;
};

class ResetWatch {
 public:
  // How streams are counted; the real functions ask gRPC.
  struct Counts {
    std::function<StreamCount()> all;
    std::function<void()> update;  // before `of` is asked
    std::function<std::optional<StreamCount>(const std::string& peer)> of;
    std::function<void(const std::string& peer)> forget;
  };
  static Counts RealCounts();

  // So many wasted streams a second are not held against a connection.
  static constexpr int64_t kForgivenPerSecond = 50;
  // After so many more the connections are looked at; and with so many that ended lately, many
  // streams are a flood.
  static constexpr int64_t kWorthALook = 256;

  ResetWatch(const ResetLimits& limits, Counts counts)
      : limits_(limits), counts_(std::move(counts)) {}

  // A connection came, or is gone. `fd` names it in between.
  void Open(int fd, const std::string& peer, engine::Nanos now);
  void Close(int fd);

  // A call came, on a connection or on one that is not known (-1).
  void Begin(uint64_t call, int fd);
  // The call's request is here, or the call ended before.
  void Whole(uint64_t call);
  void Cut(uint64_t call);
  // gRPC is done with the call. `cancelled`: it did not answer it to the end.
  void Done(uint64_t call, bool cancelled);

  struct Floods {
    std::vector<int> connections;  // to be closed; they count as closed from now on
    bool many = false;             // all of them together are a flood, until gRPC is done with it
  };
  // To be called every few milliseconds.
  Floods Look(engine::Nanos now);

 private:
  struct Account {
    int64_t Wasted(const StreamCount& count) const {
      return count.started - count.succeeded - whole - cancelled;
    }

    int64_t whole = 0;      // calls with their request, which gRPC is not done with
    int64_t cancelled = 0;  // those that were not answered
  };
  struct Connection {
    std::string peer;
    uint64_t number = 0;
    Account account;
    int64_t forgiven = 0;  // until `seen`
    engine::Nanos seen = 0;
  };
  struct Call {
    int fd = -1;
    uint64_t connection = 0;
    bool whole = false;
    bool cut = false;
  };

  // The account of the call's connection; null if that is gone, or was never known.
  Account* AccountOf(const Call& call);
  // How many streams the connection has wasted that are not forgiven.
  static int64_t Unforgiven(Connection* connection, const StreamCount& count, engine::Nanos now);

  const ResetLimits limits_;
  const Counts counts_;
  Account all_;
  int64_t cut_ = 0;      // calls that are not done with
  int64_t checked_ = 0;  // what all had wasted when the connections were looked at
  int64_t failed_ = 0;   // streams without a request that had ended at the last look
  double failing_ = 0;   // how many of them ended lately: half a second's, about
  std::map<int, Connection> connections_;
  std::unordered_map<uint64_t, Call> calls_;
  uint64_t last_connection_ = 0;
};

}  // namespace dragoman::server
