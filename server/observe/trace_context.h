// W3C trace context: the trace to which a call belongs according to its client. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dragoman::server {

// The ids are lower-case hexadecimal digits, not all of them 0.
struct TraceParent {
  std::string trace_id;  // 32 digits
  std::string span_id;   // 16 digits: the caller's span
  bool sampled = false;  // the caller records its own spans
};

// Parses a `traceparent` header ("00-<32 hex>-<16 hex>-<2 hex>"); nullopt if it is not one.
std::optional<TraceParent> ParseTraceparent(std::string_view traceparent);

}  // namespace dragoman::server
