#include "client/load/local_daemon.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace dragoman::client {
namespace {

// The child's exit status if the program was not found. A shell uses the same status.
constexpr int kNoProgram = 127;

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

absl::StatusOr<std::unique_ptr<LocalDaemon>> LocalDaemon::Start(
    const std::string& program, const std::vector<std::string>& flags) {
  std::vector<std::string> words = {program, "--listen", "127.0.0.1:0", "--metrics",
                                    "off",   "--http",   "off"};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  const int log = memfd_create("dragomand.log", MFD_CLOEXEC);
  if (log < 0) {
    const absl::Status status = absl::ErrnoToStatus(errno, "cannot make a file for the log");
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    return status;
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    // Makes the kernel send SIGTERM to the child when this process ends for any reason.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    dup2(pipe_ends[1], STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(errno == ENOENT ? kNoProgram : kNoProgram - 1);
  }
  const int error = errno;
  close(pipe_ends[1]);
  if (pid < 0) {
    close(pipe_ends[0]);
    close(log);
    return absl::ErrnoToStatus(error, "cannot start " + program);
  }
  std::unique_ptr<LocalDaemon> daemon(new LocalDaemon(pid, pipe_ends[0], log));
  const std::string line = daemon->ReadLine();
  const std::string key = "grpc=";
  const size_t at = line.find(key);
  if (at != std::string::npos) {
    daemon->address_ = line.substr(at + key.size(), line.find(' ', at) - at - key.size());
    return daemon;
  }
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT);
  if (ended.si_code == CLD_EXITED && ended.si_status == kNoProgram) {
    return absl::NotFoundError(
        absl::StrCat("found no program '", program, "', expected dragomand"));
  }
  std::string said = daemon->Log();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  said = said.substr(said.rfind('\n') + 1);
  const auto entry = nlohmann::json::parse(said, nullptr, false);
  if (entry.is_object()) said = entry.value("error", said);
  return absl::FailedPreconditionError(absl::StrCat(program, " did not start: ", said));
}

LocalDaemon::~LocalDaemon() {
  kill(pid_, SIGTERM);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(output_);
  close(log_);
}

std::string LocalDaemon::ReadLine() const {
  std::string line;
  char byte = 0;
  for (;;) {
    const ssize_t got = read(output_, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || byte == '\n') return line;
    line += byte;
  }
}

std::string LocalDaemon::Log() const {
  std::string text;
  char buffer[4096];
  for (off_t at = 0;;) {
    const ssize_t got = pread(log_, buffer, sizeof(buffer), at);
    if (got <= 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    at += got;
  }
}

std::chrono::nanoseconds LocalDaemon::cpu_time() const {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    return std::chrono::nanoseconds(0);
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

int64_t LocalDaemon::resident_bytes() const {
  std::ifstream file(absl::StrCat("/proc/", pid_, "/statm"));
  int64_t size = 0;
  int64_t resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t LocalDaemon::memory_bound_bytes() const {
  std::istringstream lines(Log());
  for (std::string line; std::getline(lines, line);) {
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_object() && entry.value("msg", "") == "memory bound") {
      return entry.value("sum_bytes", int64_t{0});
    }
  }
  return 0;
}

std::string LocalDaemon::UsualProgram() {
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

}  // namespace dragoman::client
