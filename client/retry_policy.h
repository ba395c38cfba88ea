// Decides whether and when to retry a failed call.
//
// Only RESOURCE_EXHAUSTED and UNAVAILABLE are retried, and only before a message of the stream was
// received, because then the server has not started the call. A message that exceeds the size limit
// also fails with RESOURCE_EXHAUSTED in gRPC. It is not retried, because it would fail again. Waits
// double from one attempt to the next, with jitter. A pushback from the server replaces the wait.
//
// A client with one address does not retry a refused connection before its first answer. The user
// then learns at once that the server is not running.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "client/clock.h"

namespace dragoman::client {

struct RetryOptions {
  // Includes the first attempt; 1 means no retries.
  int max_attempts = 5;
  std::chrono::nanoseconds initial_backoff = std::chrono::milliseconds(100);
  std::chrono::nanoseconds max_backoff = std::chrono::seconds(5);
  double multiplier = 2;
  // All calls of a client share a retry budget of at most `budget`. Each retry spends 1 and each
  // successful call returns `budget_refill`. This limits the load on a server that is down: in the
  // long run to 1 + budget_refill times the normal load, not max_attempts times.
  double budget = 20;
  double budget_refill = 0.1;
  // Meant for bulk work, which prefers waiting to failing. A refusal with a pushback spends neither
  // attempts nor budget; only the deadline ends the retries. The same holds while a server that has
  // answered this client is UNAVAILABLE.
  bool patient = false;
  // Seed of the jitter.
  uint64_t seed = 0;
};

// The budget of one client. Thread-safe.
class RetryBudget {
 public:
  explicit RetryBudget(const RetryOptions& options);
  // Spends one retry. Returns false and spends nothing if less than one retry is left.
  bool Spend();
  // Called after each successful call.
  void Refill();
  // Reports whether any call has succeeded.
  bool answered() const { return answered_.load(std::memory_order_relaxed); }

 private:
  // In thousandths of a retry, so that an atomic integer can store it.
  const int64_t capacity_;
  const int64_t refill_;
  std::atomic<int64_t> left_;
  std::atomic<bool> answered_{false};
};

// The state of one call across its attempts. Not thread-safe. Borrows the budget.
class RetryState {
 public:
  using TimePoint = ClientClock::TimePoint;

  // `call` distinguishes the calls of a client, so that their jitter differs.
  RetryState(const RetryOptions& options, RetryBudget* budget, uint64_t call, TimePoint deadline);

  // Returns the wait before the next attempt, or nullopt: give up and report `status`. Also gives
  // up if the wait would end after the deadline. `received`: a message of the stream was received.
  std::optional<std::chrono::nanoseconds> AfterFailure(const absl::Status& status, TimePoint now,
                                                       bool received);

 private:
  double Random();  // [0, 1)

  const RetryOptions& options_;
  RetryBudget* const budget_;
  const TimePoint deadline_;
  uint64_t random_;
  int attempts_ = 0;  // retries that spent budget
  int failures_ = 0;  // all retries, for the backoff
};

}  // namespace dragoman::client
