// CUDA's streams and errors without CUDA's headers, so that the headers of operations and the
// engine compile without CUDA. Functions in namespace cuda are defined only in builds with CUDA
// (DRAGOMAN_HAVE_CUDA).
//
// A launcher puts its kernels on a stream and returns. It checks the launch, not the kernels'
// results. Pointers are device pointers unless their comment says otherwise. No launcher allocates
// or waits, so a graph can capture each of them.
#pragma once

struct CUstream_st;

namespace dragoman::kernels::cuda {

using Stream = CUstream_st*;  // cudaStream_t

// The value of a cudaError_t; 0 is success.
enum class [[nodiscard]] Error : int{kNone = 0};

// Returns CUDA's text of an error.
const char* ErrorText(Error error);

// Sets whether this thread's launches may begin while the kernel before them ends, on devices that
// can do it (LaunchesEarly). The setting is valid while the object lives. If several objects live,
// the last one decides. A graph keeps the setting under which it was recorded.
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

}  // namespace dragoman::kernels::cuda
