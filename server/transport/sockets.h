// Queries and ends connections that gRPC owns. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::server {

// Returns the client's address, such as "1.2.3.4:5" or "[::1]:5"; "" for other families. Omits the
// scope of a link-local address.
std::string PeerOf(int fd);
// Returns the client's address without the port, such as "1.2.3.4"; "" for other families. Returns
// the first 64 bits of an IPv6 address ("2001:db8:0:1::"), because one client has at least a /64.
std::string NetworkOf(int fd);
// Converts an address in gRPC's notation ("ipv4:1.2.3.4:5", "ipv6:%5B::1%5D:5") to PeerOf's.
std::string PeerKey(std::string_view grpc_peer);

// Returns the bytes received since the connection's start; -1 if unknown.
int64_t ReceivedBy(int fd);

// Returns the bytes that were received, but not read yet; 0 if unknown.
int64_t UnreadOf(int fd);

// Discards the bytes that were received, but not read yet. gRPC would otherwise read and serve
// them.
void DiscardReceived(int fd);
// Closes both directions, then does the same.
void EndAtOnce(int fd);

}  // namespace dragoman::server
