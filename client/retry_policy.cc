#include "client/retry_policy.h"

#include <algorithm>
#include <cmath>

#include "client/status_map.h"

namespace dragoman::client {
namespace {

int64_t Thousandths(double value) { return std::llround(value * 1000); }

std::chrono::nanoseconds Times(std::chrono::nanoseconds duration, double factor) {
  return std::chrono::nanoseconds(std::llround(static_cast<double>(duration.count()) * factor));
}

}  // namespace

RetryBudget::RetryBudget(const RetryOptions& options)
    : capacity_(Thousandths(options.budget)),
      refill_(Thousandths(options.budget_refill)),
      left_(capacity_),
      answered_(options.answered) {}

bool RetryBudget::Spend() {
  int64_t left = left_.load(std::memory_order_relaxed);
  while (left >= 1000) {
    if (left_.compare_exchange_weak(left, left - 1000, std::memory_order_relaxed)) return true;
  }
  return false;
}

void RetryBudget::Refill() {
  answered_.store(true, std::memory_order_relaxed);
  int64_t left = left_.load(std::memory_order_relaxed);
  while (left < capacity_) {
    const int64_t more = std::min(capacity_, left + refill_);
    if (left_.compare_exchange_weak(left, more, std::memory_order_relaxed)) return;
  }
}

RetryState::RetryState(const RetryOptions& options, RetryBudget* budget, uint64_t call,
                       TimePoint deadline)
    : options_(options),
      budget_(budget),
      deadline_(deadline),
      random_(options.seed + call * 0x9E3779B97F4A7C15u) {}

double RetryState::Random() {
  // The generator splitmix64.
  uint64_t z = (random_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

std::optional<std::chrono::nanoseconds> RetryState::AfterFailure(const absl::Status& status,
                                                                 TimePoint now, bool received) {
  const bool retryable = absl::IsResourceExhausted(status) || absl::IsUnavailable(status);
  if (!retryable || received || IsMessageTooLarge(status)) return std::nullopt;
  const RetryHint hint = RetryHintOf(status);
  if (hint.never) return std::nullopt;

  const bool away = absl::IsUnavailable(status) && budget_->answered() && options_.max_attempts > 1;
  const bool free = options_.patient && (hint.delay.has_value() || away);
  if (!free && attempts_ + 1 >= options_.max_attempts) return std::nullopt;

  std::chrono::nanoseconds delay;
  if (hint.delay.has_value()) {
    // Waits the server's delay plus a random part, so that not all clients return at the same time.
    delay = Times(*hint.delay, 1 + 0.2 * Random());
  } else {
    const double grown = static_cast<double>(options_.initial_backoff.count()) *
                         std::pow(options_.multiplier, failures_);
    const double capped = std::min(grown, static_cast<double>(options_.max_backoff.count()));
    delay = std::chrono::nanoseconds(std::llround(capped * (0.5 + 0.5 * Random())));
  }
  if (now + delay >= deadline_) return std::nullopt;
  ++failures_;
  if (free) return delay;
  if (!budget_->Spend()) return std::nullopt;
  ++attempts_;
  return delay;
}

}  // namespace dragoman::client
