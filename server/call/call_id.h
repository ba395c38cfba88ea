// The id of a call, and the client that it belongs to. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "server/call/api_keys.h"

namespace dragoman::server {

// Returns a new random id of 32 hexadecimal digits.
std::string NewId();

// Returns the client of a peer, given as gRPC writes peers ("ipv4:192.0.2.7:4711"). The client is
// the address without the port, because the port differs between connections. For IPv6 it is the
// /64 network, the smallest network that one client gets, because otherwise one client could appear
// as 2^64 clients. All peers of a Unix socket are one client.
std::string ClientOfPeer(std::string_view peer);

// Returns the name by which the engine shares its time fairly among clients: the name of the API
// key's client, or the client of the peer if `grant` is nullptr, because the call needs no key.
std::string ClientName(const Grant* grant, std::string_view peer);

}  // namespace dragoman::server
