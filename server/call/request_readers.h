// Threads for what comes before a job: reading a large request's message, checking it, finding out
// its items' languages, routing and admission.
//
// That takes microseconds for a text and tens of milliseconds for the longest list, for which the
// other connections of a transport's thread would have to wait. So a transport reads small requests
// itself and hands large ones over here, where clients take turns (engine/base/fair_turns.h) by the
// bytes of their requests: a request waits for about as many bytes of each other client as it has
// itself, and for those that are being read.
//
// Thread-safe. What waits is bounded by the transports, each of whose requests waits once: it keeps
// the bytes that it had when it came, and a transport lets go of them when the client is gone. The
// destructor does what waits, then joins.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/fair_turns.h"
#include "engine/base/mutex.h"
#include "engine/base/worker_pool.h"
#include "server/call/api_keys.h"
#include "server/call/call_tracker.h"

namespace dragoman::server {

class RequestReaders {
 public:
  // `tracker` outlives it. Throws std::system_error when a thread cannot be started.
  RequestReaders(int threads, CallTracker* tracker) : tracker_(tracker), pool_("read", threads) {}

  // Whether a request of so many bytes is read here. A list of that size takes a millisecond where
  // languages are detected.
  static bool IsLarge(int64_t bytes) { return bytes >= 1024; }

  // Calls `read` once, on a thread of its own. The requests of a client, which is the grant's or, for
  // nullptr, the peer's (ClientName), are read in the order of their arrival. Until then the request
  // counts as a call in flight, so that a drain waits for it. REQUIRES: bytes >= 0.
  void Post(const Grant* grant, std::string_view peer, int64_t bytes, std::function<void()> read);

 private:
  struct Waiting {
    std::function<void()> read;
    std::shared_ptr<CallTracker::Ticket> ticket;
    double cost = 0;  // bytes, divided by the client's share
  };
  struct Flow : engine::FairTurns::Flow {
    std::string client;
    std::deque<Waiting> requests;
  };

  void ReadNext();

  CallTracker* const tracker_;

  engine::Mutex mu_;
  engine::FairTurns turns_ ABSL_GUARDED_BY(mu_);
  // These are the clients that have something waiting.
  std::unordered_map<std::string, Flow> flows_ ABSL_GUARDED_BY(mu_);

  engine::WorkerPool
      pool_;  // has a task for each request that waits; its end comes before all else
};

}  // namespace dragoman::server
