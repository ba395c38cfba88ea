// Names of a call: its id, and whose it is. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

// 32 hexadecimal digits, different each time.
std::string NewId();

// The client behind a peer as gRPC writes it ("ipv4:192.0.2.7:4711"): its address without the port,
// which each of its connections has another of. Of IPv6 it is the /64 network, which is what one
// client is given at least: 2^64 addresses must not be as many clients. All peers of a Unix socket
// are one client.
std::string ClientOfPeer(std::string_view peer);

}  // namespace dragoman
