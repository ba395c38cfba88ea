// Encoded segments of one worker, ready for a slot. Bounded: a full queue makes the encoder wait.
//
// Thread-safe; one encoder thread pushes, one decode thread pops, anyone may remove.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/schedule/priority_lanes.h"

namespace dragoman {

class EncodedQueue {
 public:
  EncodedQueue(int64_t capacity_segments, const Clock* clock)
      : capacity_(capacity_segments), clock_(clock) {}

  // Waits while full. After Close the segment is handed back, else nullptr.
  std::unique_ptr<Segment> Push(std::unique_ptr<Segment> segment) {
    MutexLock lock(&mu_);
    while (!closed_ && waiting_.size() >= capacity_) changed_.Wait(&mu_);
    if (closed_) return segment;
    waiting_.Push(std::move(segment));
    changed_.NotifyAll();
    return nullptr;
  }

  // The next segment if there is one and `fits` says yes to it; else nullptr. The next in order is
  // never overtaken by one that fits better: wide beams would starve.
  std::unique_ptr<Segment> TryPop(const std::function<bool(const Segment&)>& fits) {
    MutexLock lock(&mu_);
    const Nanos now = clock_->Now();
    const Segment* next = waiting_.Peek(now);
    if (next == nullptr || !fits(*next)) return nullptr;
    std::unique_ptr<Segment> segment = waiting_.Pop(now);
    changed_.NotifyAll();
    return segment;
  }

  // Waits for a segment; false once ended and empty, or closed.
  bool WaitUntilNotEmpty() {
    MutexLock lock(&mu_);
    while (waiting_.empty() && !ended_ && !closed_) changed_.Wait(&mu_);
    return !waiting_.empty();
  }

  std::vector<std::unique_ptr<Segment>> Remove(const SegmentOwner* owner) {
    MutexLock lock(&mu_);
    std::vector<std::unique_ptr<Segment>> removed = waiting_.Remove(owner);
    changed_.NotifyAll();
    return removed;
  }

  // The encoder will push no more.
  void EndOfInput() {
    MutexLock lock(&mu_);
    ended_ = true;
    changed_.NotifyAll();
  }

  // The decode loop will pop no more: hands out what is left, and what is pushed later.
  std::vector<std::unique_ptr<Segment>> Close() {
    MutexLock lock(&mu_);
    closed_ = true;
    changed_.NotifyAll();
    return waiting_.Remove(nullptr);
  }

  struct Stats {
    int64_t segments = 0;
    int64_t tokens = 0;
    int64_t capacity = 0;
    Nanos oldest_age = 0;
  };
  Stats stats() const {
    MutexLock lock(&mu_);
    const Nanos now = clock_->Now();
    return {waiting_.size(), waiting_.tokens(), capacity_, now - waiting_.OldestQueuedAt(now)};
  }

 private:
  const int64_t capacity_;
  const Clock* const clock_;

  mutable Mutex mu_;
  CondVar changed_;
  PriorityLanes waiting_ ABSL_GUARDED_BY(mu_);
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman
