// Threads that prepare large requests: they parse and check the message, detect the items'
// languages, choose the models and submit the job.
//
// Preparing takes microseconds for one text and tens of milliseconds for the longest list. If a
// transport's own thread did this, the other connections of the thread would wait. So a transport
// prepares small requests itself and posts large ones here. Clients share these threads fairly
// (engine/base/fair_turns.h), by the bytes of their requests: a request waits for about as many
// bytes of each other client as it has itself, and for the requests that are already being read.
//
// Thread-safe. The queue has no limit of its own. The transports limit the bytes of the requests
// that they accept, and each request waits here once. When a client is gone, its transport releases
// these bytes. The destructor runs all waiting requests, then joins the threads.
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
  // `tracker` outlives this object. Throws std::system_error if a thread cannot be started.
  RequestReaders(int threads, CallTracker* tracker) : tracker_(tracker), pool_("read", threads) {}

  // Reports whether a request of `bytes` bytes has to be posted here. A list of 1024 bytes takes
  // about a millisecond to prepare if languages are detected.
  static bool IsLarge(int64_t bytes) { return bytes >= 1024; }

  // Calls `read` once, on one of the threads. Requests of one client (ClientName) are read in the
  // order of arrival. Until `read` is called, the request counts as a call in flight, for drains.
  // REQUIRES: bytes >= 0.
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
  // The clients that have requests waiting.
  std::unordered_map<std::string, Flow> flows_ ABSL_GUARDED_BY(mu_);

  engine::WorkerPool pool_;  // one task for each waiting request; destroyed first
};

}  // namespace dragoman::server
