// A dragomand as a child process for measurements, on free loopback ports. It ends with the object.
//
// Not thread-safe. Threads of gRPC may already run: the child does nothing harmful before exec.
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
  // Starts `program` with `flags` and those of its addresses. Waits without limit until it listens.
  // NOT_FOUND: no such program. FAILED_PRECONDITION: it ended; has the last line of its log.
  static absl::StatusOr<std::unique_ptr<LocalDaemon>> Start(const std::string& program,
                                                            const std::vector<std::string>& flags);
  // Ends the daemon with SIGTERM and waits for its end.
  ~LocalDaemon();
  LocalDaemon(const LocalDaemon&) = delete;
  LocalDaemon& operator=(const LocalDaemon&) = delete;

  // The daemon's gRPC address.
  const std::string& address() const { return address_; }
  // User and system time of all threads of the daemon so far.
  std::chrono::nanoseconds cpu_time() const;
  int64_t resident_bytes() const;
  // The sum in the daemon's log line "memory bound", its maximum memory; 0 if there is none.
  int64_t memory_bound_bytes() const;

  // This program's dragomand: in the same directory or in the build's; else from PATH.
  static std::string UsualProgram();

 private:
  LocalDaemon(pid_t pid, int output, int log) : pid_(pid), output_(output), log_(log) {}

  // Returns the next line of the child's standard output, or the rest if the child has ended.
  std::string ReadLine() const;
  std::string Log() const;

  const pid_t pid_;
  const int output_;  // the reading end of its standard output
  const int log_;     // an unlinked file
  std::string address_;
};

}  // namespace dragoman::client
