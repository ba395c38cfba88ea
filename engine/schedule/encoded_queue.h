// A worker's encoded segments that wait for a slot. A full queue makes the encoder wait.
//
// The queue also knows whether more segments are on their way. The encoder reports when it has
// taken segments from the request queue, when it found that queue empty, and when it waits for this
// queue or for memory that the decode loop must free. So a static batch can wait to be full, and
// its wait always ends.
//
// Thread-safe. One encoder thread pushes, one decode thread pops, any thread may remove.
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

// Tells the decode loop during which of its steps the worker's encoder ran a pass. Thread-safe for
// one encoder thread, which marks its passes, and one decode thread, which asks.
class PassMarks {
 public:
  void Begin() { begun_.fetch_add(1); }
  void End() { ended_.fetch_add(1); }

  // Returns the number of passes that have ended, for AnySince.
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

  // Waits while the queue is full. Returns nullptr, or the segment itself after Close.
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

  // Waits until there is room for min(segments, capacity) or Close was called. Returns how many
  // segments the caller may push without waiting. REQUIRES: segments > 0.
  int64_t WaitForRoom(int64_t segments) {
    MutexLock lock(&mu_);
    const int64_t wanted = std::min(segments, capacity_);
    while (!closed_ && capacity_ - waiting_.size() < wanted) changed_.Wait(&mu_);
    return closed_ ? wanted : capacity_ - waiting_.size();
  }

  // Pops the next segment if `fits` accepts it; otherwise returns nullptr. Never tries a later
  // segment, because wide beams would starve.
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

  // Waits until there is a segment and `ready` accepts the waiting segments, or until no more can
  // come. Returns false if the queue is empty then. Calls `ready` under the lock.
  using Ready = std::function<bool(const Waiting&)>;
  bool WaitUntil(const Ready& ready) {
    MutexLock lock(&mu_);
    while (!IsOver() && !IsReady(ready)) changed_.Wait(&mu_);
    return !waiting_.empty();
  }

  // The same with a time limit.
  enum class Wake : uint8_t { kReady, kOver, kTimeout };
  Wake WaitUntil(const Ready& ready, std::chrono::nanoseconds at_most) {
    const auto give_up = std::chrono::steady_clock::now() + at_most;
    MutexLock lock(&mu_);
    for (;;) {
      if (IsOver()) return waiting_.empty() ? Wake::kOver : Wake::kReady;
      if (IsReady(ready)) return Wake::kReady;
      const auto left = give_up - std::chrono::steady_clock::now();
      if (left <= std::chrono::nanoseconds::zero()) return Wake::kTimeout;
      changed_.WaitFor(&mu_, left);
    }
  }

  // The encoder has taken segments (true), or has none and found the request queue empty (false).
  void SetEncoderAtWork(bool at_work) {
    MutexLock lock(&mu_);
    at_work_ = at_work;
    changed_.NotifyAll();
  }

  // The encoder begins or ends a wait for memory that only the end of a segment can free.
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

  // The encoder pushes no more segments.
  void EndOfInput() {
    MutexLock lock(&mu_);
    ended_ = true;
    changed_.NotifyAll();
  }

  // The decode loop pops no more segments. Returns the remaining ones. Push returns later ones.
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
