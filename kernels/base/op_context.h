// What an operation needs besides its operands: how many threads it may use, and scratch memory; and
// who hears of its parts, if anybody does.
//
// Thread-safety: one context per calling thread (an encoder thread, a decode thread); a context is
// not shared. Its scratch grows when an operation asks for more than it has; after a Reserve of
// what the operations document, nothing is allocated any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/base/op_probe.h"

namespace dragoman {

class OpContext {
 public:
  // About 10 microseconds.
  static constexpr int64_t kWorkPerThread = 1'000'000;

  // With 1 thread the caller's own does all the work and no pool is woken. work_per_thread:
  // multiply-adds (or as many loads) that are worth waking another thread for.
  // REQUIRES: threads, work_per_thread >= 1.
  explicit OpContext(int threads = 1, int64_t work_per_thread = kWorkPerThread);
  ~OpContext();
  OpContext(const OpContext&) = delete;
  OpContext& operator=(const OpContext&) = delete;

  int threads() const { return threads_; }
  int64_t work_per_thread() const { return work_per_thread_; }

  // Borrowed; nullptr, as at first: nobody listens.
  void set_probe(OpProbe* probe) { probe_ = probe; }
  // For what is done by this one of the threads: 0 is the caller's own.
  OpProbe* probe(int thread = 0) const { return thread == 0 ? probe_ : nullptr; }

  // Makes every thread's scratch at least this large.
  void Reserve(size_t floats_per_thread);

  // Scratch of one of the threads, 64-byte aligned, contents undefined; valid until the next
  // operation. REQUIRES: 0 <= thread < threads().
  float* Scratch(int thread, size_t floats);

  // Of all threads' scratch.
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
  OpProbe* probe_ = nullptr;
  std::vector<Buffer> scratch_;
};

}  // namespace dragoman
