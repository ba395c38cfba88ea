// A span, as in OpenTelemetry: a piece of a call's time, with a name. And the sink that takes
// spans.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/clock.h"

namespace dragoman::server {

struct Span {
  // Lower hexadecimal digits: 32, 16, and 16 or none.
  std::string trace_id;
  std::string span_id;
  std::string parent_id;
  std::string name;
  bool of_server = false;   // the call as a whole, and not a part of it
  engine::Nanos start = 0;  // on the clock of the calls, as is:
  engine::Nanos end = 0;
  std::vector<std::pair<std::string, std::variant<int64_t, std::string>>> attributes;
  bool failed = false;
};

// How many of the spans that were put into a sink were exported or lost. Each is counted once.
struct SpanCounts {
  std::atomic<int64_t> exported{0};    // the collector took them
  std::atomic<int64_t> queue_full{0};  // the collector was too slow, or away
  std::atomic<int64_t> failed{0};      // the collector refused them, or did not answer
};

// Thread-safe.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  // Never waits; takes all of them or none.
  virtual void Put(std::vector<Span> spans) = 0;
};

}  // namespace dragoman::server
