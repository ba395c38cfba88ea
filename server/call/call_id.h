// Names of a call: request ids, W3C trace ids, and whose it is. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

// 32 hexadecimal digits, different each time.
std::string NewRequestId();

// The trace id of a W3C `traceparent` header ("00-<32 hex>-<16 hex>-<2 hex>"); "" if it is not one.
std::string TraceIdOf(std::string_view traceparent);

// The client behind a peer as gRPC writes it ("ipv4:192.0.2.7:4711"): its address without the port,
// which each of its connections has another of. All peers of a Unix socket are one client.
std::string ClientOfPeer(std::string_view peer);

}  // namespace dragoman
