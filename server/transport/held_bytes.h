// Counts the bytes that all connections of a port use for incoming requests and outgoing answers.
// Above the limit, it ends connections: first those of clients without an API key, then those of
// other clients. It always ends the largest connection of the client with the most bytes. Because
// bytes are summed per client, a client gains nothing from splitting its data over several
// connections.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>

#include "engine/base/mutex.h"
#include "server/transport/http_exchange.h"

namespace dragoman::server {

class HeldBytes {
 public:
  // One connection's part of the count: the bytes that the connection holds (Set), and the bytes
  // reserved for an answer that is being built (Reserve).
  class Share {
   public:
    // `evict` is called at most once, when the connection has to end, from any thread and with a
    // lock held. It must not block, and must not call Set or Reserve. After the call of `evict`,
    // the share counts as 0.
    Share(HeldBytes* all, std::function<void()> evict);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Replaces the number of bytes held. Only one thread calls it.
    void Set(int64_t bytes) { Exchange(&set_, bytes); }
    // Replaces the number of bytes reserved. One thread at a time calls it. Returns false if the
    // connection is about to end.
    bool Reserve(int64_t bytes) {
      Exchange(&reserved_, bytes);
      return !evicted_;
    }
    // May be called from any thread.
    void SetClient(RequestClient client);

   private:
    friend class HeldBytes;
    void Exchange(std::atomic<int64_t>* part, int64_t bytes);

    HeldBytes* const all_;
    const std::function<void()> evict_;
    std::atomic<int64_t> set_{0};
    std::atomic<int64_t> reserved_{0};
    std::atomic<bool> evicted_{false};
    RequestClient client_;  // guarded by all_->mu_
  };

  explicit HeldBytes(int64_t limit) : limit_(limit) {}

  int64_t limit() const { return limit_; }
  int64_t total() const { return total_; }

 private:
  void Evict();

  const int64_t limit_;
  std::atomic<int64_t> total_{0};

  engine::Mutex mu_;
  std::set<Share*> shares_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
