// Reads files of keys and certificates, and watches them for changes.
//
// FileWatch has files read again when they have changed or when it is told to. It looks at them
// once a second and does not use inotify, because a mounted secret is replaced by renaming a link
// next to it, and network file systems report no changes. It reads a changed file after one look
// without a change, so that a certificate may be written before its key.
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

// Returns the content of a regular file. INVALID_ARGUMENT names the path and what it is instead, or
// why it cannot be read.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// Returns INVALID_ARGUMENT with the path and what is wrong with the file.
absl::Status WrongFile(const std::string& path, absl::string_view what);

// Returns a stamp that changes when a file is written, replaced, or reached through another link,
// as Kubernetes does with mounted secrets. Returns "" if the file does not exist.
std::string FileStampOf(const std::string& path);

// Thread-safe. Has a thread of its own after Start.
class FileWatch {
 public:
  struct Files {
    std::string what;  // for the log, such as "certificates"
    std::vector<std::string> paths;
    std::function<absl::Status()> reload;  // on an error, the old content stays in use
  };
  // Called with every outcome of `reload`, after the outcome was logged.
  using Outcome = std::function<void(const std::string& what, bool ok)>;

  explicit FileWatch(Outcome outcome) : outcome_(std::move(outcome)) {}
  // Waits for a reload that is running.
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Adds files, which count as read now. REQUIRES: before Start.
  void Add(Files files);
  bool empty() const { return watched_.empty(); }
  void Start();

  // Makes the thread read all files again soon, changed or not. Any thread may call it.
  void ReloadAll();

  // Looks at the files once, as the thread does every second. For tests, without Start.
  void Look();

 private:
  static constexpr std::chrono::seconds kPeriod{1};

  struct Watched {
    Files files;
    std::string loaded;  // stamps of the files that were read last
    std::string seen;    // stamps of the last look
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
