// Runs dragomand as a child process for measurements, on free loopback ports. The destructor ends
// the process.
//
// Not thread-safe. May be used while gRPC's threads run.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/load/daemon_process.h"

namespace dragoman::client {

class LocalDaemon {
 public:
  // Starts `program` with `flags` and flags for its addresses. Waits without limit until it
  // listens. The errors are those of StartDaemon.
  static absl::StatusOr<std::unique_ptr<LocalDaemon>> Start(const std::string& program,
                                                            const std::vector<std::string>& flags);
  // Sends SIGTERM to the daemon and waits until it has ended.
  ~LocalDaemon();
  LocalDaemon(const LocalDaemon&) = delete;
  LocalDaemon& operator=(const LocalDaemon&) = delete;

  // The daemon's gRPC address.
  const std::string& address() const { return process_.grpc; }
  // Returns the user and system time of all threads of the daemon so far.
  std::chrono::nanoseconds cpu_time() const;
  int64_t resident_bytes() const;
  // Returns the daemon's own estimate of its maximum memory, which is the sum in its log line
  // "memory bound". Returns 0 if the log has no such line.
  int64_t memory_bound_bytes() const;

 private:
  LocalDaemon(DaemonProcess process, int log) : process_(std::move(process)), log_(log) {}

  const DaemonProcess process_;
  const int log_;  // the file with its log, which has no name any more (unlinked)
};

}  // namespace dragoman::client
