#include "client/load/daemon_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dragoman::client {
namespace {

// The child's exit status if the program was not found. A shell uses the same status.
constexpr int kNoProgram = 127;

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Returns the next line, or the rest if the writer has ended.
std::string ReadLine(int fd) {
  std::string line;
  char byte = 0;
  for (;;) {
    const ssize_t got = read(fd, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || byte == '\n') return line;
    line += byte;
  }
}

// Waits for the end of a daemon that does not listen, and returns why it has ended.
absl::Status WhyEnded(const DaemonStart& start, pid_t pid) {
  int ended = 0;
  while (waitpid(pid, &ended, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(ended) && WEXITSTATUS(ended) == kNoProgram) {
    return absl::NotFoundError(
        absl::StrCat("found no program '", start.program, "', expected dragomand"));
  }
  std::string said = ReadDescriptor(start.log);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  said = said.substr(said.rfind('\n') + 1);
  const auto entry = nlohmann::json::parse(said, nullptr, false);
  if (entry.is_object()) said = entry.value("error", said);
  return absl::FailedPreconditionError(absl::StrCat(start.program, " did not start: ", said));
}

}  // namespace

absl::StatusOr<DaemonProcess> StartDaemon(const DaemonStart& start) {
  std::vector<std::string> words = {start.program};
  words.insert(words.end(), start.flags.begin(), start.flags.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    if (start.ends_with_parent) {
      // Makes the kernel send SIGTERM to the child when this process ends for any reason.
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) _exit(1);
    } else {
      setsid();
    }
    if (start.input >= 0) dup2(start.input, STDIN_FILENO);
    dup2(pipe_ends[1], STDOUT_FILENO);
    dup2(start.log, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(errno == ENOENT ? kNoProgram : kNoProgram - 1);
  }
  const int error = errno;
  close(pipe_ends[1]);
  if (pid < 0) {
    close(pipe_ends[0]);
    return absl::ErrnoToStatus(error, "cannot start " + start.program);
  }
  const std::string line = ReadLine(pipe_ends[0]);
  const std::string key = "grpc=";
  const size_t at = line.find(key);
  if (at == std::string::npos) {
    close(pipe_ends[0]);
    return WhyEnded(start, pid);
  }
  const std::string grpc = line.substr(at + key.size(), line.find(' ', at) - at - key.size());
  return DaemonProcess{pid, pipe_ends[0], grpc};
}

std::string UsualDaemon() {
  char self[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof(self));
  if (size > 0) {
    const std::string folder = FolderOf(std::string(self, static_cast<size_t>(size)));
    for (const char* path : {"/dragomand", "/../server/dragomand"}) {
      if (access((folder + path).c_str(), X_OK) == 0) return folder + path;
    }
  }
  return "dragomand";
}

std::string ReadDescriptor(int fd) {
  std::string text;
  char buffer[4096];
  for (off_t at = 0;;) {
    const ssize_t got = pread(fd, buffer, sizeof(buffer), at);
    if (got <= 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    at += got;
  }
}

}  // namespace dragoman::client
