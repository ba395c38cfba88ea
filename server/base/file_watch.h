// Files of keys and certificates: small, read whole, and watched for changes.
//
// FileWatch notices that files have changed and has them read again: on its own, and when told to.
// They are looked at once a second and not by inotify: a mounted secret is exchanged by renaming a
// link beside it, and network file systems report no changes. A changed file is read once it has
// stayed the same for one look, so that a certificate and its key may be written one after the
// other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
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

// The contents of a regular file. INVALID_ARGUMENT names the path and what it is instead, or why it
// cannot be read.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// INVALID_ARGUMENT: the path, and what is wrong with the file.
absl::Status WrongFile(const std::string& path, absl::string_view what);

// A stamp that changes when a file is written, replaced, or reached through another link, as
// Kubernetes does with mounted secrets; "" while the file does not exist.
std::string FileStampOf(const std::string& path);

// Thread-safe. One thread of its own, from Start on.
class FileWatch {
 public:
  struct Files {
    std::string what;  // for the log, such as "certificates"
    std::vector<std::string> paths;
    std::function<absl::Status()> reload;  // with an error what was read before stays in use
  };
  // Called with every outcome of `reload`, after it was logged.
  using Outcome = std::function<void(const std::string& what, bool ok)>;

  explicit FileWatch(Outcome outcome) : outcome_(std::move(outcome)) {}
  // Waits for a reload under way.
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Adds files, which count as read now. To be called before Start.
  void Add(Files files);
  bool empty() const { return watched_.empty(); }
  void Start();

  // Reads everything again soon, changed or not. From any thread.
  void ReloadAll();

  // One look, as the thread takes every second; for tests, without Start.
  void Look();

 private:
  static constexpr std::chrono::seconds kPeriod{1};

  struct Watched {
    Files files;
    std::string loaded;  // stamps of what was read last
    std::string seen;    // stamps of the last look
  };

  void Run();
  void Reload(Watched* watched);

  const Outcome outcome_;
  std::vector<Watched> watched_;  // used by the thread alone, once it runs
  std::atomic<bool> all_{false};

  engine::Mutex mu_;
  engine::CondVar told_;
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  bool poked_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dragoman::server
