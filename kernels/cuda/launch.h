// Streams and errors as CUDA has them, without its headers: so that contract headers and the engine
// compile where there is no CUDA. What is declared in namespace cuda is defined only in builds with
// it (DRAGOMAN_HAVE_CUDA).
//
// A launcher puts its kernels on a stream and returns; it checks the launch, not what becomes of
// it. Pointers are device pointers unless their comment says otherwise. No launcher allocates or
// waits, so that each can be captured into a graph.
#pragma once

struct CUstream_st;

namespace dragoman::kernels::cuda {

using Stream = CUstream_st*;  // cudaStream_t

// The value of a cudaError_t; 0 is success.
enum class [[nodiscard]] Error : int{kNone = 0};

// CUDA's name and text of an error.
const char* ErrorText(Error error);

// Whether the launches of a thread may begin while the kernel before them ends, where the device can
// (LaunchesEarly). Free of CUDA's headers.
//
// While an object lives, it decides for its own thread; the last one made counts. A graph keeps what
// counted when it was recorded.
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
