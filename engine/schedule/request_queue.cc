#include "engine/schedule/request_queue.h"

#include <algorithm>
#include <utility>

namespace dragoman::engine {
namespace {

constexpr Nanos kRateWindow = 1'000'000'000;
constexpr Nanos kMinRetry = 50'000'000;
constexpr Nanos kMaxRetry = 10'000'000'000;
constexpr Nanos kRetryUnknown = 500'000'000;

}  // namespace

RejectReason RequestQueue::Reserve(uint64_t client, int share, int64_t segments, int64_t tokens,
                                   Reservation* reservation) {
  *reservation = {client, std::min(segments, capacity_.segments),
                  std::min(tokens, capacity_.tokens)};
  MutexLock lock(&mu_);
  if (!segments_.Fits(client, share, reservation->segments)) {
    return segments_.FitsAnother(share, reservation->segments) ? RejectReason::kClientShare
                                                               : RejectReason::kQueueFull;
  }
  if (!tokens_.Fits(client, share, reservation->tokens)) {
    return tokens_.FitsAnother(share, reservation->tokens) ? RejectReason::kClientShare
                                                           : RejectReason::kTokenBudget;
  }
  segments_.Take(client, share, reservation->segments);
  tokens_.Take(client, share, reservation->tokens);
  return RejectReason::kNone;
}

void RequestQueue::Take(const Segment& segment) {
  segments_.Take(segment.client, segment.share, 1);
  tokens_.Take(segment.client, segment.share, segment.tokens());
}

void RequestQueue::Give(const Segment& segment) {
  segments_.Give(segment.client, 1);
  tokens_.Give(segment.client, segment.tokens());
}

void RequestQueue::Give(const Reservation& reservation) {
  segments_.Give(reservation.client, reservation.segments);
  tokens_.Give(reservation.client, reservation.tokens);
}

void RequestQueue::Unreserve(const Reservation& reservation) {
  MutexLock lock(&mu_);
  Give(reservation);
}

std::vector<std::unique_ptr<Segment>> RequestQueue::Push(
    const Reservation& reservation, std::vector<std::unique_ptr<Segment>> segments) {
  {
    MutexLock lock(&mu_);
    Give(reservation);
    if (closed_) return segments;
    const Nanos now = clock_->Now();
    for (std::unique_ptr<Segment>& segment : segments) {
      segment->queued_at = now;
      Take(*segment);
      waiting_.Push(std::move(segment));
    }
  }
  arrived_.NotifyAll();
  return {};
}

std::vector<std::unique_ptr<Segment>> RequestQueue::PopWindow(int64_t max_segments,
                                                              int64_t max_tokens, int workers,
                                                              const std::atomic<bool>* stopped) {
  MutexLock lock(&mu_);
  const auto is_stopped = [stopped] { return stopped != nullptr && stopped->load(); };
  while (!closed_ && waiting_.empty() && !is_stopped()) arrived_.Wait(&mu_);
  if (is_stopped()) return {};
  return TakeWindow(max_segments, max_tokens, workers);
}

void RequestQueue::Wake() {
  MutexLock lock(&mu_);
  arrived_.NotifyAll();
}

std::vector<std::unique_ptr<Segment>> RequestQueue::TryPopWindow(int64_t max_segments,
                                                                 int64_t max_tokens, int workers) {
  MutexLock lock(&mu_);
  if (waiting_.empty()) return {};
  return TakeWindow(max_segments, max_tokens, workers);
}

std::vector<std::unique_ptr<Segment>> RequestQueue::TakeWindow(int64_t max_segments,
                                                               int64_t max_tokens, int workers) {
  const Nanos now = clock_->Now();
  const int64_t share = (waiting_.size() + workers - 1) / workers;
  const int64_t limit = std::min(max_segments, share);
  std::vector<std::unique_ptr<Segment>> window;
  int64_t tokens = 0;
  int64_t cost = 0;
  while (!waiting_.empty() && static_cast<int64_t>(window.size()) < limit) {
    const int64_t next = waiting_.Peek()->tokens();
    if (!window.empty() && tokens + next > max_tokens) break;
    tokens += next;
    window.push_back(waiting_.Pop());
    Give(*window.back());
    window.back()->popped_at = now;
    cost += FairQueue::Cost(*window.back());
  }
  MeasureLeaving(cost, now);
  rate_tokens_ += tokens;
  if (now - rate_since_ >= kRateWindow) {
    if (rate_since_ != 0) {
      tokens_per_nano_ = static_cast<double>(rate_tokens_) / static_cast<double>(now - rate_since_);
    }
    rate_since_ = now;
    rate_tokens_ = 0;
  }
  return window;
}

void RequestQueue::MeasureLeaving(int64_t cost, Nanos now) {
  // Measures only while segments wait. At other times segments leave at the rate at which they
  // arrive, which does not show how fast the encoders could take them.
  if (backlog_since_ != 0) {
    busy_time_ += now - backlog_since_;
    busy_cost_ += cost;
  }
  backlog_since_ = waiting_.empty() ? 0 : now;
  if (busy_time_ < kRateWindow) return;
  cost_per_nano_ = {static_cast<double>(busy_cost_) / static_cast<double>(busy_time_),
                    cost_per_nano_[0]};
  busy_time_ = 0;
  busy_cost_ = 0;
}

Nanos RequestQueue::EstimateWait(uint64_t client, int share, Priority priority, Nanos limit) const {
  MutexLock lock(&mu_);
  // Uses the higher of the last two rates, because it is better to admit a request that then waits
  // too long than to refuse one that would not.
  const double rate = std::max(cost_per_nano_[0], cost_per_nano_[1]);
  if (rate <= 0) return 0;
  // Fast path for the usual case: all waiting segments together take less than the limit.
  if (static_cast<double>(waiting_.cost()) <= rate * static_cast<double>(limit)) return 0;
  const int64_t before = waiting_.CostBefore(client, share, priority);
  const double wait = static_cast<double>(before) / rate;
  return wait <= static_cast<double>(limit) ? 0 : static_cast<Nanos>(wait);
}

std::vector<std::unique_ptr<Segment>> RequestQueue::Remove(const SegmentOwner* owner) {
  MutexLock lock(&mu_);
  std::vector<std::unique_ptr<Segment>> removed = waiting_.Remove(owner);
  for (const std::unique_ptr<Segment>& segment : removed) Give(*segment);
  return removed;
}

void RequestQueue::Close() {
  MutexLock lock(&mu_);
  closed_ = true;
  arrived_.NotifyAll();
}

Nanos RequestQueue::RetryAfter() const {
  if (tokens_per_nano_ <= 0) return kRetryUnknown;
  const double half = static_cast<double>(tokens_.held()) / 2;
  return std::clamp(static_cast<Nanos>(half / tokens_per_nano_), kMinRetry, kMaxRetry);
}

RequestQueue::Stats RequestQueue::stats() const {
  MutexLock lock(&mu_);
  const Nanos now = clock_->Now();
  return {segments_.held(), tokens_.held(), capacity_, now - waiting_.OldestQueuedAt(now),
          RetryAfter()};
}

}  // namespace dragoman::engine
