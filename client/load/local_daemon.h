// Runs dragomand as a child process for measurements, on free loopback ports. The destructor ends
// the process.
//
// Not thread-safe. May be used while gRPC's threads run, because between fork and exec the child
// only does what is safe in a process with threads.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::client {

class LocalDaemon {
 public:
  // Starts `program` with `flags` and flags for its addresses. Waits without limit until it
  // listens. Returns NOT_FOUND if there is no such program, and FAILED_PRECONDITION with the last
  // line of its log if it has ended.
  static absl::StatusOr<std::unique_ptr<LocalDaemon>> Start(const std::string& program,
                                                            const std::vector<std::string>& flags);
  // Sends SIGTERM to the daemon and waits until it has ended.
  ~LocalDaemon();
  LocalDaemon(const LocalDaemon&) = delete;
  LocalDaemon& operator=(const LocalDaemon&) = delete;

  // The daemon's gRPC address.
  const std::string& address() const { return address_; }
  // Returns the user and system time of all threads of the daemon so far.
  std::chrono::nanoseconds cpu_time() const;
  int64_t resident_bytes() const;
  // Returns the daemon's own estimate of its maximum memory, which is the sum in its log line
  // "memory bound". Returns 0 if the log has no such line.
  int64_t memory_bound_bytes() const;

  // Returns the path of dragomand: in this program's directory, else in the build directory, else
  // from PATH.
  static std::string UsualProgram();

 private:
  LocalDaemon(pid_t pid, int output, int log) : pid_(pid), output_(output), log_(log) {}

  // Returns the next line of the daemon's standard output, or the rest of the output if the daemon
  // has ended.
  std::string ReadLine() const;
  std::string Log() const;

  const pid_t pid_;
  const int output_;  // the reading end of a pipe from its standard output
  const int log_;     // the file with its log, which has no name any more (unlinked)
  std::string address_;
};

}  // namespace dragoman::client
