#include "server/process/successor.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dragoman {
namespace {

// The process that started this one, and the descriptor on which to answer: "PID,FD".
constexpr char kPredecessor[] = "DRAGOMAN_PREDECESSOR";
constexpr int kOutOfTheWay = 64;

// The arguments of this process, from /proc.
std::vector<std::string> OwnArguments() {
  std::vector<std::string> out;
  FILE* const file = std::fopen("/proc/self/cmdline", "re");
  if (file == nullptr) return out;
  std::string one;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    if (c != 0) {
      one += static_cast<char>(c);
      continue;
    }
    out.push_back(std::move(one));
    one.clear();
  }
  std::fclose(file);
  return out;
}

// The path by which this process was started, which may hold another version by now.
std::string OwnPath(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0].find('/') != std::string::npos) return arguments[0];
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size() - 1);
  std::string out(path.data(), size > 0 ? static_cast<size_t>(size) : 0);
  constexpr std::string_view kDeleted = " (deleted)";
  if (out.ends_with(kDeleted)) out.resize(out.size() - kDeleted.size());
  return out;
}

std::vector<char*> Pointers(std::vector<std::string>* texts) {
  std::vector<char*> out;
  for (std::string& text : *texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> EnvironmentFor(const NamedSockets& sockets, int ready) {
  std::vector<std::string> out;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view one(*at);
    if (!one.starts_with("LISTEN_") && !one.starts_with(kPredecessor)) out.emplace_back(one);
  }
  std::vector<std::string> names;
  for (const auto& [name, fd] : sockets) names.push_back(name);
  out.push_back(absl::StrCat("LISTEN_FDS=", sockets.size()));
  out.push_back(absl::StrCat("LISTEN_FDNAMES=", absl::StrJoin(names, ":")));
  out.push_back(absl::StrCat(kPredecessor, "=", getpid(), ",", ready));
  return out;
}

// The predecessor's number and the descriptor; false: there is none.
bool ReadPredecessor(pid_t* pid, int* fd) {
  const char* const text = std::getenv(kPredecessor);
  return text != nullptr && std::sscanf(text, "%d,%d", pid, fd) == 2 && *pid == getppid();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Successor>> Successor::Start(const NamedSockets& sockets) {
  std::vector<std::string> arguments = OwnArguments();
  const std::string path = OwnPath(arguments);
  if (arguments.empty() || path.empty()) {
    return absl::InternalError("/proc/self: found no path of this program, expected one");
  }
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::InternalError(absl::StrCat("no pipe: ", std::strerror(errno)));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  // Copies that do not lie where the successor is to find its sockets.
  std::vector<int> copies;
  for (const auto& [name, fd] : sockets) {
    copies.push_back(fcntl(fd, F_DUPFD_CLOEXEC, kOutOfTheWay));
  }
  copies.push_back(fcntl(ends[1], F_DUPFD_CLOEXEC, kOutOfTheWay));
  close(ends[1]);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int next = kFirstInheritedFd;
  int failed = 0;
  for (const int copy : copies) {
    if (copy < 0) failed = EMFILE;
    posix_spawn_file_actions_adddup2(&actions, copy, next++);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, next);
  std::vector<std::string> environment = EnvironmentFor(sockets, next - 1);
  pid_t pid = -1;
  if (failed == 0) {
    failed = posix_spawn(&pid, path.c_str(), &actions, nullptr, Pointers(&arguments).data(),
                         Pointers(&environment).data());
  }
  posix_spawn_file_actions_destroy(&actions);
  for (const int copy : copies) {
    if (copy >= 0) close(copy);
  }
  if (failed != 0) {
    close(ends[0]);
    return absl::InternalError(absl::StrCat(path, ": ", std::strerror(failed)));
  }
  return std::unique_ptr<Successor>(new Successor(pid, ends[0]));
}

Successor::State Successor::Look() {
  if (state_ != State::kStarting) return state_;
  char byte = 0;
  const ssize_t got = read(ready_, &byte, 1);
  if (got == 1) {
    state_ = State::kServing;
  } else if (got == 0) {
    // It has closed its end, and so it ends.
    waitpid(pid_, nullptr, 0);
    state_ = State::kEnded;
  }
  return state_;
}

Successor::~Successor() {
  if (Look() == State::kStarting) {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  close(ready_);
}

bool HasPredecessor() {
  pid_t pid = 0;
  int fd = 0;
  return ReadPredecessor(&pid, &fd);
}

void TellPredecessor() {
  pid_t pid = 0;
  int fd = 0;
  if (!ReadPredecessor(&pid, &fd)) return;
  unsetenv(kPredecessor);
  constexpr char kServing = '1';
  [[maybe_unused]] const ssize_t told = write(fd, &kServing, 1);
  close(fd);
}

}  // namespace dragoman
