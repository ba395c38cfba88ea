// The load generator: decides when to send calls and counts the results.
//
// Single-threaded. Time and network come through LoadDriver, so tests use a simulated clock.
// Latency counts from the intended start of a call, not from its sending. So if the server or the
// generator stalls, the delay counts for all calls that should have started meanwhile, as in real
// traffic. This avoids "coordinated omission".
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
  // Open loop (calls are sent without waiting for answers): calls per second. 0: closed loop.
  double rate = 0;
  // Open loop: whether gaps between calls are equal. If false, they are exponential (Poisson
  // arrivals).
  bool constant = false;
  // Closed loop: the number of simulated callers. Each has one call in flight. After a refusal, a
  // caller waits before its next call for the time that the server says, or 10 ms if the server
  // says none.
  int concurrency = 1;
  // Only calls whose intended start is in [warmup, warmup + duration) count in the report.
  std::chrono::nanoseconds warmup{0};
  std::chrono::nanoseconds duration{0};
  // Ends the run after this many calls. Calls of the warm-up are not included.
  int64_t max_calls = std::numeric_limits<int64_t>::max();
  // If set, the run calls it before each call. When it returns true, the run ends as after
  // max_calls.
  std::function<bool()> enough;
  // Open loop: the maximum number of calls in flight. If it is reached, further calls are sent
  // late, which LoadReport::send_delay shows.
  int64_t max_in_flight = 20'000;
  uint64_t seed = 1;
};

// The result of one call.
struct LoadCompletion {
  int64_t call = 0;
  ClientClock::TimePoint finished;
  absl::Status status;
  // When the first message of the stream arrived.
  std::optional<ClientClock::TimePoint> first_message;
  int64_t items = 0;                           // items that were translated
  int64_t characters = 0;                      // code points of the translated items' sources
  std::map<absl::StatusCode, int64_t> errors;  // the number of failed items, by code
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
};

class LoadDriver {
 public:
  virtual ~LoadDriver() = default;
  virtual ClientClock::TimePoint Now() = 0;
  // Sends a call and does not wait. Calls are numbered from 0.
  virtual void Send(int64_t call) = 0;
  // Waits until calls have completed, and replaces `*completions` by their results. If `until` is
  // set and comes first, `*completions` becomes empty.
  virtual void Wait(std::optional<ClientClock::TimePoint> until,
                    std::vector<LoadCompletion>* completions) = 0;
};

// Statistics of the calls that count (LoadOptions::warmup).
struct LoadReport {
  int64_t sent = 0;      // the calls that were sent; equals `answered`, unless a call was lost
  int64_t answered = 0;  // calls that were answered, with any status
  int64_t ok = 0;
  // Calls that were lost, ended without OK or had an item that failed.
  int64_t failed = 0;
  // Answered calls that are neither `refused` nor `unavailable`.
  int64_t accepted = 0;
  int64_t refused = 0;      // RESOURCE_EXHAUSTED
  int64_t unavailable = 0;  // UNAVAILABLE
  // The part of `refused` and `unavailable` with a retry hint.
  int64_t refused_with_hint = 0;
  std::map<absl::StatusCode, int64_t> errors;  // the number of failed calls, by code
  absl::Status first_error;                    // the first error of a call, with its message
  // The number of items that failed in calls with OK, by code.
  std::map<absl::StatusCode, int64_t> item_errors;
  // Times from the intended start to the end of calls with OK.
  Histogram latency;
  // Times from the intended start to the first message of streams with OK.
  Histogram first_message;
  // Times from the intended to the real start of all calls, which is the generator's own delay.
  Histogram send_delay;

  // The time span over which throughput is measured. Throughput is the items, characters and tokens
  // of this span, divided by its length.
  enum class Window {
    // LoadOptions::duration. All work done within it counts, whenever its call was sent.
    kDuration,
    // Used for a closed loop with a warm-up that max_calls ended: from the first answer after the
    // warm-up to the last sent call. In this span, every caller has a call in flight, except while
    // it follows a retry hint.
    kAllBusy,
    // Used for other runs that max_calls ended, or if the span of kAllBusy is empty: from the end
    // of the warm-up to the last answer. The work is that of the calls that count.
    kToLastAnswer
  };
  Window window_kind = Window::kDuration;
  std::chrono::nanoseconds window{0};
  int64_t items = 0;
  int64_t characters = 0;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
};

// Sends calls until the duration has passed or max_calls are sent, then waits for every answer.
LoadReport RunLoad(const LoadOptions& options, LoadDriver* driver);

}  // namespace dragoman::client
