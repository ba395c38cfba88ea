#include "server/process/job_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"

namespace dragoman::server {
namespace {

constexpr char kPrefix[] = "dragomand-jobs-";
constexpr char kLock[] = "lock";
// A younger directory may belong to a daemon that has not locked it yet.
constexpr int64_t kOldSeconds = 60;

absl::Status SystemError(const std::string& path) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::strerror(errno)));
}

// Locks the directory until the process ends. Returns false if another process has locked it.
bool LockDirectory(const std::string& path) {
  const int fd = open(absl::StrCat(path, "/", kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;  // the descriptor stays open
  close(fd);
  return false;
}

void RemoveDirectory(const std::string& path) {
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr) return;
  while (const dirent* const file = readdir(directory)) {
    unlink(absl::StrCat(path, "/", file->d_name).c_str());
  }
  closedir(directory);
  rmdir(path.c_str());
}

void RemoveOldDirectories(const std::string& parent) {
  DIR* const directory = opendir(parent.c_str());
  if (directory == nullptr) return;
  while (const dirent* const entry = readdir(directory)) {
    if (!absl::StartsWith(entry->d_name, kPrefix)) continue;
    const std::string path = absl::StrCat(parent, "/", entry->d_name);
    struct stat info = {};
    const bool is_old = lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
                        info.st_uid == geteuid() && info.st_mtime + kOldSeconds < UnixNow();
    if (is_old && LockDirectory(path)) RemoveDirectory(path);
  }
  closedir(directory);
}

absl::StatusOr<std::string> MakeTemporary() {
  const char* const given = std::getenv("TMPDIR");
  const std::string parent = given == nullptr || *given == '\0' ? "/tmp" : given;
  RemoveOldDirectories(parent);
  std::string path = absl::StrCat(parent, "/", kPrefix, "XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return SystemError(parent);
  if (!LockDirectory(path)) return SystemError(path);
  return path;
}

}  // namespace

int64_t MaxJobBytes(const ServerConfig& config) { return (int64_t{config.jobs_mb} << 20) / 6; }

absl::StatusOr<std::unique_ptr<JobStore>> OpenJobs(const ServerConfig& config) {
  if (config.jobs_mb == 0) return nullptr;
  JobLimits limits;
  limits.max_bytes = int64_t{config.jobs_mb} << 20;
  limits.max_job_bytes = MaxJobBytes(config);
  limits.keep_seconds = int64_t{config.jobs_hours} * 3600;
  limits.dir = config.jobs_dir;
  if (limits.dir.empty()) {
    absl::StatusOr<std::string> made = MakeTemporary();
    if (!made.ok()) {
      Log(LogLevel::kInfo, "no jobs are taken: there is no temporary directory for them",
          {{"error", std::string(made.status().message())}});
      return nullptr;
    }
    limits.dir = *std::move(made);
    limits.is_temporary = true;
  } else {
    if (mkdir(limits.dir.c_str(), 0700) != 0 && errno != EEXIST) {
      return SystemError(absl::StrCat("--jobs-dir: ", limits.dir));
    }
    if (!LockDirectory(limits.dir)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--jobs-dir: ", limits.dir, ": cannot be locked; another daemon may use it"));
    }
  }
  return JobStore::Open(std::move(limits), UnixNow);
}

}  // namespace dragoman::server
