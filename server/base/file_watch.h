// Reads files of keys and certificates, and watches them for changes.
//
// FileWatch calls a reload function when its files have changed or when ReloadAll was called. It
// checks the files once a second. It does not use inotify, because a mounted secret is replaced by
// renaming a link next to it, and network file systems report no changes. After a change, it waits
// until one more check finds no further change, so that a certificate may be written before its
// key.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

inline constexpr size_t kMaxSmallFileBytes = size_t{1} << 20;

// Returns the content of a regular file of at most kMaxSmallFileBytes. Otherwise returns
// INVALID_ARGUMENT with the path and the reason: the file is no regular file, is larger, or cannot
// be read.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// Returns INVALID_ARGUMENT with the path and `what`, which says what is wrong with the file.
absl::Status WrongFile(const std::string& path, absl::string_view what);

// Returns a stamp of the file's state, made of its inode, size and times. The stamp changes when
// the file is written or replaced, or when a symbolic link in the path gets another target, as in
// Kubernetes' mounted secrets. Returns "" if the file does not exist.
std::string FileStampOf(const std::string& path);

// Thread-safe. Has a thread of its own after Start.
class FileWatch {
 public:
  struct Files {
    std::string what;  // for the log, such as "certificates"
    std::vector<std::string> paths;
    std::function<absl::Status()> reload;  // reads `paths`; on an error it keeps the old content
  };
  // Called with every outcome of `reload`, after the outcome was logged.
  using Outcome = std::function<void(const std::string& what, bool ok)>;

  explicit FileWatch(Outcome outcome) : outcome_(std::move(outcome)) {}
  // Waits for a reload that is running.
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Adds files that the caller has read already: `reload` runs after the next change. REQUIRES:
  // before Start.
  void Add(Files files);
  bool empty() const { return watched_.empty(); }
  void Start();

  // Makes the thread read all files again soon, changed or not. Any thread may call it.
  void ReloadAll();

  // Checks the files once, as the thread does every second. For tests, without Start.
  void Look();

 private:
  static constexpr std::chrono::seconds kPeriod{1};

  struct Watched {
    Files files;
    std::string loaded;  // the files' stamps at Add or at the last reload
    std::string seen;    // the files' stamps at the last check
  };

  void Run();
  void Reload(Watched* watched);

  const Outcome outcome_;
  std::vector<Watched> watched_;  // used only by the thread after Start
  std::atomic<bool> all_{false};

  engine::Mutex mu_;
  engine::CondVar told_;
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  bool poked_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dragoman::server
