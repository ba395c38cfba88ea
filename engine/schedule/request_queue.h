// The queue of accepted segments that no encoder has taken yet. Its capacity is a number of
// segments and a number of source tokens. It refuses new requests when the capacity is in use. It
// never blocks a client and never drops an accepted segment.
//
// Clients share the capacity (base/shared_capacity.h). One client cannot take all of it, and a
// client with few segments is not refused because of the segments of others.
//
// The capacity is a soft bound. A request reserves an estimate before its text is tokenised. Push
// replaces the estimate with the real numbers, even if these are larger. So the queue may exceed
// its capacity for a while, by at most one capacity for each job with a reservation (see
// FitsCapacity). Segments release their capacity when an encoder takes them.
//
// Thread-safe. All workers of an engine share the queue. Times are on the engine's clock.
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

  // Reserves capacity for the estimated size of a client's request. Returns kNone, or what is
  // exhausted: kClientShare means that there is room, but this client has its part already. An
  // estimate above the capacity counts as the capacity, so that it fits into an empty queue.
  // `reservation` gets the reserved amounts.
  RejectReason Reserve(uint64_t client, int share, int64_t segments, int64_t tokens,
                       Reservation* reservation);

  // Releases an unused reservation.
  void Unreserve(const Reservation& reservation);

  // Estimates how long a segment of `client` that arrives now would wait, from the cost that leaves
  // before it and the recent rate of leaving with a backlog. Returns 0 if the estimate is at most
  // `limit`, or if there is no rate yet.
  Nanos EstimateWait(uint64_t client, int share, Priority priority, Nanos limit) const;

  // Reports whether a request of this size can ever fit.
  bool FitsCapacity(int64_t segments, int64_t tokens) const {
    return segments <= capacity_.segments && tokens <= capacity_.tokens;
  }

  // Replaces the reservation with segments of its client. After Close, returns the segments.
  std::vector<std::unique_ptr<Segment>> Push(const Reservation& reservation,
                                             std::vector<std::unique_ptr<Segment>> segments);

  // Pops the next segments in the order of FairQueue: at least one, at most `max_segments`, at most
  // `max_tokens` if there are several, and at most an even share of all segments among `workers`
  // workers. Waits while there are none. Returns none if the queue is closed and empty, or if
  // *stopped is true. After a change of *stopped, call Wake.
  std::vector<std::unique_ptr<Segment>> PopWindow(int64_t max_segments, int64_t max_tokens,
                                                  int workers,
                                                  const std::atomic<bool>* stopped = nullptr);
  void Wake();

  // The same without waiting: returns none if the queue is empty.
  std::vector<std::unique_ptr<Segment>> TryPopWindow(int64_t max_segments, int64_t max_tokens,
                                                     int workers);

  // Takes out all segments of `owner`; nullptr: all segments.
  std::vector<std::unique_ptr<Segment>> Remove(const SegmentOwner* owner);

  // Makes Push return its segments. Segments that are in the queue can still be popped.
  void Close();

  struct Stats {
    int64_t segments = 0;  // includes reservations
    int64_t tokens = 0;
    Capacity capacity;
    Nanos oldest_age = 0;
    Nanos retry_after = 0;  // estimated time until a refused request may fit
  };
  Stats stats() const;

 private:
  std::vector<std::unique_ptr<Segment>> TakeWindow(int64_t max_segments, int64_t max_tokens,
                                                   int workers) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Updates cost_per_nano_ after `cost` has left at `now`.
  void MeasureLeaving(int64_t cost, Nanos now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Estimates the time until half of the reserved tokens has left, from the recent rate of leaving.
  Nanos RetryAfter() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Charge or release the capacity of a segment or a reservation.
  void Take(const Segment& segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Give(const Segment& segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Give(const Reservation& reservation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Capacity capacity_;
  const Clock* const clock_;

  mutable Mutex mu_;
  CondVar arrived_;
  FairQueue waiting_ ABSL_GUARDED_BY(mu_);
  // The capacity in use by reservations and segments.
  SharedCapacity segments_ ABSL_GUARDED_BY(mu_);
  SharedCapacity tokens_ ABSL_GUARDED_BY(mu_);
  uint64_t next_sequence_ ABSL_GUARDED_BY(mu_) = 0;
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
  // Tokens that left, in windows of about a second.
  Nanos rate_since_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t rate_tokens_ ABSL_GUARDED_BY(mu_) = 0;
  double tokens_per_nano_ ABSL_GUARDED_BY(mu_) = 0;
  // The cost (FairQueue::Cost) that has left while segments waited, over about a second of such
  // time, and the rates of the last two such seconds.
  Nanos backlog_since_ ABSL_GUARDED_BY(mu_) =
      0;  // the time since which segments have waited; 0: none waits
  Nanos busy_time_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t busy_cost_ ABSL_GUARDED_BY(mu_) = 0;
  std::array<double, 2> cost_per_nano_ ABSL_GUARDED_BY(mu_) = {};
};

}  // namespace dragoman::engine
