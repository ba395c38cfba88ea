// The load generator: decides when to send calls and counts the results.
//
// Single-threaded. Time and network come through LoadDriver, so tests use a simulated clock.
// Latency counts from the intended start of a call. A server (or generator) that stalls is
// therefore charged for all calls that had to wait, as in real traffic ("coordinated omission").
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "client/clock.h"
#include "client/load/histogram.h"

namespace dragoman::client {

struct LoadOptions {
  // Open loop: calls per second, independent of the server. 0: closed loop.
  double rate = 0;
  // Open loop: equal gaps. Otherwise exponential gaps (Poisson arrivals).
  bool constant = false;
  // Closed loop: the number of callers, each with one call in flight. After a refusal, a caller
  // waits as long as the server asks (10 ms if it does not say) before its next call.
  int concurrency = 1;
  // Only calls whose intended start is in [warmup, warmup + duration) count.
  std::chrono::nanoseconds warmup{0};
  std::chrono::nanoseconds duration{0};
  // Ends the run after this many calls, without those of the warm-up.
  int64_t max_calls = std::numeric_limits<int64_t>::max();
  // If set, called before each call. The run ends, as after max_calls, when it returns true.
  std::function<bool()> enough;
  // Open loop: at this many calls in flight, the next calls are sent late; send_delay shows it.
  int64_t max_in_flight = 20'000;
  uint64_t seed = 1;
};

// How a call ended.
struct LoadCompletion {
  int64_t call = 0;
  ClientClock::TimePoint finished;
  absl::Status status;
  // When the first message of the stream arrived.
  std::optional<ClientClock::TimePoint> first_message;
  int64_t items = 0;                           // translated
  int64_t characters = 0;                      // code points of their sources
  std::map<absl::StatusCode, int64_t> errors;  // of single items
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
};

class LoadDriver {
 public:
  virtual ~LoadDriver() = default;
  virtual ClientClock::TimePoint Now() = 0;
  // Sends a call and does not wait. Calls are numbered from 0.
  virtual void Send(int64_t call) = 0;
  // Waits for completions and replaces `*completions` with them; at `until` (if set) with none.
  virtual void Wait(std::optional<ClientClock::TimePoint> until,
                    std::vector<LoadCompletion>* completions) = 0;
};

// Statistics of the calls that count.
struct LoadReport {
  int64_t sent = 0;      // equals `answered` unless a call was lost
  int64_t answered = 0;  // with any status
  int64_t ok = 0;
  int64_t failed = 0;                               // lost, not OK, or with an item that failed
  int64_t accepted = 0;                             // answered, without the next two
  int64_t refused = 0;                              // RESOURCE_EXHAUSTED
  int64_t unavailable = 0;                          // UNAVAILABLE
  int64_t refused_with_hint = 0;                    // of these two: with a retry hint
  std::map<absl::StatusCode, int64_t> errors;       // of calls
  absl::Status first_error;                         // of these, with its message
  std::map<absl::StatusCode, int64_t> item_errors;  // of single items in calls with OK
  // From the intended start to the end, of calls with OK.
  Histogram latency;
  // From the intended start to the first message, of streams with OK.
  Histogram first_message;
  // From the intended to the real start, of all calls: the generator's own delay.
  Histogram send_delay;

  // Work and the time that it took. Throughput is work / time.
  enum class Window {
    kDuration,  // the duration; all work done within it counts, whenever its call was sent
    // max_calls ended a closed loop with a warm-up: from the first answer after the warm-up to the
    // last sent call. In between, a caller is without a call only while it follows a retry hint.
    kAllBusy,
    // max_calls ended any other run, or kAllBusy has no time span: from the end of the warm-up to
    // the last answer. The work is that of the calls that count.
    kToLastAnswer
  };
  Window window_kind = Window::kDuration;
  std::chrono::nanoseconds window{0};
  int64_t items = 0;
  int64_t characters = 0;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
};

// Sends calls until the time or the number of calls is used up, then waits for every answer.
LoadReport RunLoad(const LoadOptions& options, LoadDriver* driver);

}  // namespace dragoman::client
