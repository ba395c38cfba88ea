// Streams and events that are owned. Free of CUDA's headers.
//
// A stream may be used by one thread at a time, an event by any number. Both belong to the device
// that was current at Create. They move, and do not copy. Destroying a stream waits for what is on
// it, which an error may have left there: declare it after the memory that its work uses.
#pragma once

#include <chrono>
#include <utility>

#include "kernels/cuda/launch.h"

struct CUevent_st;

namespace dragoman::kernels::cuda {

// The decoder's steps go before the encoder's kernels wherever both wait for a place.
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

  // Not ordered with the default stream.
  Error Create(StreamPriority priority);

  Stream get() const { return stream_; }
  // Until everything that was put on it is done: what its kernels did wrong comes back here.
  Error Wait() const;

 private:
  void Destroy();

  Stream stream_ = nullptr;
};

// A place in a stream's order.
class Event {
 public:
  enum class Timing { kOff, kOn };
  // How a thread waits: kSpin comes back at once and costs a processor, kSleep is woken later.
  enum class HostWait { kSpin, kSleep };

  Event() = default;
  ~Event() { Destroy(); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  // kOn costs some time in every Record.
  Error Create(Timing timing = Timing::kOff, HostWait wait = HostWait::kSpin);

  // After everything that is on the stream now. The last Record counts.
  Error Record(Stream stream);
  // Makes later work on `stream` wait for the event; the host does not wait.
  Error Before(Stream stream) const;
  // The host waits.
  Error Wait() const;
  // The same for so long at most, and less sharply: *came says whether it has come.
  Error WaitAtMost(std::chrono::nanoseconds limit, bool* came) const;
  // Whether it has come, without waiting. An event that was never recorded has.
  Error Done(bool* done) const;
  // From `begin` to this one; both with timing, recorded and come.
  Error MillisecondsSince(const Event& begin, float* milliseconds) const;

 private:
  void Destroy();

  CUevent_st* event_ = nullptr;
};

}  // namespace dragoman::kernels::cuda
