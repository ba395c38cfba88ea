// A span as in OpenTelemetry, which is a named part of a call's time, the sink for spans, and the
// trace of a call. All functions are thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/clock.h"

namespace dragoman::server {

// The trace to which a call belongs according to its client (W3C trace context).
// Lower hexadecimal digits, never all zero.
struct TraceParent {
  std::string trace_id;  // 32
  std::string span_id;   // 16: the caller's span
  bool sampled = false;  // the caller records its own spans
};

// Parses a `traceparent` header ("00-<32 hex>-<16 hex>-<2 hex>"); nullopt if it is not one.
std::optional<TraceParent> ParseTraceparent(std::string_view traceparent);

struct Span {
  // Lower-case hexadecimal digits: 32 in trace_id, 16 in span_id, 16 or none in parent_id.
  std::string trace_id;
  std::string span_id;
  std::string parent_id;
  std::string name;
  bool of_server = false;   // the span is the whole call, not a part of it
  engine::Nanos start = 0;  // `start` and `end` are on the clock of the calls
  engine::Nanos end = 0;
  std::vector<std::pair<std::string, std::variant<int64_t, std::string>>> attributes;
  bool failed = false;
};

// How many spans of a sink were exported or lost. Each span is counted once.
struct SpanCounts {
  std::atomic<int64_t> exported{0};    // the collector accepted them
  std::atomic<int64_t> queue_full{0};  // the collector was too slow or unreachable
  std::atomic<int64_t> failed{0};      // the collector refused them, or did not answer
};

// Thread-safe.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  // Never waits. Accepts all spans or none.
  virtual void Put(std::vector<Span> spans) = 0;
};

}  // namespace dragoman::server
