// Starts dragomand as a child process and waits until it listens.
//
// May be used while gRPC's threads run, because between fork and exec the child only does what is
// safe in a process with threads.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::client {

struct DaemonStart {
  std::string program;
  std::vector<std::string> flags;  // all of them
  int input = -1;                  // the daemon's standard input, borrowed; -1: this process's
  int log = -1;                    // its standard error, borrowed: a file that can be read
  // Whether the daemon ends by SIGTERM when this process ends for any reason. Otherwise it has a
  // session of its own, which no signal of a terminal reaches.
  bool ends_with_parent = true;
};

struct DaemonProcess {
  pid_t pid = -1;    // a child that the caller must wait for
  int output = -1;   // the reading end of a pipe from its standard output, owned by the caller
  std::string grpc;  // its gRPC address
};

// Waits without limit until the daemon listens. Returns NOT_FOUND if there is no such program, and
// FAILED_PRECONDITION with the last line of its log if it has ended.
absl::StatusOr<DaemonProcess> StartDaemon(const DaemonStart& start);

// Returns the path of dragomand: in this program's directory, else in the build directory, else from
// PATH.
std::string UsualDaemon();

// Returns all of a file that is open for reading.
std::string ReadDescriptor(int fd);

}  // namespace dragoman::client
