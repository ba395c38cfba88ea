// Notices that files have changed and has them read again: on its own, and when it is told to.
//
// Files are looked at once a second and not by inotify: a mounted secret is exchanged by renaming a
// link beside it, and file systems of a network tell nobody. What has changed is read once it has
// stayed the same for one look, so that a certificate and its key may be written one after the
// other.
//
// Thread-safe. One thread of its own, from Start on.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/mutex.h"

namespace dragoman {

class FileWatch {
 public:
  struct Files {
    std::string what;  // for the log, as "certificates"
    std::vector<std::string> paths;
    std::function<absl::Status()> reload;  // with an error what was read before stays in use
  };
  // Told of every outcome of `reload`, after the log.
  using Outcome = std::function<void(const std::string& what, bool ok)>;

  explicit FileWatch(Outcome outcome) : outcome_(std::move(outcome)) {}
  // Waits for a reload that goes on.
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Before Start. They count as read now.
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
    std::string seen;    // and of the last look
  };

  void Run();
  void Reload(Watched* watched);

  const Outcome outcome_;
  std::vector<Watched> watched_;  // of the thread, once it runs
  std::atomic<bool> all_{false};

  Mutex mu_;
  CondVar told_;
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  bool poked_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dragoman
