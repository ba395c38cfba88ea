// The context of an operation beside its operands: threads that it may use, scratch memory, and a
// probe of its parts, if any.
//
// Thread-safety: one context per calling thread (an encoder thread, a decode thread); a context is
// not shared. Its scratch grows when an operation asks for more than it has; after a Reserve of the
// amount that the operations document, nothing is allocated any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/base/op_probe.h"

namespace dragoman::kernels {

class HelpedThread;
class HelperThreads;

class OpContext {
 public:
  // About 2 microseconds in int8, 10 in f32.
  static constexpr int64_t kWorkPerThread = 250'000;

  // With 1 thread the caller's own does all the work; otherwise the context has helpers of its own.
  // work_per_thread: the multiply-adds (or loads) that are worth the help of another thread.
  // REQUIRES: threads, work_per_thread >= 1.
  explicit OpContext(int threads = 1, int64_t work_per_thread = kWorkPerThread);
  // With helpers that other contexts have too: at most `threads` at once, between Begin and End.
  // `helpers` is borrowed.
  OpContext(HelperThreads* helpers, int threads, int64_t work_per_thread = kWorkPerThread);
  ~OpContext();
  OpContext(const OpContext&) = delete;
  OpContext& operator=(const OpContext&) = delete;

  // From the first Begin on the thread computes, and until End (which may come without a Begin) it
  // needs its core. A context with helpers of its own has begun from the start.
  void Begin();
  void End();

  int threads() const { return threads_; }
  // nullptr where there is one thread.
  HelpedThread* helped() const { return helped_.get(); }
  int64_t work_per_thread() const { return work_per_thread_; }

  // Borrowed; nullptr, as at first: there is no probe.
  void set_probe(OpProbe* probe) { probe_ = probe; }
  // The probe of work done by thread number `thread`; 0 is the caller's own.
  OpProbe* probe(int thread = 0) const { return thread == 0 ? probe_ : nullptr; }

  // Makes every thread's scratch at least this large.
  void Reserve(size_t floats_per_thread);

  // Scratch of one of the threads, 64-byte aligned, contents undefined; valid until the next
  // operation. REQUIRES: 0 <= thread < threads().
  float* Scratch(int thread, size_t floats);

  // Bytes of all threads' scratch.
  int64_t bytes() const;

 private:
  struct Free {
    void operator()(float* p) const;
  };
  struct Buffer {
    std::unique_ptr<float, Free> floats;
    size_t size = 0;
  };

  const int threads_;
  const int64_t work_per_thread_;
  const std::unique_ptr<HelperThreads> own_;
  const std::unique_ptr<HelpedThread> helped_;
  bool begun_ = false;
  OpProbe* probe_ = nullptr;
  std::vector<Buffer> scratch_;
};

}  // namespace dragoman::kernels
