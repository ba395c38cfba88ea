// The process that takes over from this one: the same program, started again by its path, with the
// same arguments and with this one's listening sockets, while this one goes on. As nginx and Envoy do
// it: what the path names then, a newer version say, serves once it has loaded its models, and no
// connection is refused meanwhile.
//
// For one thread. Functions about a predecessor are for the process that was started so.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman {

// The number of the first socket that a process is handed: SD_LISTEN_FDS_START of systemd.
inline constexpr int kFirstInheritedFd = 3;

// Listening sockets by the names of their ports; borrowed for the call.
using NamedSockets = std::vector<std::pair<std::string, int>>;

class Successor {
 public:
  // Starts it; it is not waited for. INTERNAL says what failed.
  static absl::StatusOr<std::unique_ptr<Successor>> Start(const NamedSockets& sockets);
  // One that does not serve yet is ended.
  ~Successor();
  Successor(const Successor&) = delete;
  Successor& operator=(const Successor&) = delete;

  enum class State { kStarting, kServing, kEnded };
  // Asks how far it is; never waits.
  State Look();
  pid_t pid() const { return pid_; }

 private:
  Successor(pid_t pid, int ready) : pid_(pid), ready_(ready) {}

  const pid_t pid_;
  const int ready_;  // a pipe on which it says that it serves
  State state_ = State::kStarting;
};

// Whether a process started this one as its successor, and still runs.
bool HasPredecessor();
// Tells it, if there is one, that this process serves now. Once.
void TellPredecessor();

}  // namespace dragoman
