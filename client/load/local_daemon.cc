#include "client/load/local_daemon.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace dragoman::client {

absl::StatusOr<std::unique_ptr<LocalDaemon>> LocalDaemon::Start(
    const std::string& program, const std::vector<std::string>& flags) {
  const int log = memfd_create("dragomand.log", MFD_CLOEXEC);
  if (log < 0) return absl::ErrnoToStatus(errno, "cannot make a file for the log");
  DaemonStart start{.program = program,
                    .flags = {"--listen", "127.0.0.1:0", "--metrics", "off", "--http", "off"},
                    .log = log};
  start.flags.insert(start.flags.end(), flags.begin(), flags.end());
  const absl::StatusOr<DaemonProcess> process = StartDaemon(start);
  if (!process.ok()) {
    close(log);
    return process.status();
  }
  return std::unique_ptr<LocalDaemon>(new LocalDaemon(*process, log));
}

LocalDaemon::~LocalDaemon() {
  kill(process_.pid, SIGTERM);
  while (waitpid(process_.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(process_.output);
  close(log_);
}

std::chrono::nanoseconds LocalDaemon::cpu_time() const {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process_.pid, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    return std::chrono::nanoseconds(0);
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

int64_t LocalDaemon::resident_bytes() const {
  std::ifstream file(absl::StrCat("/proc/", process_.pid, "/statm"));
  int64_t size = 0;
  int64_t resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t LocalDaemon::memory_bound_bytes() const {
  std::istringstream lines(ReadDescriptor(log_));
  for (std::string line; std::getline(lines, line);) {
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_object() && entry.value("msg", "") == "memory bound") {
      return entry.value("sum_bytes", int64_t{0});
    }
  }
  return 0;
}

}  // namespace dragoman::client
