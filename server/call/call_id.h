// The id of a call, and the name of the client that makes it. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "server/call/api_keys.h"

namespace dragoman::server {

// Returns a new random id of 32 hexadecimal digits.
std::string NewId();

// Returns a new id of 32 hexadecimal digits that cannot be guessed, from the system's generator.
std::string NewSecretId();

// Returns the client of a peer. gRPC's format for a peer is "ipv4:192.0.2.7:4711". The client is
// the address without the port, because the port differs between connections. The client of an IPv6
// peer is its /64 network, because one client has at least such a network and could otherwise
// appear as 2^64 clients. All peers of a Unix socket are one client.
std::string ClientOfPeer(std::string_view peer);

// Returns the name of the client among whose calls the engine shares its time fairly. This is the
// name of the API key's client. If `grant` is nullptr, because the call needs no key, it is the
// result of ClientOfPeer.
std::string ClientName(const Grant* grant, std::string_view peer);

}  // namespace dragoman::server
