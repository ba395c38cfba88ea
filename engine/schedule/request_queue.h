// The queue at the door: what was accepted and is not being encoded yet. It has a capacity in
// segments and in source tokens, refuses new requests when that is taken, never blocks a caller and
// never drops what it took.
//
// Clients share the capacity (base/shared_capacity.h): one that takes all it can leaves room for
// others, and a client with little waiting is not refused because of what others have waiting.
//
// The capacity is a soft bound. It is reserved by estimate before the text is tokenised, and the
// estimate is exchanged for the real numbers when the segments are pushed: where they are larger,
// they are taken all the same, and the queue then holds more than its capacity until enough has
// left (by at most one capacity for each job that held a reservation, see FitsCapacity). Beyond its
// largest part of the capacity, what a client holds does not count against others. Capacity is
// given back as segments leave for an encoder.
//
// Thread-safe. Shared by all workers of an engine. Sizes are source tokens; times are the engine's
// clock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/shared_capacity.h"
#include "engine/schedule/fair_queue.h"

namespace dragoman::engine {

class RequestQueue {
 public:
  struct Capacity {
    int64_t segments = 4096;
    int64_t tokens = 131072;
  };
  struct Reservation {
    uint64_t client = 0;
    int64_t segments = 0;
    int64_t tokens = 0;
  };

  RequestQueue(Capacity capacity, const Clock* clock)
      : capacity_(capacity),
        clock_(clock),
        segments_(capacity.segments),
        tokens_(capacity.tokens) {}

  // Takes capacity for an estimated request of a client: kNone, or what is exhausted. kClientShare:
  // there is room, but this client has its part of the queue waiting already. An estimate above the
  // capacity counts as the capacity, so that it fits an empty queue; `reservation` says what was
  // taken.
  RejectReason Reserve(uint64_t client, int share, int64_t segments, int64_t tokens,
                       Reservation* reservation);

  // Gives an unused reservation back.
  void Unreserve(const Reservation& reservation);

  // About how long a segment of `client` that came now would wait here, from what would leave before
  // it and the rate at which segments have left while others waited; 0 before there is such a rate,
  // and if it is `limit` or less.
  Nanos EstimateWait(uint64_t client, int share, Priority priority, Nanos limit) const;

  // Whether this many could ever be taken at once.
  bool FitsCapacity(int64_t segments, int64_t tokens) const {
    return segments <= capacity_.segments && tokens <= capacity_.tokens;
  }

  // Exchanges the reservation for these segments, of the same client. After Close they are handed
  // back.
  std::vector<std::unique_ptr<Segment>> Push(const Reservation& reservation,
                                             std::vector<std::unique_ptr<Segment>> segments);

  // The next segments in the order of FairQueue, at most this many and this many tokens (but one at
  // least), and no more than this worker's even share of what waits. Waits while there are none;
  // empty once closed and drained, or with *stopped (nullptr: never), which Wake tells those who
  // wait. `workers` is the number of those who pop.
  std::vector<std::unique_ptr<Segment>> PopWindow(int64_t max_segments, int64_t max_tokens,
                                                  int workers,
                                                  const std::atomic<bool>* stopped = nullptr);
  void Wake();

  // The same without waiting: empty as well when nothing waits.
  std::vector<std::unique_ptr<Segment>> TryPopWindow(int64_t max_segments, int64_t max_tokens,
                                                     int workers);

  // Takes out what an abandoned job has here; nullptr: everything.
  std::vector<std::unique_ptr<Segment>> Remove(const SegmentOwner* owner);

  // After this, segments that are here are still popped; later ones are handed back.
  void Close();

  struct Stats {
    int64_t segments = 0;  // reservations included
    int64_t tokens = 0;
    Capacity capacity;
    Nanos oldest_age = 0;
    Nanos retry_after = 0;  // about when a refused request may fit
  };
  Stats stats() const;

 private:
  std::vector<std::unique_ptr<Segment>> TakeWindow(int64_t max_segments, int64_t max_tokens,
                                                   int workers) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // `cost` has left at `now`.
  void MeasureLeaving(int64_t cost, Nanos now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // About how long until half of what waits has left, from the recent rate of leaving.
  Nanos RetryAfter() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // A segment of the queue holds capacity, or does so no longer.
  void Take(const Segment& segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Give(const Segment& segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Give(const Reservation& reservation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Capacity capacity_;
  const Clock* const clock_;

  mutable Mutex mu_;
  CondVar arrived_;
  FairQueue waiting_ ABSL_GUARDED_BY(mu_);
  // The capacity in use: what is reserved, and what waits.
  SharedCapacity segments_ ABSL_GUARDED_BY(mu_);
  SharedCapacity tokens_ ABSL_GUARDED_BY(mu_);
  uint64_t next_sequence_ ABSL_GUARDED_BY(mu_) = 0;
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
  // Tokens that left, in windows of about a second.
  Nanos rate_since_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t rate_tokens_ ABSL_GUARDED_BY(mu_) = 0;
  double tokens_per_nano_ ABSL_GUARDED_BY(mu_) = 0;
  // The cost (FairQueue::Cost) that left while there was always something waiting, over about a
  // second of such time; and the rates of the last two such seconds.
  Nanos backlog_since_ ABSL_GUARDED_BY(mu_) =
      0;  // since when segments have been left waiting; 0: none
  Nanos busy_time_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t busy_cost_ ABSL_GUARDED_BY(mu_) = 0;
  std::array<double, 2> cost_per_nano_ ABSL_GUARDED_BY(mu_) = {};
};

}  // namespace dragoman::engine
