// How much memory the connections of a port hold for requests on their way in and answers on their
// way out, in all. Above the limit those that hold the most are told to let go.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>

#include "engine/base/mutex.h"

namespace dragoman {

class HeldBytes {
 public:
  // One connection's part. Set is for one thread.
  class Share {
   public:
    // `evict` is called at most once, from any thread and with a lock held: it must not block, nor
    // call Set. From then on the share counts as 0: the connection is about to end.
    Share(HeldBytes* all, std::function<void()> evict);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    void Set(int64_t bytes);

   private:
    friend class HeldBytes;
    HeldBytes* const all_;
    const std::function<void()> evict_;
    std::atomic<int64_t> bytes_{0};
    std::atomic<bool> evicted_{false};
  };

  explicit HeldBytes(int64_t limit) : limit_(limit) {}

  int64_t limit() const { return limit_; }
  int64_t total() const { return total_; }

 private:
  void EvictGreediest();

  const int64_t limit_;
  std::atomic<int64_t> total_{0};

  Mutex mu_;
  std::set<Share*> shares_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman
