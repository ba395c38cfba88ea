// Queries and ends connections that gRPC owns. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::server {

// Returns the client's address, such as "1.2.3.4:5" or "[::1]:5"; "" for other families. Omits the
// scope of a link-local address.
std::string PeerOf(int fd);
// Returns the client's address without the port, such as "1.2.3.4"; "" for families other than IP.
// For IPv6, returns the /64 network ("2001:db8:0:1::"), because one client has at least a /64.
std::string NetworkOf(int fd);
// Converts an address in gRPC's notation ("ipv4:1.2.3.4:5", "ipv6:%5B::1%5D:5") to the notation of
// PeerOf.
std::string PeerKey(std::string_view grpc_peer);

// Returns the number of bytes received since the connection's start; -1 if unknown.
int64_t ReceivedBy(int fd);

// Returns the number of bytes that were received but not read yet; 0 if unknown.
int64_t UnreadOf(int fd);

// Discards the bytes that were received but not read yet, because gRPC would read and serve them.
void DiscardReceived(int fd);
// Closes both directions, then discards the bytes that were received but not read yet.
void EndAtOnce(int fd);

}  // namespace dragoman::server
