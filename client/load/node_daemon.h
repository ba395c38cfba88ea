// A dragomand that several processes of a user share on a machine.
//
// The first process with the same flags starts the daemon, and later ones join. The daemon ends when
// the last process has left or ended, by whatever means. While a process has a NodeDaemon, a daemon
// that dies is started again; calls that are retried then lose nothing.
//
// The processes meet in a folder B/H. B is $DRAGOMAN_LOCAL_DIR, else $XDG_RUNTIME_DIR/dragoman-local,
// else /tmp/dragoman-UID. H is the beginning of the SHA-256 of the flags. The folder has
//
//   lock   is locked (flock) while a process joins
//   users  a FIFO: the daemon's standard input, which each process keeps open for writing. The
//          daemon ends at its end (--exit-at-eof). Without a daemon it has no reader
//   sock   the socket at which the daemon listens
//   log    the daemon's log since its start
//
// client/python/dragoman/_node.py does the same, so that both join each other's daemons.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/load/daemon_process.h"

namespace dragoman::client {

// Thread-safe.
class NodeDaemon {
 public:
  // Returns the value of an environment variable, or "".
  using Environment = std::function<std::string(const std::string&)>;

  struct Options {
    std::string program = UsualDaemon();
    // Flags of dragomand such as {"--model", "de-en=DIR"}. An existing path after "--model" is made
    // absolute.
    std::vector<std::string> flags;
  };

  // Returns when the daemon listens. Returns PERMISSION_DENIED if others may write the folder, and
  // the errors of StartDaemon.
  static absl::StatusOr<std::unique_ptr<NodeDaemon>> Join(const Options& options,
                                                          const Environment& environment);
  // Leaves.
  ~NodeDaemon();
  NodeDaemon(const NodeDaemon&) = delete;
  NodeDaemon& operator=(const NodeDaemon&) = delete;

  // The daemon's gRPC address, which stays the same.
  std::string address() const { return "unix:" + folder_ + "/sock"; }
  const std::string& folder() const { return folder_; }
  // Returns the error of the last start if the daemon died and could not be started again, five
  // times in succession.
  absl::Status status() const;

 private:
  NodeDaemon(std::string program, std::vector<std::string> flags, std::string folder);
  // Joins or starts the daemon. Sets users_.
  absl::Status Enter();
  absl::Status StartHere();
  void Watch();

  const std::string program_;
  const std::vector<std::string> flags_;
  const std::string folder_;
  const int stop_;         // an eventfd that the destructor writes
  int users_ = -1;         // the FIFO's writing end
  pid_t child_ = -1;       // the daemon, if this process has started it
  mutable std::mutex mu_;  // guards status_
  absl::Status status_;
  std::thread watcher_;
};

}  // namespace dragoman::client
