// The id of a call, and the client that it belongs to. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "server/call/api_keys.h"

namespace dragoman::server {

// 32 hexadecimal digits, different each time.
std::string NewId();

// The client of a peer, which is given as gRPC writes it ("ipv4:192.0.2.7:4711"): its address
// without the port, which differs between its connections. For IPv6 it is the /64 network, which is
// the least that one client is given: 2^64 addresses must not be as many clients. All peers of a
// Unix socket are one client.
std::string ClientOfPeer(std::string_view peer);

// The name under which the engine lets a call's client take turns: that of its API key, or, for
// calls that need none (nullptr), of its peer.
std::string ClientName(const Grant* grant, std::string_view peer);

}  // namespace dragoman::server
