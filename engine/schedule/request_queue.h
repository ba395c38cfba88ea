// The queue of accepted segments that no encoder has taken yet. Its capacity limits both the number
// of segments and the number of source tokens. If there is no room for a new request, Reserve
// refuses it at once. The queue never drops an accepted segment.
//
// Clients share the capacity (base/shared_capacity.h). One client cannot take all of it, and a
// client with few segments is not refused because of the segments of others.
//
// The capacity is a soft bound. A request reserves an estimate before its text is tokenised. Push
// replaces the estimate with the real numbers, even if these are larger. So the queue may exceed
// its capacity for a while. Each reservation adds at most one capacity to this excess, because
// callers refuse a request for which FitsCapacity is false. Segments release their capacity when an
// encoder takes them.
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
  struct Capacity {  // of the queue, in segments and in source tokens
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

  // Reserves capacity for the estimated size of a client's request and stores the reserved amounts
  // in *reservation. An estimate above the capacity is reduced to the capacity, so that it fits
  // into an empty queue. Returns kNone on success. Otherwise reserves nothing, and returns
  // kClientShare if another client could have reserved as much, kQueueFull if segments do not fit,
  // or kTokenBudget if source tokens do not fit.
  RejectReason Reserve(uint64_t client, int share, int64_t segments, int64_t tokens,
                       Reservation* reservation);

  // Releases an unused reservation.
  void Unreserve(const Reservation& reservation);

  // Estimates how long a segment of `client` that arrives now would wait in this queue: the cost of
  // the segments that leave before it, divided by the rate at which cost has left recently while
  // segments waited. Returns 0 if the estimate is at most `limit`, or if no rate was measured yet.
  Nanos EstimateWait(uint64_t client, int share, Priority priority, Nanos limit) const;

  // Reports whether a request of this real size fits into an empty queue.
  bool FitsCapacity(int64_t segments, int64_t tokens) const {
    return segments <= capacity_.segments && tokens <= capacity_.tokens;
  }

  // Replaces the reservation by `segments`, all of which belong to the client of the reservation.
  // Returns an empty list. After Close, adds nothing and returns the segments.
  std::vector<std::unique_ptr<Segment>> Push(const Reservation& reservation,
                                             std::vector<std::unique_ptr<Segment>> segments);

  // Waits until the queue has segments, and pops the next ones in the order of FairQueue. Pops at
  // least one segment. Pops at most `max_segments`, at most `max_tokens` source tokens if there are
  // several segments, and at most the fraction 1 / workers of all segments, rounded up. Returns
  // none if the queue is closed and empty, or if *stopped is true. After *stopped has changed, call
  // Wake.
  std::vector<std::unique_ptr<Segment>> PopWindow(int64_t max_segments, int64_t max_tokens,
                                                  int workers,
                                                  const std::atomic<bool>* stopped = nullptr);
  void Wake();

  // Like PopWindow, but does not wait: returns none if the queue is empty.
  std::vector<std::unique_ptr<Segment>> TryPopWindow(int64_t max_segments, int64_t max_tokens,
                                                     int workers);

  // Removes and returns all segments of `owner`; nullptr: all segments.
  std::vector<std::unique_ptr<Segment>> Remove(const SegmentOwner* owner);

  // Makes later calls of Push return their segments. Segments in the queue can still be popped.
  void Close();

  struct Stats {
    int64_t segments = 0;  // `segments` and `tokens` include reservations
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

  // Estimates the time until half of the queue's tokens, including reservations, have left. Uses
  // the rate at which tokens have left recently.
  Nanos RetryAfter() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Take charges a segment's capacity to its client. Give releases the capacity of a segment or of
  // a reservation.
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
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
  // The following members measure the rate at which encoders take tokens, in periods of about a
  // second. `rate_tokens_` counts the tokens since the period began, at `rate_since_`.
  // `tokens_per_nano_` is the rate of the period before.
  Nanos rate_since_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t rate_tokens_ ABSL_GUARDED_BY(mu_) = 0;
  double tokens_per_nano_ ABSL_GUARDED_BY(mu_) = 0;
  // A backlog is a time during which segments wait. The following members measure how fast cost
  // (FairQueue::Cost) leaves during backlogs. A rate is computed after each second of backlog.
  // `busy_time_` and `busy_cost_` are the time and the cost since then, `cost_per_nano_` has the
  // last two rates. The time up to which the backlog is counted in busy_time_; 0: no segment waits.
  Nanos backlog_since_ ABSL_GUARDED_BY(mu_) = 0;
  Nanos busy_time_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t busy_cost_ ABSL_GUARDED_BY(mu_) = 0;
  std::array<double, 2> cost_per_nano_ ABSL_GUARDED_BY(mu_) = {};
};

}  // namespace dragoman::engine
