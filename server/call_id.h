// Names of a call: request ids and W3C trace ids. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

// 32 hexadecimal digits, different each time.
std::string NewRequestId();

// The trace id of a W3C `traceparent` header ("00-<32 hex>-<16 hex>-<2 hex>"); "" if it is not one.
std::string TraceIdOf(std::string_view traceparent);

}  // namespace dragoman
