// The queue of a worker's encoded segments, which wait for a slot. The encoder waits while the
// queue is full.
//
// The queue also tells the decode loop whether more segments will come soon. The encoder reports to
// it that it has taken segments from the request queue, that the request queue is empty, or that it
// waits for memory that only the decode loop can free. With these reports, a loop that waits for a
// full static batch (RefillRule::kStatic) never waits forever.
//
// Thread-safe. One encoder thread pushes, one decode thread pops and puts back segments that are
// searched again, any thread may remove.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/schedule/fair_queue.h"

namespace dragoman::engine {

// Tells the decode loop during which of its steps the worker's encoder ran a pass. The encoder
// thread calls Begin and End, the decode thread calls ended and AnySince. Thread-safe for these two
// threads.
class PassMarks {
 public:
  void Begin() { begun_.fetch_add(1); }
  void End() { ended_.fetch_add(1); }

  // Returns the number of passes that have ended. Call this before a step, and pass the result to
  // AnySince after the step.
  int64_t ended() const { return ended_.load(); }
  // Reports whether a pass ran at any time since ended() returned `ended`.
  bool AnySince(int64_t ended) const { return begun_.load() > ended; }

 private:
  std::atomic<int64_t> begun_{0};
  std::atomic<int64_t> ended_{0};
};

class EncodedQueue {
 public:
  EncodedQueue(int64_t capacity_segments, const Clock* clock)
      : capacity_(capacity_segments), clock_(clock) {}

  // Adds a segment. Waits while the queue is full. Returns nullptr; after Close, returns the
  // segment.
  std::unique_ptr<Segment> Push(std::unique_ptr<Segment> segment) {
    MutexLock lock(&mu_);
    if (waiting_.size() >= capacity_) {
      pushing_ = true;
      changed_.NotifyAll();
      while (!closed_ && waiting_.size() >= capacity_) changed_.Wait(&mu_);
      pushing_ = false;
    }
    if (closed_) return segment;
    waiting_.Push(std::move(segment));
    changed_.NotifyAll();
    return nullptr;
  }

  // Adds a segment that is searched again. The decode thread calls this, so it does not wait: the
  // segment may exceed the capacity. REQUIRES: Close was not called.
  void PushAgain(std::unique_ptr<Segment> segment) {
    MutexLock lock(&mu_);
    waiting_.Push(std::move(segment));
    changed_.NotifyAll();
  }

  // Waits until there is room for min(segments, capacity) segments or Close was called. Returns how
  // many segments the caller can push without waiting. REQUIRES: segments > 0.
  int64_t WaitForRoom(int64_t segments) {
    MutexLock lock(&mu_);
    const int64_t wanted = std::min(segments, capacity_);
    while (!closed_ && capacity_ - waiting_.size() < wanted) changed_.Wait(&mu_);
    return closed_ ? wanted : capacity_ - waiting_.size();
  }

  // Pops the next segment if `fits` accepts it; otherwise returns nullptr. Never pops a later
  // segment in its place. Otherwise smaller segments could always overtake one with a wide beam.
  std::unique_ptr<Segment> TryPop(const std::function<bool(const Segment&)>& fits) {
    MutexLock lock(&mu_);
    const Segment* next = waiting_.Peek();
    if (next == nullptr || !fits(*next)) return nullptr;
    std::unique_ptr<Segment> segment = waiting_.Pop();
    changed_.NotifyAll();
    return segment;
  }

  Waiting waiting() const {
    MutexLock lock(&mu_);
    return Look();
  }

  // Waits until the queue has a segment and `ready` returns true for the waiting segments, or until
  // no more segments can come. Returns false if the queue is empty. Calls `ready` under the queue's
  // lock.
  using Ready = std::function<bool(const Waiting&)>;
  bool WaitUntil(const Ready& ready) {
    MutexLock lock(&mu_);
    while (!IsOver() && !IsReady(ready)) changed_.Wait(&mu_);
    return !waiting_.empty();
  }

  // Like the function above, but waits for at most `at_most` and then returns kTimeout. Returns
  // kReady and kOver where that function returns true and false.
  enum class Wake : uint8_t { kReady, kOver, kTimeout };
  Wake WaitUntil(const Ready& ready, std::chrono::nanoseconds at_most) {
    const auto give_up = std::chrono::steady_clock::now() + at_most;
    MutexLock lock(&mu_);
    for (;;) {
      if (IsOver()) return waiting_.empty() ? Wake::kOver : Wake::kReady;
      if (IsReady(ready)) return Wake::kReady;
      if (!changed_.WaitUntil(&mu_, give_up)) return Wake::kTimeout;
    }
  }

  // The encoder calls this. `at_work` is true if it has taken segments, and false if it has none
  // and the request queue is empty.
  void SetEncoderAtWork(bool at_work) {
    MutexLock lock(&mu_);
    at_work_ = at_work;
    changed_.NotifyAll();
  }

  // The encoder calls this. `held_up` is true when it begins to wait for memory that only the end
  // of a segment can free, and false when this wait has ended.
  void SetEncoderHeldUp(bool held_up) {
    MutexLock lock(&mu_);
    held_up_ = held_up;
    changed_.NotifyAll();
  }

  std::vector<std::unique_ptr<Segment>> Remove(const SegmentOwner* owner) {
    MutexLock lock(&mu_);
    std::vector<std::unique_ptr<Segment>> removed = waiting_.Remove(owner);
    changed_.NotifyAll();
    return removed;
  }

  // The encoder calls this when it will push no more segments.
  void EndOfInput() {
    MutexLock lock(&mu_);
    ended_ = true;
    changed_.NotifyAll();
  }

  // The decode thread calls this when it will pop no more segments. Removes and returns the waiting
  // segments. Later calls of Push return their segment.
  std::vector<std::unique_ptr<Segment>> Close() {
    MutexLock lock(&mu_);
    closed_ = true;
    changed_.NotifyAll();
    return waiting_.Remove(nullptr);
  }

  PassMarks& passes() { return passes_; }

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
  bool IsOver() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return closed_ || (ended_ && waiting_.empty());
  }
  bool IsReady(const Ready& ready) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return !waiting_.empty() && ready(Look());
  }
  Waiting Look() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const bool full = pushing_ && waiting_.size() >= capacity_;
    return {waiting_.load(), at_work_ && !ended_, held_up_ || full};
  }

  const int64_t capacity_;
  const Clock* const clock_;
  PassMarks passes_;

  mutable Mutex mu_;
  CondVar changed_;
  FairQueue waiting_ ABSL_GUARDED_BY(mu_);
  bool at_work_ ABSL_GUARDED_BY(mu_) = false;
  bool held_up_ ABSL_GUARDED_BY(mu_) = false;
  bool pushing_ ABSL_GUARDED_BY(mu_) = false;  // the encoder waits in Push
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::engine
