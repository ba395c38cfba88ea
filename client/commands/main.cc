// The binary `dragoman`. Under the names marian-decoder and marian-scorer it is these programs.

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "absl/synchronization/mutex.h"
#include "client/channel_security.h"
#include "client/commands/command.h"
#include "client/marian/marian_command.h"

namespace {

// Opens /dev/null for every standard descriptor (0, 1, 2) that is closed. Otherwise a descriptor
// that is opened later, such as an eventfd, would get the number 0 and be read as standard input.
// Standard input is opened for writing only and the others for reading only, so that using them
// fails as with a closed descriptor.
//
// Runs before static initialisers of libraries, because gRPC's opens an eventfd. Makes system calls
// directly, because the runtime of a sanitizer is not ready at that time. server/process/main.cc
// has a copy of this function, because the two programs share only the proto
// (tests/lint/includes.py).
__attribute__((no_sanitize("address", "thread", "undefined"))) void OpenStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (syscall(SYS_fcntl, fd, F_GETFD) >= 0) continue;
    syscall(SYS_openat, AT_FDCWD, "/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY, 0);
  }
}

[[gnu::section(".preinit_array"), gnu::used]] void (*before_libraries)() = OpenStandardDescriptors;

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  // Debian's abseil is built to look for deadlocks in gRPC, which takes time.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  dragoman::client::Io io{.out = std::cout, .err = std::cerr};
  io.in_terminal = isatty(STDIN_FILENO) != 0;
  io.out_terminal = isatty(STDOUT_FILENO) != 0;
  io.err_terminal = isatty(STDERR_FILENO) != 0;
  winsize size{};
  if (ioctl(io.out_terminal ? STDOUT_FILENO : STDERR_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    io.columns = size.ws_col;
  }
  io.environment = [](const std::string& name) -> std::string {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
  };
  dragoman::client::KeepTlsErrors();
  const dragoman::client::Arguments arguments(argv + 1, argv + argc);
  const std::string_view path = argv[0];
  const std::string_view program = path.substr(path.rfind('/') + 1);
  int status = 0;
  if (program == "marian-decoder") {
    status = MarianCommand(dragoman::client::MarianProgram::kDecoder, io, arguments);
  } else if (program == "marian-scorer") {
    status = MarianCommand(dragoman::client::MarianProgram::kScorer, io, arguments);
  } else {
    status = dragoman::client::RunDragoman(io, arguments);
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "dragoman: could not write to standard output\n";
    return dragoman::client::kExitFailed;
  }
  return status;
}
