// A dragomand of this machine as a child process, for measurements: started on free ports of the
// loopback, ended with the object.
//
// For one thread. Threads of gRPC may be there already: the child does nothing before exec that they
// could disturb.
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
  // Starts `program` with these flags beside those of its addresses, and waits until it listens,
  // however long its models take to load. NOT_FOUND: no such program; FAILED_PRECONDITION: it ended,
  // with the last line of its log.
  static absl::StatusOr<std::unique_ptr<LocalDaemon>> Start(const std::string& program,
                                                            const std::vector<std::string>& flags);
  // Ends the daemon by SIGTERM, and waits for that.
  ~LocalDaemon();
  LocalDaemon(const LocalDaemon&) = delete;
  LocalDaemon& operator=(const LocalDaemon&) = delete;

  // Where it listens for gRPC.
  const std::string& address() const { return address_; }
  // User and system time of all threads of the daemon so far.
  std::chrono::nanoseconds cpu_time() const;
  // The daemon's resident memory now.
  int64_t resident_bytes() const;
  // The sum of its log line "memory bound", the most that it can come to hold; 0 if there is none.
  int64_t memory_bound_bytes() const;

  // The dragomand that belongs to this program: beside it, or where the build has it; else the one
  // of PATH.
  static std::string UsualProgram();

 private:
  LocalDaemon(pid_t pid, int output, int log) : pid_(pid), output_(output), log_(log) {}

  // The child's standard output up to the end of a line, or what there was before it ended.
  std::string ReadLine() const;
  std::string Log() const;

  const pid_t pid_;
  const int output_;  // the reading end of its standard output
  const int log_;     // a file that has no name any more
  std::string address_;
};

}  // namespace dragoman::client
