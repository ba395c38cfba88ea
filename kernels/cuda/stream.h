// Owned streams and events. Includes no CUDA header.
//
// A stream may be used by one thread at a time, an event by any number of threads. Both belong to
// the device that was current at Create. Both can be moved but not copied. Destroying a stream
// waits for the work on it, which may be unfinished after an error. So declare a stream after the
// memory that its work uses: the stream is then destroyed first.
#pragma once

#include <chrono>
#include <thread>
#include <utility>

#include "kernels/cuda/launch.h"

struct CUevent_st;

namespace dragoman::kernels::cuda {

// If kernels of both priorities wait for the device, those of kHigh streams go first. The decoder's
// steps use kHigh, the encoder's passes kLow.
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

  // Creates a stream that is not ordered with the default stream.
  Error Create(StreamPriority priority);

  Stream get() const { return stream_; }
  // Waits for all work on the stream. Returns the errors of its kernels.
  Error Wait() const;

 private:
  void Destroy();

  Stream stream_ = nullptr;
};

// A point in the order of a stream's work. The event "comes" when the work before this point has
// ended.
class Event {
 public:
  enum class Timing { kOff, kOn };
  // How a thread waits for the event: kSpin occupies a processor and returns at once when the event
  // comes; kSleep occupies none and returns later.
  enum class HostWait { kSpin, kSleep };

  Event() = default;
  ~Event() { Destroy(); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  // Creates the event. Timing kOn makes every Record slower.
  Error Create(Timing timing = Timing::kOff, HostWait wait = HostWait::kSpin);

  // Sets the event to the point after all work that is now on the stream. Replaces an earlier
  // Record.
  Error Record(Stream stream);
  // Makes work that is put on `stream` after this call wait for the event. The host does not wait.
  Error Before(Stream stream) const;
  // Blocks the calling thread until the event has come.
  Error Wait() const;
  // Blocks the calling thread until the event has come, but at most for about `limit`. Polls about
  // once a millisecond. *came reports whether the event has come.
  Error WaitAtMost(std::chrono::nanoseconds limit, bool* came) const;
  // Reports whether the event has come, without waiting. True for an event without a Record.
  Error Done(bool* done) const;
  // Sets *milliseconds to the time from `begin` to this event. REQUIRES: both were created with
  // Timing kOn and have come.
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
