// Encoded segments of one worker, ready for a slot. Bounded: a full queue makes the encoder wait.
//
// It also knows whether more is on its way: the encoder says when it has taken something from the
// request queue and when it has found that one empty. So a static batch can wait to be full and yet
// never wait in vain: the encoder works, and whatever it works on arrives here or ends; or it waits
// for this queue or for memory that the decode loop must free, and this queue knows that too.
//
// Thread-safe; one encoder thread pushes, one decode thread pops, any thread may remove.
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

// Tells the decode loop of a worker which of its steps had a pass of the worker's encoder beside them.
//
// The encoder's thread marks its passes, the loop's asks; thread-safe for one of each.
class PassMarks {
 public:
  void Begin() { begun_.fetch_add(1); }
  void End() { ended_.fetch_add(1); }

  // The passes that have ended so far: taken before a step, for AnySince after it.
  int64_t ended() const { return ended_.load(); }
  // Whether a pass was running at any time since then: it had begun by now and had not ended then.
  bool AnySince(int64_t ended) const { return begun_.load() > ended; }

 private:
  std::atomic<int64_t> begun_{0};
  std::atomic<int64_t> ended_{0};
};

class EncodedQueue {
 public:
  EncodedQueue(int64_t capacity_segments, const Clock* clock)
      : capacity_(capacity_segments), clock_(clock) {}

  // Waits while full. After Close the segment is handed back, else nullptr.
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

  // Waits until there is room for `segments` (of more than the capacity: for the capacity) or Close
  // was called. Returns the room: what the caller may push without waiting.
  // REQUIRES: segments > 0.
  int64_t WaitForRoom(int64_t segments) {
    MutexLock lock(&mu_);
    const int64_t wanted = std::min(segments, capacity_);
    while (!closed_ && capacity_ - waiting_.size() < wanted) changed_.Wait(&mu_);
    return closed_ ? wanted : capacity_ - waiting_.size();
  }

  // The next segment if there is one and `fits` accepts it; else nullptr. The next in order is
  // never overtaken by one that fits better, or wide beams would starve.
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

  // Waits until there is a segment and `ready` accepts what is there; false once ended and
  // empty, or closed. `ready` is called under the lock.
  using Ready = std::function<bool(const Waiting&)>;
  bool WaitUntil(const Ready& ready) {
    MutexLock lock(&mu_);
    while (!IsOver() && !IsReady(ready)) changed_.Wait(&mu_);
    return !waiting_.empty();
  }

  // The same, for so long at most.
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

  // The encoder holds segments, or holds none and has found nothing more to take.
  void SetEncoderAtWork(bool at_work) {
    MutexLock lock(&mu_);
    at_work_ = at_work;
    changed_.NotifyAll();
  }

  // The encoder waits, or waits no longer, for memory that only a segment's end can free.
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

  // The passes of the encoder.
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
  bool pushing_ ABSL_GUARDED_BY(mu_) = false;  // waits in Push, or has not woken up yet
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::engine
