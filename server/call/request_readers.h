// Threads for what comes before a job: reading a large request's message, checking it, finding out
// its items' languages, routing and admission.
//
// That takes microseconds for a text and tens of milliseconds for the longest list, for which the
// other connections of a transport's thread would have to wait. So a transport reads small requests
// itself and hands large ones over here.
//
// Thread-safe. What waits is bounded by the transports: each of their requests waits once, and holds
// the bytes that it had when it arrived. The destructor does what waits, then joins.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "engine/base/worker_pool.h"
#include "server/call/call_tracker.h"

namespace dragoman {

class RequestReaders {
 public:
  // `tracker` outlives it. Throws std::system_error when a thread cannot be started.
  RequestReaders(int threads, CallTracker* tracker) : tracker_(tracker), pool_(threads) {}

  // Calls `read` once: before it returns for a request of few bytes, else on a thread of its own,
  // in the order of arrival. Until then the request counts as a call in flight, so that a drain
  // waits for it.
  void Read(size_t bytes, std::function<void()> read) {
    if (bytes < kLarge) return read();
    pool_.Post([read = std::move(read), ticket = std::make_shared<CallTracker::Ticket>(tracker_)] {
      read();
    });
  }

 private:
  // A list of so many bytes takes a millisecond where languages are detected.
  static constexpr size_t kLarge = 1024;

  CallTracker* const tracker_;
  WorkerPool pool_;
};

}  // namespace dragoman
