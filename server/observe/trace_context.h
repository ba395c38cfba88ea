// W3C trace context: the trace to which a call belongs according to its client. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dragoman::server {

// Lower hexadecimal digits, never all zero.
struct TraceParent {
  std::string trace_id;  // 32
  std::string span_id;   // 16: the caller's span
  bool sampled = false;  // the caller records its own spans
};

// Parses a `traceparent` header ("00-<32 hex>-<16 hex>-<2 hex>"); nullopt if it is not one.
std::optional<TraceParent> ParseTraceparent(std::string_view traceparent);

}  // namespace dragoman::server
