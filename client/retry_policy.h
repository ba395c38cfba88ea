// Whether and when a failed call is tried again.
//
// Only RESOURCE_EXHAUSTED and UNAVAILABLE are, and only before anything of a stream was received:
// then the server has done nothing of the call. A message that is larger than the server takes is
// RESOURCE_EXHAUSTED too, by gRPC's choice, and will be so again: it is not. Waits double from one
// attempt to the next, with jitter; a pushback of the server takes their place.
//
// A client with one address does not retry a refused connection before its first answer. So a user who
// has not started the server learns it at once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "client/clock.h"

namespace dragoman::client {

struct RetryOptions {
  // The first attempt included; 1 means no retries.
  int max_attempts = 5;
  std::chrono::nanoseconds initial_backoff = std::chrono::milliseconds(100);
  std::chrono::nanoseconds max_backoff = std::chrono::seconds(5);
  double multiplier = 2;
  // A client's retries share a budget: each spends 1, each successful call gives `budget_refill`
  // back, and it never holds more than `budget`. So a server that is down does not get
  // max_attempts times the load: in the long run at most 1 + budget_refill times.
  double budget = 20;
  double budget_refill = 0.1;
  // A refusal that carries a pushback spends neither attempts nor budget; only the deadline ends
  // the retries. The same holds while a server that has answered this client is away (UNAVAILABLE).
  // Meant for bulk work, which would rather wait than fail.
  bool patient = false;
  // Seed of the jitter.
  uint64_t seed = 0;
};

// The budget of one client. Thread-safe.
class RetryBudget {
 public:
  explicit RetryBudget(const RetryOptions& options);
  // False, and spends nothing, when there is less than one retry left.
  bool Spend();
  // After an answer.
  void Refill();
  // Whether there was one.
  bool answered() const { return answered_.load(std::memory_order_relaxed); }

 private:
  // In thousandths, so that an atomic integer holds it.
  const int64_t capacity_;
  const int64_t refill_;
  std::atomic<int64_t> left_;
  std::atomic<bool> answered_{false};
};

// The state of one call across its attempts. Not thread-safe. Borrows the budget.
class RetryState {
 public:
  using TimePoint = ClientClock::TimePoint;

  // `call` tells the calls of a client apart, so that their jitter differs.
  RetryState(const RetryOptions& options, RetryBudget* budget, uint64_t call, TimePoint deadline);

  // How long to wait before the next attempt, or unset: give up and report `status`. Gives up as
  // well when the wait would not end before the deadline. `received`: something of a stream came.
  std::optional<std::chrono::nanoseconds> AfterFailure(const absl::Status& status, TimePoint now,
                                                       bool received);

 private:
  double Random();  // [0, 1)

  const RetryOptions& options_;
  RetryBudget* const budget_;
  const TimePoint deadline_;
  uint64_t random_;
  int attempts_ = 0;  // that spent one
  int failures_ = 0;  // since the start, for the backoff
};

}  // namespace dragoman::client
