#include "server/base/file_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/thread_name.h"
#include "server/base/log.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

std::string Stamps(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) absl::StrAppend(&out, FileStampOf(path), "\n");
  return out;
}

}  // namespace

absl::Status WrongFile(const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(Quoted(path), ": ", what));
}

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return WrongFile(path, ErrorText(errno));
  struct stat info {};
  absl::Status status;
  std::string bytes;
  if (fstat(fd, &info) != 0) {
    status = WrongFile(path, ErrorText(errno));
  } else if (!S_ISREG(info.st_mode)) {
    status = WrongFile(path, S_ISDIR(info.st_mode) ? "found a directory, expected a file"
                                                   : "found no regular file, expected one");
  }
  while (status.ok()) {
    char buffer[16 * 1024];
    const ssize_t count = read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) status = WrongFile(path, ErrorText(errno));
    if (count <= 0) break;
    bytes.append(buffer, static_cast<size_t>(count));
    if (bytes.size() > kMaxSmallFileBytes) {
      status = WrongFile(path, absl::StrCat("found a larger file, expected at most ",
                                            kMaxSmallFileBytes, " bytes"));
    }
  }
  close(fd);
  if (!status.ok()) return status;
  return bytes;
}

std::string FileStampOf(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return "";
  return absl::StrCat(info.st_dev, ":", info.st_ino, ":", info.st_size, ":", info.st_mtim.tv_sec,
                      ".", info.st_mtim.tv_nsec, ":", info.st_ctim.tv_sec, ".",
                      info.st_ctim.tv_nsec);
}

FileWatch::~FileWatch() {
  {
    engine::MutexLock lock(&mu_);
    stop_ = true;
    told_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void FileWatch::Add(Files files) {
  Watched watched;
  watched.loaded = watched.seen = Stamps(files.paths);
  watched.files = std::move(files);
  watched_.push_back(std::move(watched));
}

void FileWatch::Start() {
  thread_ = std::thread([this] { Run(); });
}

void FileWatch::ReloadAll() {
  all_ = true;
  engine::MutexLock lock(&mu_);
  poked_ = true;
  told_.NotifyAll();
}

void FileWatch::Run() {
  engine::NameThisThread("file watch");
  while (true) {
    {
      const auto next = std::chrono::steady_clock::now() + kPeriod;
      engine::MutexLock lock(&mu_);
      while (!stop_ && !poked_ && told_.WaitUntil(&mu_, next)) {
      }
      if (stop_) return;
      poked_ = false;
    }
    Look();
  }
}

void FileWatch::Look() {
  const bool all = all_.exchange(false);
  for (Watched& watched : watched_) {
    std::string now = Stamps(watched.files.paths);
    const bool settled = now == watched.seen;
    watched.seen = std::move(now);
    if (all || (settled && watched.seen != watched.loaded)) Reload(&watched);
  }
}

void FileWatch::Reload(Watched* watched) {
  // The stamp is set even if reading fails, so that the same files are not read again and again.
  watched->loaded = watched->seen;
  const absl::Status status = watched->files.reload();
  if (status.ok()) {
    Log(LogLevel::kInfo, watched->files.what + " read again");
  } else {
    Log(LogLevel::kError, watched->files.what + " not read again, the old ones stay in use",
        {{"error", std::string(status.message())}});
  }
  outcome_(watched->files.what, status.ok());
}

}  // namespace dragoman::server
