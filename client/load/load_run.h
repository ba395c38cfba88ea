// The load generator: when calls are sent, and what is counted.
//
// Single-threaded; time and network come through LoadDriver, so that all of it runs on a simulated
// clock in tests. Latency counts from the time at which a call was meant to be sent, not from when
// it was: a server (or generator) that stalls is charged for all the calls that had to wait, as
// they would be in real traffic ("coordinated omission").
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/clock.h"
#include "client/load/histogram.h"

namespace dragoman::client {

struct LoadOptions {
  // Open loop: calls per second, whatever the server does. 0: closed loop.
  double rate = 0;
  // Open loop: equal gaps; else exponential ones (Poisson arrivals).
  bool constant = false;
  // Closed loop: so many callers, each with one call in flight. One that was refused waits as long
  // as the server asked for (10 ms if it did not say) before its next call.
  int concurrency = 1;
  // Only calls that are meant to start in [warmup, warmup + duration) count.
  std::chrono::nanoseconds warmup{0};
  std::chrono::nanoseconds duration{0};
  // Ends the run after so many calls, those of the warm-up not counted.
  int64_t max_calls = std::numeric_limits<int64_t>::max();
  // If set, it is asked before each call; the run ends, as after max_calls, when it says true.
  std::function<bool()> enough;
  // Open loop: with so many calls in flight the next ones are late; that is seen in send_delay.
  int64_t max_in_flight = 20'000;
  uint64_t seed = 1;
};

// How a call ended.
struct LoadCompletion {
  int64_t call = 0;
  ClientClock::TimePoint finished;
  absl::Status status;
  // When the first message of a stream came.
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
  // Sends a call; does not wait. Calls are numbered from 0.
  virtual void Send(int64_t call) = 0;
  // Waits for completions until `until` (unset: as long as it takes) and replaces `*completions` by
  // those that are there; none when the time is up.
  virtual void Wait(std::optional<ClientClock::TimePoint> until,
                    std::vector<LoadCompletion>* completions) = 0;
};

// Figures of the calls that count.
struct LoadReport {
  int64_t sent = 0;      // = answered, or a call was lost
  int64_t answered = 0;  // with any status
  int64_t ok = 0;
  int64_t failed = 0;                          // lost, not OK, or with an item that failed
  int64_t accepted = 0;                        // not refused: answered and neither of the next two
  int64_t refused = 0;                         // RESOURCE_EXHAUSTED
  int64_t unavailable = 0;                     // UNAVAILABLE
  int64_t refused_with_hint = 0;               // of both: said when to come back
  std::map<absl::StatusCode, int64_t> errors;  // of calls
  absl::Status first_error;                    // of these, with its message
  std::map<absl::StatusCode, int64_t> item_errors;  // of single items in calls that are OK
  // From the intended start to the end, of calls that are OK.
  Histogram latency;
  // From the intended start to the first message, of streams that are OK.
  Histogram first_message;
  // From the intended to the real start, of all: what the generator itself adds.
  Histogram send_delay;

  // Work and the time it took: throughput is their ratio.
  enum class Window {
    kDuration,  // the duration; what was done within it counts, whenever it was sent
    // max_calls ended a closed loop with a warm-up: from the first answer after the warm-up to the
    // last call that was sent, between which no caller was without a call but to wait out a hint.
    kAllBusy,
    // max_calls ended any other run, or there is no such middle: from the end of the warm-up to the
    // last answer. The work is that of the calls that count.
    kToLastAnswer
  };
  Window window_kind = Window::kDuration;
  std::chrono::nanoseconds window{0};
  int64_t items = 0;
  int64_t characters = 0;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
};

// Sends calls until the time or the calls are used up, then waits for every answer.
LoadReport RunLoad(const LoadOptions& options, LoadDriver* driver);

}  // namespace dragoman::client
