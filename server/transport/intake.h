// Requests on their way in, of all connections together: how much of them is held, and for which.
//
// gRPC 1.51 takes a message of any length into memory before it tells of it, and at its
// ResourceQuota it ends whichever calls it comes across. So the bytes that each connection has
// received (by the kernel's count) are compared, every few milliseconds, with the requests that
// arrived whole on it. What is left is held for calls whose request is not whole, and
//   * a connection that holds more than its calls may send has its calls ended (INVALID_ARGUMENT);
//     where the calls are not ours, it is closed;
//   * one whose bytes gRPC reads without getting on is closed (IsSlow);
//   * one that resets its calls again and again before their requests are whole is closed, and new
//     connections wait a moment (ResetWatch); where many do so together, those that have sent more
//     than 4 KiB that gRPC has not come to, and of which it knows no waiting call, are closed too;
//   * while all together hold more than may be, the connection that holds most has its calls ended
//     (RESOURCE_EXHAUSTED).
// Thread-safe. Calls over sockets that are not TCP are not seen.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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
  int64_t message_bytes = 0;  // of one request
  int64_t receive_bytes = 0;  // of all on their way in
  ResetLimits resets;
};

class Intake {
 public:
  // How a connection is queried and closed; the real functions work on sockets.
  struct Sockets {
    std::function<std::string(int fd)> peer;  // as PeerKey writes it; "" if it has none
    std::function<int64_t(int fd)> received;  // bytes since its start; -1 if it cannot be told
    std::function<int64_t(int fd)> unread;    // bytes of them that gRPC has not read
    std::function<void(int fd)> end;
  };
  static Sockets RealSockets();

  // Ends a call that is still waiting for its request. Called without locks by a thread of `enders`; may
  // come late.
  using EndCall = std::function<void(const absl::Status& status)>;

  // The charge for one call beside its bytes: its objects here and in gRPC.
  static constexpr int64_t kCallBytes = 32 * 1024;
  // How often connections with waiting calls are looked at.
  static constexpr engine::Nanos kPeriod = 20'000'000;

  // `clock`, `timer` and `enders` outlive it; `timer` must have ended when it is destroyed. `timer` should
  // have no other users, and `enders` a thread: gRPC takes a millisecond to end a call of a connection
  // that it has much to read of, and of thousands of them the looks would be seconds late.
  Intake(const IntakeLimits& limits, Sockets sockets, ResetWatch::Counts counts,
         const engine::Clock* clock, DeadlineTimer* timer, engine::WorkerPool* enders);

  // Sets what is done when streams are reset by the thousand. To be called before calls come;
  // `hold` runs with a lock held that Close takes.
  void OnFlood(std::function<void()> hold) { hold_ = std::move(hold); }

  // A connection came, and is about to be closed: `fd` is valid in between.
  void Open(int fd);
  void Close(int fd);

  // A call waits for its request, until LeaveWhole or LeaveCut. Returns its number, which is not 0.
  uint64_t Enter(const std::string& grpc_peer, EndCall end);
  // The call's request is here; `bytes` includes its headers.
  void LeaveWhole(uint64_t call, int64_t bytes);
  // The call ended before its request was here.
  void LeaveCut(uint64_t call);
  // gRPC is done with the call; its number must not be used later. `cancelled`: its request was
  // whole, and gRPC did not answer it to the end.
  void Done(uint64_t call, bool cancelled);

  int64_t waiting() const;

  // Looks at all connections, as the timer does; for tests.
  void Look();

 private:
  struct Progress {
    engine::Nanos at = 0;
    int64_t read = 0;  // by gRPC, of what was received
  };
  struct Connection {
    int fd = -1;
    std::string peer;
    int64_t seen = 0;     // received, when it was looked at last
    int64_t arrived = 0;  // in whole requests since then
    int64_t held = 0;     // the rest
    int64_t late = 0;     // of `held` or still to come: of calls that were cut
    bool moved = true;    // a call began or became whole since it was looked at
    int64_t quiet = 0;    // received since then, by `seen`
    // When and where gRPC was seen to have more to read than it had read; unset while it has not.
    std::optional<Progress> slow_from;
    std::map<uint64_t, EndCall> calls;
  };
  struct Ending {
    std::vector<EndCall> calls;
    absl::Status status;
  };

  void EndFloods() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // In a flood from many connections, ends those whose part gRPC has not read yet. It reads
  // hundreds of streams of one connection before it comes to the next, so that it would come to the
  // last a second later.
  void EndUnread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Refresh(Connection* connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Whether gRPC has had much to read for a while and has read a little of it, without a call that
  // began or became whole. `unread` is what it had to read just now.
  static bool IsSlow(Connection* connection, int64_t unread, engine::Nanos now);
  // `calls` of the connection have ended without their requests: what came of them, and what their
  // client has already sent, belongs to no call from now on.
  void AllowLate(Connection* connection, size_t calls) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  int64_t ChargeOf(const Connection& connection) const;
  void EndCalls(Connection* connection, absl::Status status, std::vector<Ending>* endings)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void EndConnection(Connection* connection, const char* why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void EndGreediest(int64_t total, std::vector<Ending>* endings) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void ArmLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void OnTimer();
  // Removes a call and returns its connection; null if the call is not known.
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
  std::unordered_map<uint64_t, int> calls_ ABSL_GUARDED_BY(mu_);  // the connection's descriptor
  uint64_t last_call_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t looks_ ABSL_GUARDED_BY(mu_) = 0;
  bool armed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::server
