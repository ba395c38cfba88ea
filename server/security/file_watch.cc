#include "server/security/file_watch.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/security/small_file.h"

namespace dragoman {
namespace {

std::string Stamps(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) absl::StrAppend(&out, FileStamp(path), "\n");
  return out;
}

}  // namespace

FileWatch::~FileWatch() {
  {
    MutexLock lock(&mu_);
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
  MutexLock lock(&mu_);
  poked_ = true;
  told_.NotifyAll();
}

void FileWatch::Run() {
  while (true) {
    {
      const auto next = std::chrono::steady_clock::now() + kPeriod;
      MutexLock lock(&mu_);
      while (!stop_ && !poked_) {
        const auto left = next - std::chrono::steady_clock::now();
        if (left <= std::chrono::nanoseconds::zero()) break;
        told_.WaitFor(&mu_, left);
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
  // Set even if reading fails, so that the same files are not tried again and again.
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

}  // namespace dragoman
