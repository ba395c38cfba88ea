// Threads for what comes before a job: reading a large request's message, checking it, finding out
// its items' languages, routing and admission.
//
// That takes microseconds for a text and tens of milliseconds for the longest list, for which the
// other connections of a transport's thread would have to wait. So a transport reads small requests
// itself and hands large ones over here.
//
// Thread-safe. What waits is bounded by the transports, each of whose requests waits once: it keeps
// the bytes that it had when it came, and a transport lets go of them when the client is gone. The
// destructor does what waits, then joins.
#pragma once

#include <cstdint>
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

  // Whether a request of so many bytes is read here. A list of that size takes a millisecond where
  // languages are detected.
  static bool IsLarge(int64_t bytes) { return bytes >= 1024; }

  // Calls `read` once, on a thread of its own, in the order of arrival. Until then the request counts
  // as a call in flight, so that a drain waits for it.
  void Post(std::function<void()> read) {
    pool_.Post([read = std::move(read), ticket = std::make_shared<CallTracker::Ticket>(tracker_)] {
      read();
    });
  }

 private:
  CallTracker* const tracker_;
  WorkerPool pool_;
};

}  // namespace dragoman
