// Whether the launches of a thread may begin while the kernel before them ends, where the device can
// (LaunchesEarly). Free of CUDA's headers.
//
// While an object lives, it decides for its own thread; the last one made counts. A graph keeps what
// counted when it was recorded.
#pragma once

namespace dragoman::cuda {

class EarlyLaunches {
 public:
  explicit EarlyLaunches(bool allowed) : before_(allowed_) { allowed_ = allowed; }
  ~EarlyLaunches() { allowed_ = before_; }
  EarlyLaunches(const EarlyLaunches&) = delete;
  EarlyLaunches& operator=(const EarlyLaunches&) = delete;

  static bool allowed() { return allowed_; }

 private:
  static inline thread_local bool allowed_ = true;
  const bool before_;
};

}  // namespace dragoman::cuda
