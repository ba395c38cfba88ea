// Finds connections that reset streams before their requests arrive (rapid reset, CVE-2023-44487).
//
// gRPC 1.51 accepts streams as fast as it reads them, without a limit, and later reports the
// streams that were not reset as calls. An accepted stream costs gRPC about 15 KiB until it has
// finished. So this class uses gRPC's own counts of accepted streams.
//
// A stream is *wasted* if it brought no complete request and was not answered completely. Honest
// clients waste some streams, and some streams only wait for their request. So each connection is
// forgiven kForgivenPerSecond wasted streams a second, and it is flagged only if it has wasted more
// than ResetLimits::each streams in addition. Many connections together are flagged only while
// hundreds of streams a second end without an answer.
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
  int64_t succeeded = 0;  // answered completely, with any status
  int64_t failed = 0;     // ended without a complete answer
};

struct ResetLimits {
  int64_t each = 2048;  // the maximum number of wasted streams of one connection
  // The maximum number of unfinished streams without a request, of all connections together. Above
  // this limit, the connections that have such streams are closed.
  int64_t all = 10'240;
};

class ResetWatch {
 public:
  // The functions that count streams. Tests replace them.
  struct Counts {
    std::function<StreamCount()> all;
    std::function<void()> update;  // called before `of`
    std::function<std::optional<StreamCount>(const std::string& peer)> of;
    std::function<void(const std::string& peer)> forget;
  };
  static Counts RealCounts();

  // The number of wasted streams a second that each connection is forgiven.
  static constexpr int64_t kForgivenPerSecond = 50;
  // The connections are checked each time they have wasted this many further streams. Unfinished
  // streams count as a flood only if more than this number of streams have failed in about the last
  // half second.
  static constexpr int64_t kWorthALook = 256;

  ResetWatch(const ResetLimits& limits, Counts counts)
      : limits_(limits), counts_(std::move(counts)) {}

  // Reports that a connection came. `fd` identifies it until Close.
  void Open(int fd, const std::string& peer, engine::Nanos now);
  // Reports that the connection is gone.
  void Close(int fd);

  // Reports that a call came. `fd` is -1 if its connection is unknown.
  void Begin(uint64_t call, int fd);
  // Reports that the call's request is complete.
  void Completed(uint64_t call);
  // Reports that the call ended before its request was complete.
  void Aborted(uint64_t call);
  // Reports that gRPC has finished the call. `cancelled` means that the call got no complete
  // answer.
  void Done(uint64_t call, bool cancelled);

  struct Floods {
    // The caller must close them; this object already treats them as closed.
    std::vector<int> connections;
    bool many = false;  // all connections together are a flood
  };
  // Checks the counts and returns the floods. REQUIRES: called every few milliseconds.
  Floods Look(engine::Nanos now);

 private:
  struct Account {
    int64_t Wasted(const StreamCount& count) const {
      return count.started - count.succeeded - complete - cancelled;
    }

    int64_t complete = 0;   // unfinished calls with a complete request
    int64_t cancelled = 0;  // calls with a complete request, but without a complete answer
  };
  struct Connection {
    std::string peer;
    uint64_t number = 0;
    Account account;
    int64_t forgiven = 0;  // streams that were forgiven up to the time `seen` (kForgivenPerSecond)
    engine::Nanos seen = 0;
  };
  struct Call {
    int fd = -1;
    uint64_t connection = 0;
    bool complete = false;
    bool aborted = false;
  };

  // Returns null if the call's connection is gone or unknown.
  Account* AccountOf(const Call& call);
  // Returns the number of wasted streams of the connection that are not forgiven.
  static int64_t Unforgiven(Connection* connection, const StreamCount& count, engine::Nanos now);

  const ResetLimits limits_;
  const Counts counts_;
  Account all_;
  int64_t aborted_ = 0;  // unfinished calls that ended before their request was complete
  int64_t checked_ = 0;  // wasted streams of all connections at the last check of the connections
  int64_t failed_ = 0;   // failed streams that brought no request, at the last Look
  // Decaying count of failed streams that brought no request in about the last half second.
  double failing_ = 0;
  std::map<int, Connection> connections_;
  std::unordered_map<uint64_t, Call> calls_;
  uint64_t last_connection_ = 0;
};

}  // namespace dragoman::server
