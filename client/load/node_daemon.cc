#include "client/load/node_daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/corpus/compressed_file.h"

namespace dragoman::client {
namespace {

// How often a start is tried, and the first wait between two tries. It doubles.
constexpr int kTries = 5;
constexpr int kFirstWaitMillis = 1000;

// Makes a path after --model absolute: DIR or NAME=DIR.
std::string Absolute(const std::string& value) {
  const size_t equals = value.find('=');
  const size_t begin = equals == value.npos ? 0 : equals + 1;
  std::error_code error;
  const std::string path = value.substr(begin);
  if (!std::filesystem::exists(path, error)) return value;
  return value.substr(0, begin) +
         std::filesystem::absolute(path, error).lexically_normal().string();
}

std::vector<std::string> WithAbsoluteModels(std::vector<std::string> flags) {
  const std::string name = "--model";
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == name && i + 1 < flags.size()) {
      flags[i + 1] = Absolute(flags[i + 1]);
    } else if (flags[i].starts_with(name + "=")) {
      flags[i] = name + "=" + Absolute(flags[i].substr(name.size() + 1));
    }
  }
  return flags;
}

// Makes a folder that this user alone may write.
absl::Status MakeOwnFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::ErrnoToStatus(errno, "cannot make " + path);
  }
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, "cannot open " + path);
  if (S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(
      absl::StrCat(path, " must be a folder of this user that others cannot write"));
}

// Holds the lock of a file while it exists.
class FileLock {
 public:
  explicit FileLock(const std::string& path)
      : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (fd_ >= 0) close(fd_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  const int fd_;
};

}  // namespace

NodeDaemon::NodeDaemon(std::string program, std::vector<std::string> flags, std::string folder)
    : program_(std::move(program)),
      flags_(std::move(flags)),
      folder_(std::move(folder)),
      stop_(eventfd(0, EFD_CLOEXEC)) {}

absl::StatusOr<std::unique_ptr<NodeDaemon>> NodeDaemon::Join(const Options& options,
                                                             const Environment& environment) {
  std::string base = environment("DRAGOMAN_LOCAL_DIR");
  if (base.empty() && !environment("XDG_RUNTIME_DIR").empty()) {
    base = environment("XDG_RUNTIME_DIR") + "/dragoman-local";
  }
  if (base.empty()) base = absl::StrCat("/tmp/dragoman-", geteuid());
  if (absl::Status status = MakeOwnFolder(base); !status.ok()) return status;
  std::vector<std::string> flags = WithAbsoluteModels(options.flags);
  Sha256 digest;
  for (const std::string& flag : flags) digest.Add(flag + '\0');
  const std::string folder = base + "/" + digest.Hex().substr(0, 16);
  if (absl::Status status = MakeOwnFolder(folder); !status.ok()) return status;
  std::unique_ptr<NodeDaemon> daemon(new NodeDaemon(options.program, std::move(flags), folder));
  if (absl::Status status = daemon->Enter(); !status.ok()) return status;
  daemon->watcher_ = std::thread([node = daemon.get()] { node->Watch(); });
  return daemon;
}

NodeDaemon::~NodeDaemon() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = write(stop_, &one, sizeof(one));
  if (watcher_.joinable()) watcher_.join();
  if (users_ >= 0) close(users_);
  close(stop_);
}

absl::Status NodeDaemon::status() const {
  const std::lock_guard<std::mutex> lock(mu_);
  return status_;
}

absl::Status NodeDaemon::Enter() {
  const FileLock lock(folder_ + "/lock");
  users_ = open((folder_ + "/users").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (users_ >= 0) return absl::OkStatus();
  if (errno != ENXIO && errno != ENOENT) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", folder_, "/users"));
  }
  return StartHere();
}

absl::Status NodeDaemon::StartHere() {
  const std::string users = folder_ + "/users";
  if (mkfifo(users.c_str(), 0600) != 0 && errno != EEXIST) {
    return absl::ErrnoToStatus(errno, "cannot make " + users);
  }
  const int input = open(users.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  // Open for writing before the daemon starts, so that its input has not ended.
  users_ = open(users.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  const std::string log_path = folder_ + "/log";
  const int log = open(log_path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  absl::Status status;
  if (input < 0 || users_ < 0 || log < 0) {
    status = absl::ErrnoToStatus(errno, "cannot open the files of " + folder_);
  } else {
    DaemonStart start{.program = program_, .flags = flags_, .input = input, .log = log};
    start.ends_with_parent = false;
    start.flags.insert(start.flags.end(), {"--listen", address(), "--metrics", "off", "--http",
                                           "off", "--exit-at-eof", "on"});
    const absl::StatusOr<DaemonProcess> process = StartDaemon(start);
    status = process.status();
    if (process.ok()) {
      child_ = process->pid;
      close(process->output);
    }
  }
  if (log >= 0) close(log);
  if (input >= 0) close(input);
  if (!status.ok() && users_ >= 0) close(std::exchange(users_, -1));
  return status;
}

void NodeDaemon::Watch() {
  int failures = 0;
  absl::Status last;
  while (failures < kTries) {
    // The FIFO reports POLLERR when it has no reader any more. A negative descriptor is ignored.
    pollfd fds[2] = {{users_, 0, 0}, {stop_, POLLIN, 0}};
    const int wait = users_ >= 0 ? -1 : kFirstWaitMillis << (failures - 1);
    if (poll(fds, 2, wait) < 0) continue;
    if (fds[1].revents != 0) return;
    if (users_ >= 0) close(std::exchange(users_, -1));
    if (child_ > 0) waitpid(std::exchange(child_, -1), nullptr, 0);
    last = Enter();
    failures = last.ok() ? 0 : failures + 1;
  }
  const std::lock_guard<std::mutex> lock(mu_);
  status_ = last;
}

}  // namespace dragoman::client
