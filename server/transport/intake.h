// Estimates how many bytes each connection has buffered for incomplete requests, and ends calls and
// connections that buffer too much.
//
// gRPC 1.51 reads a message of any length into memory before it reports the message. When gRPC
// reaches its ResourceQuota, it ends arbitrary calls. To avoid this, Intake compares two numbers
// for each connection every 20 ms: the bytes that the kernel received, and the bytes of the
// requests that arrived completely. The difference is buffered for calls whose request is
// incomplete:
//   * A connection that buffers more than its calls may send has its calls ended
//     (INVALID_ARGUMENT). If it has no known call, it is closed.
//   * A connection whose bytes gRPC reads too slowly is closed (IsSlow).
//   * A connection that keeps resetting calls before their requests are complete is closed, and new
//     connections wait a moment (ResetWatch). If many connections do this together, Intake also
//     closes connections that have no known waiting call and more than 4 KiB that gRPC has not
//     read.
//   * If all connections together buffer too much, the calls of the connections that buffer most
//     are ended (RESOURCE_EXHAUSTED).
//
// Thread-safe. Does not see calls over sockets other than TCP.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "engine/base/worker_pool.h"
#include "server/base/deadline_timer.h"
#include "server/transport/reset_watch.h"

namespace dragoman::server {

struct IntakeLimits {
  int64_t message_bytes = 0;  // limit on one request
  int64_t receive_bytes = 0;  // limit on all incoming requests together
  ResetLimits resets;
};

class Intake {
 public:
  // Tests replace these functions.
  struct Sockets {
    std::function<std::string(int fd)> peer;  // in PeerKey's notation; "" for other families
    std::function<int64_t(int fd)> received;  // bytes since the connection's start; -1 if unknown
    std::function<int64_t(int fd)> unread;    // received bytes that gRPC has not read
    std::function<void(int fd)> end;
  };
  static Sockets RealSockets();

  // Ends a call whose request is not complete yet. The status is INVALID_ARGUMENT if the request is
  // too large, and RESOURCE_EXHAUSTED if all incoming requests together are too large. Called
  // without locks on a thread of `enders`. The request may have become complete just before the
  // call.
  using EndCall = std::function<void(const absl::Status& status)>;

  // The bytes that each call counts in addition to its request, for its objects here and in gRPC.
  static constexpr int64_t kCallBytes = 32 * 1024;
  // The time between two checks of the connections with waiting calls.
  static constexpr engine::Nanos kPeriod = 20'000'000;

  // `timer` should have no other users. `enders` should have a thread of its own, because gRPC
  // takes seconds to end thousands of calls. REQUIRES: `clock`, `timer` and `enders` outlive this
  // object. REQUIRES: `timer` has stopped before this object is destroyed.
  Intake(const IntakeLimits& limits, Sockets sockets, ResetWatch::Counts counts,
         const engine::Clock* clock, DeadlineTimer* timer, engine::WorkerPool* enders);

  // Sets the function that is called in a flood of resets. The caller holds a lock that Close
  // takes, so `hold` must not call Close. REQUIRES: called before any call comes.
  void OnFlood(std::function<void()> hold) { hold_ = std::move(hold); }

  // Open reports a new connection. Close reports that the connection is about to be closed. `fd` is
  // valid in between.
  void Open(int fd);
  void Close(int fd);

  // Registers a call from `grpc_peer` (in gRPC's notation) whose request is not complete. The
  // caller must call LeaveComplete or LeaveAborted later, and then Done. Returns the call's number,
  // which is not 0.
  uint64_t Enter(const std::string& grpc_peer, EndCall end);
  // Reports that the call's request is complete. `bytes` includes its headers.
  void LeaveComplete(uint64_t call, int64_t bytes);
  // Reports that the call ended before its request was complete.
  void LeaveAborted(uint64_t call);
  // Reports that gRPC has finished the call. Its number must not be used afterwards. `cancelled`
  // means that the request was complete, but gRPC did not send the complete answer.
  void Done(uint64_t call, bool cancelled);

  int64_t waiting() const;

  // Checks the connections, as the timer does. Public for tests.
  void Look();

 private:
  struct Progress {
    engine::Nanos at = 0;
    int64_t read = 0;  // received bytes that gRPC has read
  };
  struct Connection {
    int fd = -1;
    std::string peer;
    int64_t seen = 0;     // bytes received at the last check
    int64_t arrived = 0;  // bytes of requests that became complete since the last check
    int64_t held = 0;     // buffered bytes that belong to no complete request
    int64_t late = 0;     // bytes allowed for aborted calls (AllowLate)
    bool moved = true;    // a call began or became complete since the last check
    int64_t quiet = 0;    // bytes received since a check last saw `moved`
    // The time and position from which IsSlow measures; unset while gRPC has nothing to read.
    std::optional<Progress> slow_from;
    std::map<uint64_t, EndCall> calls;
  };
  struct Ending {
    std::vector<EndCall> calls;
    absl::Status status;
  };

  void EndFloods() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // In a flood from many connections, ends the connections that have no waiting call and whose data
  // gRPC has not read yet. gRPC would take a second to reach the last of these connections.
  void EndUnread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Refresh(Connection* connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Reports whether gRPC has read little of the connection's `unread` bytes for some time, and no
  // call has begun or become complete in this time.
  static bool IsSlow(Connection* connection, int64_t unread, engine::Nanos now);
  // Adds bytes to `late` for `calls` calls of the connection that ended before their requests were
  // complete. These bytes were received or may still come.
  void AllowLate(Connection* connection, size_t calls) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  int64_t ChargeOf(const Connection& connection) const;
  void EndCalls(Connection* connection, absl::Status status, std::vector<Ending>* endings)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void EndConnection(Connection* connection, const char* why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void EndGreediest(int64_t total, std::vector<Ending>* endings) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void ArmLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void OnTimer();
  // Removes a call and returns its connection; null if the call is unknown.
  Connection* Remove(uint64_t call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const IntakeLimits limits_;
  const Sockets sockets_;
  const engine::Clock* const clock_;
  DeadlineTimer* const timer_;
  engine::WorkerPool* const enders_;
  std::function<void()> hold_ = [] {};

  mutable engine::Mutex mu_;
  ResetWatch resets_ ABSL_GUARDED_BY(mu_);
  std::map<int, Connection> connections_ ABSL_GUARDED_BY(mu_);
  std::unordered_map<std::string, int> by_peer_ ABSL_GUARDED_BY(mu_);
  std::unordered_map<uint64_t, int> calls_ ABSL_GUARDED_BY(mu_);  // the connection of each call
  uint64_t last_call_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t looks_ ABSL_GUARDED_BY(mu_) = 0;
  bool armed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::server
