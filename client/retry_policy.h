// Decides whether and when to retry a failed call.
//
// Only RESOURCE_EXHAUSTED and UNAVAILABLE are retried, and only if no message of the call has been
// received, because then the server has not done any work. In gRPC, a message that exceeds the size
// limit fails with RESOURCE_EXHAUSTED too. It is not retried, because it would fail again. The wait
// doubles from one attempt to the next, with jitter. If the server sends a pushback
// (grpc-retry-pushback-ms), the pushback replaces the wait.
//
// A client with one address that has never had an answer does not retry a refused connection, so
// that the user learns at once that the server is not running.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "client/clock.h"

namespace dragoman::client {

struct RetryOptions {
  // The maximum number of attempts, including the first one. 1 means no retries.
  int max_attempts = 5;
  std::chrono::nanoseconds initial_backoff = std::chrono::milliseconds(100);
  std::chrono::nanoseconds max_backoff = std::chrono::seconds(5);
  double multiplier = 2;
  // All calls of a client share a budget for retries, which is at most `budget`. A retry takes 1
  // from the budget, and a successful call adds `budget_refill`. In the long run, this limits the
  // load on an overloaded server to 1 + budget_refill times the normal load, instead of
  // max_attempts times.
  double budget = 20;
  double budget_refill = 0.1;
  // Serves bulk work, which prefers waiting to failing. If set, a refusal with a pushback uses
  // neither an attempt nor budget, so only the deadline ends the retries. UNAVAILABLE has the same
  // effect if the client has had an answer before.
  bool patient = false;
  // Says that the server has been seen to run (NodeDaemon), which counts as an answer.
  bool answered = false;
  // Seed of the jitter.
  uint64_t seed = 0;
};

// The budget of one client. Thread-safe.
class RetryBudget {
 public:
  explicit RetryBudget(const RetryOptions& options);
  // Takes 1 from the budget. Returns false and takes nothing if less than 1 is left.
  bool Spend();
  // Adds budget_refill. Call it after each successful call.
  void Refill();
  // Reports whether any call has succeeded, or the options say so.
  bool answered() const { return answered_.load(std::memory_order_relaxed); }

 private:
  // capacity_, refill_ and left_ are in thousandths of a retry, so that an atomic integer can store
  // them.
  const int64_t capacity_;
  const int64_t refill_;
  std::atomic<int64_t> left_;
  std::atomic<bool> answered_;
};

// Decides on the retries of one call. Not thread-safe. Borrows the options and the budget.
class RetryState {
 public:
  using TimePoint = ClientClock::TimePoint;

  // `call` is a number that is different for each call of a client, so that their jitter differs.
  RetryState(const RetryOptions& options, RetryBudget* budget, uint64_t call, TimePoint deadline);

  // Returns the wait before the next attempt, or nullopt if the call must give up and report
  // `status`. It must give up, too, if the wait would end after the deadline. `received` says that
  // a message of the call has been received.
  std::optional<std::chrono::nanoseconds> AfterFailure(const absl::Status& status, TimePoint now,
                                                       bool received);

 private:
  double Random();  // a random number in [0, 1)

  const RetryOptions& options_;
  RetryBudget* const budget_;
  const TimePoint deadline_;
  uint64_t random_;
  int attempts_ = 0;  // retries that used budget
  int failures_ = 0;  // all retries, for the backoff
};

}  // namespace dragoman::client
