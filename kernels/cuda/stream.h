// Owned streams and events. Includes no CUDA header.
//
// A stream may be used by one thread at a time, an event by any number of threads. Both belong to
// the device that was current at Create. They move but do not copy. Destroying a stream waits for
// its work, which may remain after an error: declare it after the memory that its work uses.
#pragma once

#include <chrono>
#include <thread>
#include <utility>

#include "kernels/cuda/launch.h"

struct CUevent_st;

namespace dragoman::kernels::cuda {

// The decoder's steps go before the encoder's kernels if both wait for the device.
enum class StreamPriority { kHigh, kLow };

class OwnedStream {
 public:
  OwnedStream() = default;
  ~OwnedStream() { Destroy(); }
  OwnedStream(OwnedStream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  OwnedStream& operator=(OwnedStream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }

  // The stream is not ordered with the default stream.
  Error Create(StreamPriority priority);

  Stream get() const { return stream_; }
  // Waits for all work on the stream. Returns the errors of its kernels.
  Error Wait() const;

 private:
  void Destroy();

  Stream stream_ = nullptr;
};

// A point in a stream's order.
class Event {
 public:
  enum class Timing { kOff, kOn };
  // How a thread waits: kSpin returns at once and occupies a processor, kSleep wakes later.
  enum class HostWait { kSpin, kSleep };

  Event() = default;
  ~Event() { Destroy(); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  // kOn makes every Record slower.
  Error Create(Timing timing = Timing::kOff, HostWait wait = HostWait::kSpin);

  // Records the point after all work now on the stream. Replaces an earlier Record.
  Error Record(Stream stream);
  // Makes later work on `stream` wait for the event. The host does not wait.
  Error Before(Stream stream) const;
  // The host waits.
  Error Wait() const;
  // Waits at most `limit`, less precisely. *came reports whether the event has come.
  Error WaitAtMost(std::chrono::nanoseconds limit, bool* came) const;
  // Reports whether the event has come, without waiting. True for an event without a Record.
  Error Done(bool* done) const;
  // Milliseconds from `begin` to this event. Both must have timing and have come.
  Error MillisecondsSince(const Event& begin, float* milliseconds) const;

 private:
  void Destroy();

  CUevent_st* event_ = nullptr;
};

// Waits for a device with a time limit, by polling, because CUDA's own waits have no limit.
//
// Calls `ask`, an Error(bool* done), at least once and about once a millisecond, until it sets
// *done, fails or `limit` has passed. *done reports whether it finished in time.
template <class Ask>
Error PollAtMost(std::chrono::nanoseconds limit, const Ask& ask, bool* done) {
  const auto give_up = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const Error error = ask(done);
    if (error != Error::kNone || *done || std::chrono::steady_clock::now() >= give_up) return error;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace dragoman::kernels::cuda
