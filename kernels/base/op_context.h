// The context of an operation: the threads that it may use, scratch memory, and an optional probe.
//
// Not thread-safe: each calling thread has its own context. The scratch grows when an operation
// asks for more. Operations document how much scratch they need. After a Reserve of that amount
// they allocate nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/base/float_buffer.h"
#include "kernels/base/op_probe.h"

namespace dragoman::kernels {

class HelpedThread;
class HelperThreads;

class OpContext {
 public:
  // The default of `work_per_thread`. This many multiply-adds take one thread about 2 microseconds
  // in int8 and 10 in f32.
  static constexpr int64_t kWorkPerThread = 250'000;

  // With 1 thread the caller does all work. With more threads, the context has its own helpers. An
  // operation uses one thread for each `work_per_thread` of its multiply-adds or loads. REQUIRES:
  // threads, work_per_thread >= 1.
  explicit OpContext(int threads = 1, int64_t work_per_thread = kWorkPerThread);
  // Shares `helpers`, which is borrowed, with other contexts. This context uses up to `threads`
  // threads at the same time, between Begin and End.
  OpContext(HelperThreads* helpers, int threads, int64_t work_per_thread = kWorkPerThread);
  ~OpContext();
  OpContext(const OpContext&) = delete;
  OpContext& operator=(const OpContext&) = delete;

  // Between Begin and End the calling thread computes, so it needs its core and may get helpers. A
  // second Begin, or an End without a Begin, does nothing. A context with its own helpers calls
  // Begin in its constructor.
  void Begin();
  void End();

  int threads() const { return threads_; }
  // Returns the HelpedThread of the thread that uses this context; nullptr if the first constructor
  // was given 1 thread.
  HelpedThread* helped() const { return helped_.get(); }
  int64_t work_per_thread() const { return work_per_thread_; }

  // Sets the probe, which is borrowed. nullptr, the default: no probe.
  void set_probe(OpProbe* probe) { probe_ = probe; }
  // Returns the probe for code that runs on thread number `thread` of an operation. Only thread 0,
  // the caller, has one; others get nullptr.
  OpProbe* probe(int thread = 0) const { return thread == 0 ? probe_ : nullptr; }

  // Makes every thread's scratch at least this large.
  void Reserve(size_t floats_per_thread);

  // Returns scratch for `floats` floats of thread number `thread`. It is aligned to 64 bytes and
  // valid until the next operation; its contents are undefined. REQUIRES: 0 <= thread < threads().
  float* Scratch(int thread, size_t floats);

  // Returns the number of bytes that the scratch of all threads takes.
  int64_t bytes() const;

 private:
  struct Buffer {
    cpu::FloatBuffer floats;
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
